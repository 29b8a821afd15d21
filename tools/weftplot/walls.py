"""Pressure along the walls, of the walls_<step>.hdf of a run."""
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection

from .errors import PlotError
from .grid import LINE, NODES
from .pictures import DPI, label, limits, title


class WallsMissed(PlotError):
    """A plane through the mesh, but through no wall."""


def chains(segments):
    """Segments (pairs of points) in an order in which each touches the next: lists of their numbers, one for each connected line. One
    that is closed ends with its first."""
    around = {}
    for number, (a, b) in enumerate(segments):
        around.setdefault(a, []).append(number)
        around.setdefault(b, []).append(number)
    left, lines = set(range(len(segments))), []
    ends = [point for point, numbers in around.items() if len(numbers) == 1]
    for start in ends + [segment[0] for segment in segments]:  # open lines from an end, then those that are closed
        line, point = [], start
        while True:
            following = [number for number in around[point] if number in left]
            if not following:
                break
            number = following[0]
            left.discard(number)
            line.append(number)
            point = segments[number][1] if segments[number][0] == point else segments[number][0]
        if line:
            lines.append(line + line[:1] if point == start and len(line) > 2 else line)
    return lines


def cut_faces(grid, axis, position):
    """The faces that the plane axis = position cuts, and the middle of each cut (n x 3)."""
    k = "xyz".index(axis)
    faces, middles = [], []
    distance = grid.points[:, k] - position
    distance[distance == 0] = 1e-12 * (np.ptp(grid.points[:, k]) or 1.0)
    for vtk_type in np.unique(grid.types):
        cells, nodes = grid.nodes(vtk_type)
        following = np.roll(nodes, -1, axis=1)
        crossing = distance[nodes] * distance[following] < 0
        t = np.where(crossing, distance[nodes] / np.where(crossing, distance[nodes] - distance[following], 1), 0)
        points = grid.points[nodes] + t[..., None] * (grid.points[following] - grid.points[nodes])
        cut = crossing.any(axis=1)
        middles.append((points * crossing[..., None]).sum(axis=1)[cut] / crossing.sum(axis=1)[cut][:, None])
        faces.append(cells[cut])
    faces = np.concatenate(faces)
    if len(faces) == 0:
        low, high = grid.points[:, k].min(), grid.points[:, k].max()
        raise WallsMissed(f"--slice {axis}={position:g} misses the walls, which go from {low:g} to {high:g}")
    return faces, np.concatenate(middles)


def across(points):
    """Number of the axis along which walls in 3-D extend, beside x: the span of a wing."""
    extent = np.ptp(points, axis=0)
    return 2 if extent[2] >= extent[1] else 1


def drawn_zones(grid, zones, bodies):
    """{number: name} of the zones that are drawn: those of bodies, without any all."""
    names = {z: zones[z] if z < len(zones) else f"zone {z}" for z in np.unique(grid.fields["zone"].astype(int))}
    return {z: name for z, name in names.items() if name in bodies} or names


def what_of(grid):
    return "cp" if "cp" in grid.fields else "pressure"


