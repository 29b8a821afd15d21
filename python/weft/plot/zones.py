"""Pictures of a mesh with its boundary zones in colours: lines in 2-D; in 3-D the faces that one sees from within the domain."""
import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from .errors import PlotError
from .grid import Grid
from .names import axis_label, label
from .pictures import sheet
from .shapes import FLAT, LINE
from .style import CM
from .view import MARGIN, SMALL_BODY
from .walls import face_normals

# Colours that can be distinguished with any colour vision (Okabe and Ito, 2008), one for each kind of boundary condition.
KINDS = {"slip_wall": "#d55e00", "far_field": "#0072b2", "symmetry": "#009e73", "supersonic_inflow": "#cc79a7",
         "supersonic_outflow": "#e69f00", "total_pressure_inflow": "#56b4e9", "static_pressure_outflow": "#a6761d",
         "prescribed": "#7570b3"}
OTHERS = [*KINDS.values(), "#666666"]  # for zones whose condition is not known
DASHES = ["-", (0, (3, 1)), (0, (1, 1)), (0, (5, 1, 1, 1))]  # zones of one kind
VIEWS = [np.array([x, y, 0.42]) for x, y in ((-0.55, -0.72), (0.55, -0.72), (-0.55, 0.72), (0.55, 0.72))]  # viewpoints in 3-D


class Zones:
    """The boundary of a run's mesh, or of a mesh file that was laid out like one."""

    def __init__(self, folder):
        self.grid = Grid(folder.boundary)
        zone = self.grid.fields.get("zone")
        if zone is None:
            raise PlotError(f"{folder.boundary}: has no field \"zone\"; it is not the boundary.hdf of a run")
        self.number = zone.astype(int)
        names = folder.zones()
        self.drawn = list(np.unique(self.number))
        self.name = {z: names[z] if z < len(names) else f"zone {z}" for z in self.drawn}
        self.kind = {z: folder.kind_of(self.name[z]) for z in self.drawn}
        self.colour, self.dash, seen = {}, {}, {}
        for n, z in enumerate(self.drawn):
            kind = self.kind[z]
            self.colour[z] = KINDS.get(kind) or OTHERS[n % len(OTHERS)]
            self.dash[z] = DASHES[seen.setdefault(kind, 0) % len(DASHES)] if kind in KINDS else "-"
            seen[kind] = seen[kind] + 1 if kind else 0
        self.flat = bool(np.all(self.grid.types == LINE))
        if not self.flat:  # faces have no dashes: zones of one kind are the lighter
            for z in self.drawn:
                self.colour[z] = tuple(1 - (1 - np.array(to_rgb(self.colour[z]))) * 0.65 ** DASHES.index(self.dash[z]))

    def words(self, z):
        return self.name[z] + (f": {label(self.kind[z])}" if self.kind[z] else "")

    def bodies(self):
        """Returns the zones that are small in the mesh and do not reach its ends in x, with their points."""
        points, found = self.grid.points, {}
        ends, size = (points[:, 0].min(), points[:, 0].max()), np.ptp(points, axis=0).max()
        for z in self.drawn:
            mine = self.grid.points_of(self.number == z)
            if np.ptp(mine, axis=0).max() <= SMALL_BODY * size and ends[0] < mine[:, 0].min() and mine[:, 0].max() < ends[1]:
                found[z] = mine
        return found

    def window(self):
        """Returns the lower and the upper corner of a box around the bodies; None without any."""
        bodies = self.bodies()
        if not bodies:
            return None
        points = np.concatenate(list(bodies.values()))
        low, high = points.min(axis=0), points.max(axis=0)
        room = MARGIN * (high - low).max()
        return np.maximum(low - room, self.grid.points.min(axis=0)), np.minimum(high + room, self.grid.points.max(axis=0))


def picture(zones, cells, options):
    """Draws the boundary zones, and in 2-D the edges of the cells. Bodies that are small in the mesh are drawn again, larger; a mesh in
    3-D without such bodies again from the opposite corner.

    cells: a Grid, or None; options.window: of a flat mesh, the part to draw instead."""
    box, corners = None, (zones.grid.points.min(axis=0), zones.grid.points.max(axis=0))
    if options.window and zones.flat:
        corners = tuple(np.array([options.window[k], options.window[k + 2]]) for k in (0, 1))
    elif not options.whole:
        box = zones.window()
    across, legend_width = options.size[0], 4.2 * CM
    parts = [corners] + ([box] if box is not None else [])
    views, names = [Plan()] * len(parts), ["whole mesh", "around the bodies"]
    if not zones.flat:
        views = [View(best_of(zones))] * len(parts)
        if box is None:
            parts, views = [corners] * 2, [views[0], View(-views[0].towards)]
            names = ["looking down", "looking up, from the opposite corner"]
    spans = [span_of(view.project, part) for view, part in zip(views, parts)]
    each = (across - legend_width) / len(parts) - 1.2 * CM
    height = min(max(each * max(span[1] / span[0] for span in spans), 2.5 * CM), 1.2 * each) + 1.6 * CM
    figure = sheet(options, height)
    axes = figure.subplots(1, len(parts), squeeze=False)[0]
    for panel, part, view, name in zip(axes, parts, views, names):
        panel.set_aspect("equal")
        view.draw(panel, zones, cells, part)
        frame(panel, view.project, part, 0.02 if part is corners and not options.window else 0)
        if len(parts) > 1:
            panel.set_title(name)
    handles = [Line2D([], [], color=zones.colour[z], linestyle=zones.dash[z], linewidth=1.6, label=zones.words(z)) if zones.flat else
               Patch(color=zones.colour[z], label=zones.words(z)) for z in zones.drawn]
    axes[-1].legend(handles=handles, frameon=False, loc="upper left", bbox_to_anchor=(1.02, 1.02), borderaxespad=0, handlelength=2.4)
    figure.suptitle("Mesh" + (f" of {len(cells.types):,} cells" if cells is not None else "") if options.title is None else options.title)
    return figure


