"""Quantities that a field file lacks and that follow from what it holds."""
import numpy as np

from .shapes import FLAT, TETRAHEDRA

# Written by a run whose case asks for them in output.fields.
OF_RUNS = ("temperature", "total_temperature", "total_pressure", "entropy", "cp", "vorticity", "schlieren")
ERROR, EXACT = "error_", "exact_"


def computable(grid):
    """Returns the names of the quantities that can be computed from the fields of a grid."""
    names = [ERROR + name for name in sorted(grid.fields) if EXACT + name in grid.fields]
    return names + (["schlieren"] if "density" in grid.fields and "schlieren" not in grid.fields else [])


def computed(grid, name):
    """Returns the values of the cells, or None for a name that is not known.

    schlieren: the magnitude of the gradient of density; error_<field>: the difference to exact_<field>."""
    if name == "schlieren" and "density" in grid.fields:
        return np.linalg.norm(gradient(grid, grid.field("density")), axis=1)
    of = name.removeprefix(ERROR)
    if name.startswith(ERROR) and grid.has(of) and grid.has(EXACT + of):
        return grid.field(of) - grid.field(EXACT + of)
    return None


def gradient(grid, values):
    """Returns the gradient in each cell (n x 3): the mean over the simplices of the cell of the gradient of the function that is linear
    in each and takes the means of the cells around a point at that point."""
    at_points = grid.at_points(values)
    result, size = np.zeros((len(values), 3)), np.zeros(len(values))
    simplices = {**TETRAHEDRA, **{kind: [(0, k, k + 1) for k in range(1, n - 1)] for kind, n in FLAT.items()}}
    for kind in np.unique(grid.types):
        cells, nodes = grid.nodes(kind)
        for corners in simplices[int(kind)]:
            x, f = grid.points[nodes[:, corners]], at_points[nodes[:, corners]]
            edges, rises = x[:, 1:] - x[:, :1], f[:, 1:] - f[:, :1]
            if len(corners) == 3:  # a triangle: the third direction has no rise
                edges = np.concatenate([edges, np.cross(edges[:, 0], edges[:, 1])[:, None]], axis=1)
                rises = np.concatenate([rises, np.zeros((len(rises), 1))], axis=1)
            volume = np.abs(np.linalg.det(edges)) ** (0.5 if len(corners) == 3 else 1)
            whole = volume > 0
            result[cells[whole]] += volume[whole, None] * np.linalg.solve(edges[whole], rises[whole][..., None])[..., 0]
            size[cells[whole]] += volume[whole]
    return result / np.where(size > 0, size, 1)[:, None]
