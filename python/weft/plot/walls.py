"""Pressure along the walls, of the walls_<step>.hdf of a run."""
import numpy as np
from matplotlib.collections import PolyCollection

from .errors import PlotError
from .names import axis_label
from .pictures import limits, sheet, title
from .shapes import LINE
from .style import CM


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
    """Returns the faces that the plane axis = position cuts, the middle of each cut (n x 3), and its least and greatest x (n x 2)."""
    k = "xyz".index(axis)
    faces, middles, ends = [], [], []
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
        x = np.where(crossing, points[..., 0], np.nan)[cut]
        ends.append(np.stack([np.nanmin(x, axis=1), np.nanmax(x, axis=1)], axis=1) if len(x) else np.empty((0, 2)))
        faces.append(cells[cut])
    faces = np.concatenate(faces)
    if len(faces) == 0:
        low, high = grid.points[:, k].min(), grid.points[:, k].max()
        raise WallsMissed(f"--slice {axis}={position:g} misses the walls, which go from {low:g} to {high:g}")
    return faces, np.concatenate(middles), np.concatenate(ends)


def across(points):
    """Number of the axis along which walls in 3-D extend, in addition to x: the span of a wing."""
    extent = np.ptp(points, axis=0)
    return 2 if extent[2] >= extent[1] else 1


def drawn_zones(grid, zones, bodies):
    """{number: name} of the zones that are drawn: those of bodies, without any all."""
    names = {z: zones[z] if z < len(zones) else f"zone {z}" for z in np.unique(grid.fields["zone"].astype(int))}
    return {z: name for z, name in names.items() if name in bodies} or names


def what_of(grid):
    return "cp" if "cp" in grid.fields else "pressure"


def face_normals(grid):
    """Returns the normals of the faces, out of the gas and into the body (n x 3, of any length). Nodes are right-handed about them; a
    line in 2-D stands for the face that it spans with the third direction."""
    normals = np.empty((len(grid.types), 3))
    for vtk_type in np.unique(grid.types):
        cells, nodes = grid.nodes(vtk_type)
        points = grid.points[nodes]
        along = points[:, 1] - points[:, 0]
        normals[cells] = np.cross(along, [0, 0, 1]) if vtk_type == LINE else np.cross(along, points[:, 2] - points[:, 0])
    return normals


def seen(grid, zones, bodies, options):
    """Draws walls in 3-D as one sees them from either side: in the plane of x and the axis across, in the colours of Cp or pressure."""
    what = what_of(grid)
    mine = np.isin(grid.fields["zone"].astype(int), list(drawn_zones(grid, zones, bodies)))
    k = across(grid.points)
    depth = 3 - k  # the viewing direction
    values = grid.field(what)
    low, high = limits(values[mine], options.range)
    width = np.ptp(grid.points, axis=0)
    beside = width[k] > 0.5 * width[0]
    size = options.size[0]
    each = size / 2.4 if beside else size / 1.3
    normals = face_normals(grid)
    sides = [side for side in (1, -1) if (normals[mine, depth] * side < 0).any()] or [1]
    rows, columns = (1, len(sides)) if beside else (len(sides), 1)
    figure = sheet(options, rows * (min(each * width[k] / max(width[0], 1e-300), size) + 1.2 * CM) + 0.5 * CM)
    both = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for axes, side in zip(both, sides):
        for vtk_type in np.unique(grid.types):
            cells, nodes = grid.nodes(vtk_type)
            points = grid.points[nodes]
            facing = mine[cells] & (normals[cells, depth] * side < 0)
            order = np.argsort(points[facing][..., depth].mean(axis=1) * side)  # the nearest last
            faces = PolyCollection(points[facing][order][:, :, [0, k]], array=values[cells][facing][order],
                                   cmap=options.colours or ("viridis_r" if what == "cp" else "viridis"), edgecolors="none", antialiased=False,
                                   rasterized=True)
            faces.set_clim(low, high)
            axes.add_collection(faces)
        axes.autoscale_view()
        axes.set_aspect("equal")
        if axes is both[-1] or beside:
            axes.set_xlabel(axis_label("x", grid.si))
        if axes is both[0] or not beside:
            axes.set_ylabel(axis_label("xyz"[k], grid.si))
        axes.set_title(f"from {'+' if side > 0 else '-'}{'xyz'[depth]}")
    figure.colorbar(faces, ax=both, label=axis_label(what, grid.si), aspect=30)
    if options.title != "":
        figure.suptitle(title(grid, what, None, options))
    return figure


def critical_cp(grid):
    """Returns Cp where the flow is sonic, of a subsonic free stream; else None. The stream's state is that which Cp and pressure of two
    faces give. J. D. Anderson, Modern Compressible Flow, section 9.6."""
    if "cp" not in grid.fields or "gamma" not in grid.case.get("gas", {}):
        return None
    cp, pressure, gamma = grid.field("cp"), grid.field("pressure"), float(grid.case["gas"]["gamma"])
    good = np.flatnonzero(np.isfinite(cp) & np.isfinite(pressure))
    if len(good) == 0 or np.ptp(cp[good]) < 1e-9:
        return None
    one, other = good[cp[good].argmin()], good[cp[good].argmax()]
    dynamic = (pressure[other] - pressure[one]) / (cp[other] - cp[one])
    mach2 = 2 * dynamic / (gamma * (pressure[one] - cp[one] * dynamic))
    if not 0 < mach2 < 1:
        return None
    sonic = ((2 + (gamma - 1) * mach2) / (gamma + 1)) ** (gamma / (gamma - 1))
    return 2 / (gamma * mach2) * (sonic - 1)