def corners_of(part):
    low, high = (np.append(corner, [0] * (3 - len(corner))) for corner in part)
    return np.array([[(low, high)[i][0], (low, high)[j][1], (low, high)[k][2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])


def span_of(project, part):
    return np.maximum(np.ptp(project(corners_of(part)), axis=0), 1e-300)


def frame(axes, project, part, room):
    seen = project(corners_of(part))
    low, high = seen.min(axis=0), seen.max(axis=0)
    room *= (high - low).max()
    axes.set_xlim(low[0] - room, high[0] + room)
    axes.set_ylim(low[1] - room, high[1] + room)


class Plan:
    """A flat mesh as it is."""

    @staticmethod
    def project(points):
        return points[..., :2]

    @staticmethod
    def draw(axes, zones, cells, part):
        grid = zones.grid
        axes.set_xlabel(axis_label("x", grid.si))
        axes.set_ylabel(axis_label("y", grid.si))
        if cells is not None and cells.flat:
            for vtk_type in FLAT:
                _, nodes = cells.nodes(vtk_type)
                points = cells.points[nodes][:, :, :2]
                shown = ((points.max(axis=1) >= part[0][:2]) & (points.min(axis=1) <= part[1][:2])).all(axis=1)
                fine = min(1.0, (20000 / max(shown.sum(), 1)) ** 0.5)  # edges that are closer than pixels appear grey
                edges = PolyCollection(points[shown], facecolors="none", edgecolors="0.45", linewidths=0.25 * fine, rasterized=True)
                axes.add_collection(edges, autolim=False)
        _, nodes = grid.nodes(LINE)
        for z in zones.drawn:
            axes.add_collection(LineCollection(grid.points[nodes[zones.number == z]][:, :, :2], colors=zones.colour[z], linewidths=1.6,
                                               linestyles=[zones.dash[z]], zorder=3, capstyle="butt"), autolim=False)


def best_of(zones):
    """Returns the direction of `VIEWS` towards the eye that shows most of the bodies."""
    normals = face_normals(zones.grid)[np.isin(zones.number, list(zones.bodies()))]
    return VIEWS[int(np.argmax([np.maximum(-normals @ towards, 0).sum() for towards in VIEWS]))]


class View:
    """An orthographic view with z up. towards: the direction to the eye."""

    def __init__(self, towards):
        self.towards = towards / np.linalg.norm(towards)
        right = np.cross([0, 0, 1], self.towards)
        self.right = right / np.linalg.norm(right)
        self.up = np.cross(self.towards, self.right)

    def project(self, points):
        return np.stack([points @ self.right, points @ self.up], axis=-1)

    def draw(self, axes, zones, _, part):
        """Draws the faces whose gas side one sees: bodies from outside, the ends of the domain from inside, none of them in the way."""
        grid = zones.grid
        normals = face_normals(grid)
        normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]
        towards = -normals @ self.towards
        polygons, colours, depths = [], [], []
        for vtk_type in np.unique(grid.types):
            cells, nodes = grid.nodes(vtk_type)
            points = grid.points[nodes]
            inside = (points.max(axis=1) >= part[0]).all(axis=1) & (points.min(axis=1) <= part[1]).all(axis=1)
            shown = np.flatnonzero((towards[cells] > 0) & inside)
            cells, points = cells[shown], points[shown]
            base = np.array([to_rgb(zones.colour[z]) for z in zones.number[cells]]).reshape(-1, 3)
            shade = (0.45 + 0.55 * towards[cells])[:, None]
            polygons += list(self.project(points))
            colours.append(base * shade + (1 - shade) * 0.25)
            depths.append(points.mean(axis=1) @ self.towards)
        if not polygons:
            raise PlotError(f"{grid.path}: has no boundary faces to draw here")
        colours, order = np.concatenate(colours), np.argsort(np.concatenate(depths))
        axes.add_collection(PolyCollection([polygons[k] for k in order], facecolors=colours[order], edgecolors=colours[order] * 0.7,
                                           linewidths=0.1, rasterized=True), autolim=False)
        axes.set_axis_off()
