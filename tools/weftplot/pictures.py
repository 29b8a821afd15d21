"""Pictures of fields: filled, iso-lines, streamlines, profiles. Each function returns a figure."""
from argparse import Namespace

import numpy as np
import matplotlib.pyplot as plt
from matplotlib.collections import PolyCollection
from matplotlib.colors import ListedColormap
from matplotlib.tri import Triangulation

from .drawing import drawing_of
from .errors import PlotError

DPI = 120
WIDTH = 12.0  # inches, of a picture that stands alone
PIXELS = 160  # an inch, of fields
LATTICE = 300  # points across, on which streamlines are followed


WORDS = {"mach": "Mach number", "cp": "Cp", "cd": "Cd", "cl": "Cl"}


def label(name):
    """A name as people write it: airfoil_cd is airfoil Cd."""
    return " ".join(WORDS.get(word, word) for word in name.split("_"))


def title(grid, name, cut):
    parts = [label(name)]
    if grid.time is not None:
        parts.append(f"t = {grid.time:.6g}")
    if grid.step is not None:
        parts.append(f"step {grid.step}")
    if cut:
        parts.append(f"{cut[0]} = {cut[1]:g}")
    return ", ".join(parts)


def save(figure, path):
    try:
        figure.savefig(path)
    except OSError as error:
        raise PlotError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        plt.close(figure)
    print(path)


def canvas(drawing, window, width_inches=WIDTH):
    low, high = drawing.box()
    if window:
        low, high = np.array([window[0], window[2]]), np.array([window[1], window[3]])
    width, height = np.maximum(high - low, 1e-12 * max(1.0, np.abs(high).max()))
    most = 0.75 * width_inches  # of the height
    across = width_inches if width >= height else float(np.clip(most * width / height, width_inches / 3, width_inches))
    up = float(np.clip((across - 1.6) * height / width, 1.2, most))
    figure, axes = plt.subplots(figsize=(across, up + 1.1), dpi=DPI, constrained_layout=True)
    axes.set_aspect("equal")
    axes.set_facecolor("0.8")  # bodies are grey
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.set_xlabel(drawing.axes[0])
    axes.set_ylabel(drawing.axes[1])
    return figure, axes


def limits(values, given):
    good = values[np.isfinite(values)]
    if len(good) == 0:
        raise PlotError("the field has no finite value")
    low, high = given or (good.min(), good.max())
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def visible(drawing, window):
    """Values of the polygons that a window shows."""
    if not window:
        return np.concatenate(drawing.values)
    shown = []
    for polygons, values in zip(drawing.polygons, drawing.values):
        low, high = polygons.min(axis=1), polygons.max(axis=1)
        inside = (high[:, 0] >= window[0]) & (low[:, 0] <= window[1]) & (high[:, 1] >= window[2]) & (low[:, 1] <= window[3])
        shown.append(values[inside])
    shown = np.concatenate(shown)
    if len(shown) == 0:
        raise PlotError(f"--window {window[0]:g}:{window[1]:g},{window[2]:g}:{window[3]:g} shows no cell")
    return shown


def add_cells(axes, drawing, low, high, options):
    """Every cell in the colour of its value, as pixels: what a million polygons cost in time and memory, a screen need not pay."""
    left, right, bottom, top = *axes.get_xlim(), *axes.get_ylim()
    spacing = max(right - left, top - bottom) / (options.width * PIXELS)
    x, y = (start + (np.arange(max(round((end - start) / spacing), 1)) + 0.5) * spacing for start, end in ((left, right), (bottom, top)))
    image = axes.imshow(drawing.pixels(x, y), extent=(left, x[-1] + spacing / 2, bottom, y[-1] + spacing / 2), origin="lower",
                        interpolation="nearest", cmap=options.colours, vmin=low, vmax=high)
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    if options.mesh:
        for polygons in drawing.polygons:
            axes.add_collection(PolyCollection(polygons, facecolors="none", edgecolors="black", linewidths=0.2, rasterized=True), autolim=False)
    return image