def lines_of(grid, faces):
    """Returns lines of faces (numbers) of which each touches the next."""
    points = grid.merged_points
    segments = points[grid.connectivity[grid.starts[faces][:, None] + np.arange(2)]]
    return [faces[line] for line in chains([tuple(segment) for segment in segments])]


def up(grid):
    """Number of the axis that lift acts along: y in 2-D, else as the case says it, or across x and the span."""
    if np.all(grid.types == LINE):
        return 1
    axis = grid.case.get("free_stream", {}).get("lift_axis")
    return "xyz".index(axis) if axis in ("y", "z") else 3 - across(grid.points)


SIDES = (("upper side", "-", {"color": "C0", "markerfacecolor": "C0"}), ("lower side", "--", {"color": "C1", "markerfacecolor": "none"}))


def pressure(grid, zones, bodies, cut, options):
    """Draws Cp (pressure, where the case has no free stream) along x.

    zones: names of the mesh's boundary zones; bodies: names of those to draw along x/c, with Cp upward negative and the sides that
    face up and down apart; without any, all walls along x. In 3-D every face is a dot in the colour of its place across, or, with a
    cut (axis, position), the faces in it."""
    number = grid.fields["zone"].astype(int)
    names = drawn_zones(grid, zones, bodies)
    drawn, what = list(names), what_of(grid)
    values = grid.field(what)
    flat = bool(np.all(grid.types == LINE))
    centres, faces = grid.centres(), np.flatnonzero(np.isin(number, drawn))
    if cut:
        if flat:
            raise PlotError(f"{grid.path}: --slice is for 3-D, and these walls are lines")
        cut_cells, middles, ends = cut_faces(grid, *cut)
        keep = np.isin(cut_cells, faces)
        centres, faces = centres.copy(), cut_cells[keep]
        centres[faces] = middles[keep]
        if len(faces) == 0:
            raise WallsMissed(f"--slice {cut[0]}={cut[1]:g} misses the zones {', '.join(names.values())}; choose another position")
    bounds = limits(values[faces], options.range)
    shown = ends[keep] if cut else grid.points_of(np.isin(number, drawn))[:, 0]
    low, high = shown.min(), shown.max()
    low = round(low, 9 - int(np.floor(np.log10(high - low)))) if high > low else low
    chord = bool(set(names.values()) & set(bodies)) and high > low
    x = (centres[:, 0] - low) / (high - low) if chord else centres[:, 0]
    figure = sheet(options, 0.62 * options.size[0])
    axes = figure.add_subplot()
    style = {"markersize": 2.5, "linewidth": 0.9, "markeredgewidth": 0.6}
    if not flat and not cut:
        k = across(grid.points)
        dots = axes.scatter(x[faces], values[faces], c=centres[faces, k], s=2, cmap="viridis", rasterized=True)
        figure.colorbar(dots, label=axis_label("xyz"[k], grid.si))
    elif chord:
        above = face_normals(grid)[:, up(grid)] < 0  # out of the body, upwards
        for upper, (side, dash, colour) in zip((True, False), SIDES):
            for n, z in enumerate(drawn):
                mine = faces[(number[faces] == z) & (above[faces] == upper)]
                words = side if len(drawn) == 1 else f"{names[z]}, {side}"
                if len(drawn) > 1:
                    colour = colour | {"color": f"C{n % 10}", "markerfacecolor": f"C{n % 10}" if upper else "none"}
                for line in lines_of(grid, mine) if flat else [mine[np.argsort(x[mine])]]:
                    axes.plot(x[line], values[line], dash, marker="o", label=words, **colour, **style)
                    words = None
    else:
        for n, z in enumerate(drawn):
            mine, words = faces[number[faces] == z], names[z]
            for line in lines_of(grid, mine) if flat else [mine]:
                axes.plot(x[line], values[line], "-" if flat else "", marker="o", color=f"C{n % 10}", label=words, **style)
                words = None
    axes.set_xlabel(f"x / c, c = {high - low:.4g}{' m' if grid.si else ''} from x = {low:.4g}{' m' if grid.si else ''}" if chord else
                    axis_label("x", grid.si))
    axes.set_ylabel(axis_label(what, grid.si))
    critical = critical_cp(grid) if chord else None
    bottom, top = bounds
    if critical is not None and critical > bottom - 0.3 * (top - bottom):  # else all of the flow is far from sonic
        axes.axhline(critical, color="0.45", linewidth=0.8, linestyle=":", label=f"Cp* = {critical:.3f}".replace("-", "−"))
        bottom, top = min(bottom, critical), max(top, critical)
    room = 0.05 * (top - bottom)
    axes.set_ylim(*((top + room, bottom - room) if chord and what == "cp" else (bottom - room, top + room)))
    axes.grid(alpha=0.3, linewidth=0.4)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False)
    axes.set_title(title(grid, what, cut, options) + (" on " + ", ".join(names[z] for z in drawn) if options.title is None else ""))
    return figure
