"""The default part of a mesh in a picture: the surroundings of bodies that are small in it, and in 3-D a section through them."""
import numpy as np

from . import walls

SMALL_BODY = 0.2  # relative to the mesh; pictures of smaller bodies show a window around them
MARGIN = 0.6      # relative to the size of the bodies, around them


class Bodies:
    """The walls whose forces the case asks for; without any, all walls where they are small in the mesh."""

    def __init__(self, run, grid):
        """run: a Run, which may have no walls; grid: the fields."""
        self.low = None
        self.grid = run.wall_grid()
        if self.grid is None:
            return
        self.named = bool(run.bodies())
        self.zones = list(walls.drawn_zones(self.grid, run.zones(), run.bodies()))
        points = self.grid.points_of(np.isin(self.grid.fields["zone"], self.zones))
        self.low, self.high = points.min(axis=0), points.max(axis=0)
        self.span = walls.across(points)  # in 3-D
        self.domain = grid.points.min(axis=0), grid.points.max(axis=0)
        self.small = self._small(self.high - self.low, [0, 1] if grid.flat else [0, 1, 2])

    def _small(self, size, axes):
        return size[axes].max() <= SMALL_BODY * (self.domain[1] - self.domain[0])[axes].max()

    def cut(self):
        """Returns (axis, position) of the plane in the middle of the bodies' span, or of a mesh that is thin in y or z; None without
        bodies."""
        if self.low is None or not (self.named or self.small):
            return None
        size = self.domain[1] - self.domain[0]
        thin = 1 + int(size[1:].argmin())
        across = thin if size[thin] < SMALL_BODY * size.max() else self.span
        width = self.high[across] - self.low[across]
        return "xyz"[across], float(self.low[across] + (0.5 + 1e-6) * width)  # not between two layers of cells

    def window(self, cut):
        """Returns (left, right, bottom, top) somewhat larger than the bodies where the plane `cut` meets them (None: of a flat mesh);
        None where they are not small or the plane misses them."""
        if self.low is None:
            return None
        low, high, axes = self.low, self.high, [0, 1]
        if cut:
            axes = [k for k in range(3) if k != "xyz".index(cut[0])]
            try:
                faces, middles, _ = walls.cut_faces(self.grid, *cut)
            except walls.WallsMissed:
                return None
            middles = middles[np.isin(self.grid.fields["zone"][faces], self.zones)]
            if len(middles) == 0:
                return None
            low, high = middles.min(axis=0), middles.max(axis=0)
        if not self._small(high - low, axes):
            return None
        room = MARGIN * (high - low)[axes].max()
        low, high = np.maximum(low - room, self.domain[0])[axes], np.minimum(high + room, self.domain[1])[axes]
        return low[0], high[0], low[1], high[1]


def choose(run, grid, options):
    """Puts into the options (slice and window) what they leave open."""
    bodies = Bodies(run, grid)
    if not grid.flat and options.slice is None:
        options.slice = bodies.cut() or ("z", 0.5 * (grid.points[:, 2].min() + grid.points[:, 2].max()))
    if options.window is None and not options.whole:
        options.window = bodies.window(options.slice)