def add_colour_bar(figure, axes, cells, name):
    figure.colorbar(cells, cax=axes.inset_axes([1.015, 0, 0.018, 1]), label=label(name))


def filled(grid, name, options):
    drawing, cut = drawing_of(grid, grid.field(name), options.slice)
    low, high = limits(visible(drawing, options.window), options.range)
    figure, axes = canvas(drawing, options.window, options.width)
    add_colour_bar(figure, axes, add_cells(axes, drawing, low, high, options), name)
    axes.set_title(title(grid, name, cut))
    return figure


def iso_lines(grid, name, options):
    """Lines at options.levels, with their values, or at options.contours values between the extremes."""
    drawing, cut = drawing_of(grid, grid.field(name), options.slice)
    values = drawing.corner_values()
    levels = options.levels
    if levels is None:
        low, high = limits(values[drawing.triangles.ravel()], options.range)
        levels = np.linspace(low, high, options.contours + 2)[1:-1]
    figure, axes = canvas(drawing, options.window, options.width)
    triangles = drawing.triangles[np.isfinite(values[drawing.triangles]).all(axis=1)]
    used, compact = np.unique(triangles, return_inverse=True)
    mesh = Triangulation(drawing.corners[used, 0], drawing.corners[used, 1], compact.reshape(-1, 3))
    add_cells(axes, drawing, -1, 0, Namespace(width=options.width, mesh=False, colours=ListedColormap(["white"])))
    inside = [level for level in levels if values[used].min() < level < values[used].max()]  # matplotlib warns of others
    if inside:
        lines = axes.tricontour(mesh, values[used], levels=inside, colors="black", linewidths=0.6)
        if options.levels is not None:
            axes.clabel(lines, fontsize="small")
    which = f"at {', '.join(f'{level:.4g}' for level in levels)}" if len(levels) < 6 else f"from {levels[0]:.4g} to {levels[-1]:.4g}"
    axes.set_title(f"{title(grid, name, cut)}, {len(levels)} iso-line{'s' if len(levels) > 1 else ''} {which}")
    return figure


def streamlines(grid, name, options):
    """Lines along the velocity, in a slice along its part in the plane, over the colours of the field."""
    drawing, cut = drawing_of(grid, grid.field(name), options.slice)
    low, high = limits(visible(drawing, options.window), options.range)
    figure, axes = canvas(drawing, options.window, options.width)
    add_colour_bar(figure, axes, add_cells(axes, drawing, low, high, options), name)
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    spacing = max(right - left, top - bottom) / LATTICE
    x, y = (np.linspace(start, end, max(int((end - start) / spacing), 10)) for start, end in ((left, right), (bottom, top)))
    parts = [drawing_of(grid, grid.field(f"velocity_{axis}"), options.slice)[0].sample(x, y) for axis in drawing.axes]
    u, v = (np.ma.masked_invalid(part) for part in parts)
    if (u.mask & v.mask).all():
        raise PlotError(f"{grid.path}: no velocity where the streamlines would be")
    density = options.streamlines if options.streamlines else 1.0
    axes.streamplot(x, y, u, v, density=density, color="white", linewidth=0.7, arrowsize=0.8)
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    axes.set_title(f"{title(grid, name, cut)}, streamlines")
    return figure


def profile(grid, name, options):
    figure, axes = plt.subplots(figsize=(options.width, 0.6 * options.width), dpi=DPI, constrained_layout=True)
    x, values = grid.centres()[:, "xyz".index(options.profile)], grid.field(name)
    order = np.argsort(x, kind="stable")
    axes.plot(x[order], values[order], ".", markersize=3)
    axes.set_xlabel(options.profile)
    axes.set_ylabel(label(name))
    axes.grid(alpha=0.3)
    axes.set_title(f"{title(grid, name, None)} along {options.profile}")
    return figure