def seen(grid, zones, bodies, size=(10, 6)):
    """Walls in 3-D as one sees them from either side: in the plane of x and the axis across, in the colours of Cp or pressure."""
    what = what_of(grid)
    mine = np.isin(grid.fields["zone"].astype(int), list(drawn_zones(grid, zones, bodies)))
    k = across(grid.points)
    depth = 3 - k  # the axis along which one looks
    values = grid.field(what)
    low, high = limits(values[mine], None)
    width = np.ptp(grid.points, axis=0)
    beside = width[k] > 0.5 * width[0]
    figure, both = plt.subplots(*((1, 2) if beside else (2, 1)), figsize=size, dpi=DPI, constrained_layout=True, sharex=True, sharey=True)
    for axes, side in zip(both, (1, -1)):
        for vtk_type in np.unique(grid.types):
            cells, nodes = grid.nodes(vtk_type)
            points = grid.points[nodes]
            normal = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])  # into the body
            facing = mine[cells] & (normal[:, depth] * side < 0)
            order = np.argsort(points[facing][..., depth].mean(axis=1) * side)  # the nearest last
            faces = PolyCollection(points[facing][order][:, :, [0, k]], array=values[cells][facing][order], cmap="viridis_r" if what == "cp" else
                                   "viridis", edgecolors="none", antialiased=False, rasterized=True)
            faces.set_clim(low, high)
            axes.add_collection(faces)
        axes.autoscale_view()
        axes.set_aspect("equal")
        axes.set_xlabel("x")
        axes.set_ylabel("xyz"[k])
        axes.set_title(f"{title(grid, what, None)}, seen from {'+' if side > 0 else '-'}{'xyz'[depth]}", fontsize="small")
    figure.colorbar(faces, ax=both, label=label(what))
    return figure


def pressure(grid, zones, bodies, cut, size=(10, 6)):
    """Cp (pressure, where the case has no free stream) along x.

    zones: names of the mesh's boundary zones; bodies: names of those to draw along x/c, with Cp upward negative; without any, all
    walls along x. In 3-D every face is a dot in the colour of its place across, or, with a cut (axis, position), the faces in it."""
    number = grid.fields["zone"].astype(int)
    names = drawn_zones(grid, zones, bodies)
    drawn, what = list(names), what_of(grid)
    values = grid.field(what)
    centres, faces = grid.centres(), np.flatnonzero(np.isin(number, drawn))
    if cut:
        if np.all(grid.types == LINE):
            raise PlotError(f"{grid.path}: --slice is for 3-D, and these walls are lines")
        cut_cells, middles = cut_faces(grid, *cut)
        keep = np.isin(cut_cells, faces)
        centres, faces = centres.copy(), cut_cells[keep]
        centres[faces] = middles[keep]
    shown = np.concatenate([grid.connectivity[grid.starts[faces] + k] for k in range(min(NODES[t] for t in np.unique(grid.types)))])
    low, high = grid.points[shown, 0].min(), grid.points[shown, 0].max()
    low = round(low, 9 - int(np.floor(np.log10(high - low)))) if high > low else low
    chord = bool(set(names.values()) & set(bodies)) and high > low
    x = (centres[:, 0] - low) / (high - low) if chord else centres[:, 0]
    figure, axes = plt.subplots(figsize=size, dpi=DPI, constrained_layout=True)
    if np.all(grid.types == LINE):
        points = grid.merged_points()
        for colour, z in enumerate(drawn):
            mine = np.flatnonzero(number == z)
            segments = points[grid.connectivity[grid.starts[mine][:, None] + np.arange(2)]]
            for k, line in enumerate(chains([tuple(s) for s in segments])):
                line = mine[line]
                axes.plot(x[line], values[line], ".-", markersize=3, linewidth=1, color=f"C{colour % 10}", label=names[z] if k == 0 else None)
    elif cut:
        for z in drawn:
            mine = faces[number[faces] == z]
            axes.plot(x[mine], values[mine], ".", markersize=4, label=names[z])
    else:
        k = across(grid.points[shown])
        dots = axes.scatter(x[faces], values[faces], c=centres[faces, k], s=4, cmap="viridis", rasterized=True)
        figure.colorbar(dots, label="xyz"[k])
    axes.set_xlabel(f"x / c, c = {high - low:.4g} from x = {low:.4g}" if chord else "x")
    axes.set_ylabel(label(what))
    bottom, top = limits(values[faces], None)
    room = 0.05 * (top - bottom)
    axes.set_ylim(*((top + room, bottom - room) if chord and what == "cp" else (bottom - room, top + room)))
    axes.grid(alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize="small")
    axes.set_title(title(grid, what, cut) + " on " + ", ".join(names[z] for z in drawn))
    return figure
