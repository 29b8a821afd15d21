"""What is drawn of a grid: its own cells where it is flat, the cut of a plane where it is not."""
import numpy as np

from .errors import PlotError
from .shapes import FLAT, TETRAHEDRA


AT_ONCE = 1 << 20  # lattice points, for the memory


def twice_area(u, v, w):
    return (v[:, 0] - u[:, 0]) * (w[:, 1] - u[:, 1]) - (v[:, 1] - u[:, 1]) * (w[:, 0] - u[:, 0])


class Drawing:
    """Polygons in a plane with a value each, and triangles with values at their corners for lines."""

    def __init__(self, axes, polygons, values, corners, triangles, corner_values):
        self.axes = axes                    # names of the two axes
        self.polygons = polygons            # list of (polygons n x k x 2)
        self.values = values                # list of (n)
        self.corners = corners              # m x 2
        self.triangles = triangles          # t x 3: for each list all polygons' first, then all their second ones
        self.corner_values = corner_values  # () -> m

    def box(self):
        """Lower left and upper right corner."""
        used = self.corners[self.triangles.ravel()]
        return used.min(axis=0), used.max(axis=0)

    def locate(self, x, y):
        """Where the points of the lattice of ascending x and y lie: numbers (row, column) of those inside, the triangle around each, and its
        weights of the triangle's corners (3 x n)."""
        at = self.corners[self.triangles]
        low, high = at.min(axis=1), at.max(axis=1)
        first = np.stack([np.searchsorted(x, low[:, 0]), np.searchsorted(y, low[:, 1])], axis=1)
        size = np.stack([np.searchsorted(x, high[:, 0], "right"), np.searchsorted(y, high[:, 1], "right")], axis=1) - first
        count = size.prod(axis=1)  # lattice points in the box of each triangle
        holders = np.flatnonzero(count)
        found = []
        for some in np.split(holders, np.flatnonzero(np.diff(np.cumsum(count[holders]) // AT_ONCE)) + 1):
            triangle = np.repeat(some, count[some])
            k = np.arange(len(triangle)) - np.repeat(np.cumsum(count[some]) - count[some], count[some])
            i, j = first[triangle, 0] + k % size[triangle, 0], first[triangle, 1] + k // size[triangle, 0]
            a, b, c = (at[triangle, corner] for corner in range(3))
            p = np.stack([x[i], y[j]], axis=1)
            with np.errstate(divide="ignore", invalid="ignore"):
                weights = np.stack([twice_area(p, b, c), twice_area(a, p, c), twice_area(a, b, p)]) / twice_area(a, b, c)
            inside = (weights >= -1e-9).all(axis=0)
            found.append((j[inside], i[inside], triangle[inside], weights[:, inside]))
        return [np.concatenate(parts, axis=-1) for parts in zip(*found)]

    def sample(self, x, y):
        """Returns the corner values on the lattice, linear in each triangle (len(y) x len(x)); NaN where there is none."""
        j, i, triangle, weights = self.locate(x, y)
        lattice = np.full((len(y), len(x)), np.nan)
        lattice[j, i] = (weights * self.corner_values()[self.triangles[triangle]].T).sum(axis=0)
        return lattice

    def polygons_at(self, x, y):
        """Returns the number of the polygon around each point of the lattice (len(y) x len(x)), as in all_values(); -1 outside."""
        j, i, triangle, _ = self.locate(x, y)
        first, numbers = 0, []
        for block in self.polygons:
            numbers += [np.arange(first, first + len(block))] * (block.shape[1] - 2)
            first += len(block)
        lattice = np.full((len(y), len(x)), -1)
        lattice[j, i] = np.concatenate(numbers)[triangle]
        return lattice

    def all_values(self):
        """Returns the values of the polygons in one array."""
        return np.concatenate(self.values)


def flat_drawing(grid, values):
    polygons, colours, triangles = [], [], []
    for vtk_type, size in FLAT.items():
        cells, nodes = grid.nodes(vtk_type)
        if len(cells) == 0:
            continue
        polygons.append(grid.points[nodes][:, :, :2])
        colours.append(values[cells])
        triangles.append(nodes[:, [0, 1, 2]])
        if size == 4:
            triangles.append(nodes[:, [0, 2, 3]])
    return Drawing("xy", polygons, colours, grid.points[:, :2], np.concatenate(triangles), lambda: grid.at_points(values))


def slice_drawing(grid, values, axis, position):
    """The cut of the plane axis = position through every cell: each cell as tetrahedra, each cut to a triangle or a quad."""
    k = "xyz".index(axis)
    low, high = grid.points[:, k].min(), grid.points[:, k].max()
    if not low <= position <= high:
        raise PlotError(f"--slice {axis}={position:g} misses the mesh, which goes from {low:g} to {high:g}")
    keep = [i for i in range(3) if i != k]
    distance = grid.points[:, k] - position
    # No point lies in the plane, so every cut is a triangle or a quad; a plane between two cells cuts one of them.
    distance[distance == 0] = (1e-12 if position > low else -1e-12) * ((high - low) or 1.0)
    point_values = grid.at_points(values)
    polygons, colours, corner_values = {3: [], 4: []}, {3: [], 4: []}, {3: [], 4: []}
    for vtk_type, tetrahedra in TETRAHEDRA.items():
        cells, nodes = grid.nodes(vtk_type)
        side = distance[nodes]
        cut = (side.min(axis=1) < 0) & (side.max(axis=1) > 0)
        cells, nodes = cells[cut], nodes[cut]
        for corner in tetrahedra:
            tetrahedron = nodes[:, corner]
            above = distance[tetrahedron] > 0
            for pattern in range(1, 15):
                inside = [bool(pattern >> i & 1) for i in range(4)]
                chosen = np.flatnonzero((above == inside).all(axis=1))
                if len(chosen) == 0:
                    continue
                up, down = [i for i in range(4) if inside[i]], [i for i in range(4) if not inside[i]]
                edges = [(a, b) for a in up for b in down]
                if len(edges) == 4:  # walk round the quad
                    edges = [edges[0], edges[1], edges[3], edges[2]]
                a, b = (tetrahedron[chosen][:, [e[i] for e in edges]] for i in (0, 1))
                t = (distance[a] / (distance[a] - distance[b]))[..., None]
                size = len(edges)
                polygons[size].append((grid.points[a] + t * (grid.points[b] - grid.points[a]))[:, :, keep])
                corner_values[size].append(point_values[a] + t[..., 0] * (point_values[b] - point_values[a]))
                colours[size].append(values[cells[chosen]])
    sizes = [size for size in (3, 4) if polygons[size]]
    if not sizes:
        raise PlotError(f"--slice {axis}={position:g} cuts no cell")
    polygons = [np.concatenate(polygons[size]) for size in sizes]
    colours = [np.concatenate(colours[size]) for size in sizes]
    at_corners = np.concatenate([np.concatenate(corner_values[size]).ravel() for size in sizes])
    triangles, first = [], 0
    for block in polygons:
        n, size = block.shape[:2]
        corner = first + np.arange(n * size).reshape(n, size)
        triangles.append(corner[:, [0, 1, 2]])
        if size == 4:
            triangles.append(corner[:, [0, 2, 3]])
        first += n * size
    corners = np.concatenate([block.reshape(-1, 2) for block in polygons])
    return Drawing("".join("xyz"[i] for i in keep), polygons, colours, corners, np.concatenate(triangles), lambda: at_corners)


def outline(grid):
    """Returns the edges of a flat grid that belong to one cell alone (n x 2 x 2): bodies and the ends of the domain."""
    number, edges = grid.merged_points, []
    for vtk_type in FLAT:
        _, nodes = grid.nodes(vtk_type)
        edges.append(np.stack([nodes, np.roll(nodes, -1, axis=1)], axis=-1).reshape(-1, 2))
    edges = np.concatenate(edges)
    ends = number[edges].astype(np.int64)
    keys = ends.min(axis=1) * (number.max() + 1) + ends.max(axis=1)
    _, first, count = np.unique(keys, return_index=True, return_counts=True)
    return grid.points[edges[first[count == 1]]][:, :, :2]


def cut_outline(boundary, axis, position):
    """Returns the lines in which a plane meets the faces of a boundary (n x 2 x 2): bodies and the ends of the domain."""
    k = "xyz".index(axis)
    keep = [i for i in range(3) if i != k]
    distance = boundary.points[:, k] - position
    distance[distance == 0] = 1e-12 * (np.ptp(boundary.points[:, k]) or 1.0)
    lines = [np.empty((0, 2, 2))]
    for vtk_type in FLAT:
        _, nodes = boundary.nodes(vtk_type)
        following = np.roll(nodes, -1, axis=1)
        crossing = distance[nodes] * distance[following] < 0
        cut = crossing.sum(axis=1) == 2  # four of a quad that is far from plane are left out
        first, second = nodes[cut][crossing[cut]], following[cut][crossing[cut]]
        t = (distance[first] / (distance[first] - distance[second]))[:, None]
        points = boundary.points[first] + t * (boundary.points[second] - boundary.points[first])
        lines.append(points[:, keep].reshape(-1, 2, 2))
    return np.concatenate(lines)


def drawing_of(grid, values, cut):
    """Returns the drawing of a field, and its cut (axis, position), which is None where the grid is flat."""
    if grid.flat:
        if cut:
            raise PlotError(f"{grid.path}: --slice is for 3-D, and this mesh is flat")
        return flat_drawing(grid, values), None
    return slice_drawing(grid, values, *cut), cut
