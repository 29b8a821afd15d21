"""Pictures of fields: colours, iso-lines, streamlines, profiles. Each function returns a figure."""
import warnings
from argparse import Namespace

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import FuncNorm, ListedColormap, Normalize
from matplotlib.tri import Triangulation

from .drawing import cut_outline, drawing_of, outline
from .errors import PlotError
from .names import axis_label, label
from .output import say
from .style import CM, DPI, WIDTH, with_plain_labels

BESIDE = 0.05  # margin relative to the picture in which streamlines are followed: longer than their steps, a thirtieth
LATTICE = 300  # points across, on which streamlines are followed
UNIFORM = 1e-9  # relative to the largest value: smaller ranges are rounding errors
BROKEN = "#e0007a"  # cells without a finite value
SIGNED = ("vorticity", "error_")  # beginnings of the names of quantities about zero
SCHLIEREN_CONTRAST = 15  # k of exp(-k |grad density| / max): D. W. Banks, W. D. Henshaw, J. Comput. Phys. 2009


def choices(**changes):
    """Returns the options of `weft plot` that pictures look at, as they are by default."""
    return Namespace(**{"slice": None, "window": None, "range": None, "levels": None, "lines": 0, "streamlines": None, "mesh": False,
                        "colours": None, "shading": "cells", "size": (WIDTH, None), "dpi": DPI["png"], "title": None} | changes)


def title(grid, name, cut, options):
    if options.title is not None:
        return options.title
    parts = [label(name)[:1].upper() + label(name)[1:]]
    if grid.time is not None and not grid.case.get("numerics", {}).get("local_time_step"):
        parts.append(f"t = {grid.time:.6g}" + (" s" if grid.si else ""))
    if grid.step is not None:
        parts.append(f"step {grid.step}")
    if cut:
        parts.append(f"{cut[0]} = {cut[1]:.4g}" + (" m" if grid.si else ""))
    return ", ".join(parts)


def save(figure, path, options):
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "constrained_layout not applied")  # a picture of a few millimetres
            with_plain_labels(figure).savefig(path, dpi=options.dpi, metadata={".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix))
    except (OSError, ValueError) as error:
        raise PlotError(f"{path}: cannot be written ({getattr(error, 'strerror', None) or error}); choose another place with --output, "
                        "or another --size") from None
    finally:
        plt.close(figure)
    say(path)


def sheet(options, height):
    """Returns a figure, as high as asked for or else as `height` (inches)."""
    return plt.figure(figsize=(options.size[0], options.size[1] or height), constrained_layout=True)


def canvas(low, high, words, options):
    """Returns a figure and axes for the box from low to high, in one scale for both directions. words: of the two axes."""
    width, height = np.maximum(high - low, 1e-12 * max(1.0, np.abs(high).max()))
    across, beside, above = options.size[0], min(3.6 * CM, 0.45 * options.size[0]), 1.9 * CM  # including axes and colour bar
    up = (across - beside) * height / width
    most = 0.8 * across
    if up > most and options.size[1] is None:
        across, up = max(most * width / height + beside, 0.5 * across), most
    figure = plt.figure(figsize=(across, options.size[1] or max(up, 1.2 * CM) + above), constrained_layout=True)
    axes = figure.add_subplot()
    axes.set_aspect("equal")
    axes.set_facecolor("0.85")  # bodies are grey
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.set_xlabel(words[0])
    axes.set_ylabel(words[1])
    if height < 0.12 * width:
        axes.locator_params(axis="y", nbins=2)
    return figure, axes


def field_canvas(grid, drawing, options):
    low, high = drawing.box()
    if options.window:
        low, high = np.array([options.window[0], options.window[2]]), np.array([options.window[1], options.window[3]])
    return canvas(low, high, [axis_label(axis, grid.si) for axis in drawing.axes], options)


def limits(values, given):
    """Returns the range of the colours. It has a width where all values are the same, too."""
    good = values[np.isfinite(values)]
    if len(good) == 0:
        raise PlotError("the field has no finite value here; draw an earlier step with --step, or another part with --window")
    low, high = given or (good.min(), good.max())
    size = max(abs(low), abs(high))
    return (low, high) if high - low > UNIFORM * size else (low - 0.1 * (size or 1), high + 0.1 * (size or 1))


def visible(drawing, window):
    """Returns the values of the polygons that a window shows."""
    if not window:
        return drawing.all_values()
    shown = []
    for polygons, values in zip(drawing.polygons, drawing.values):
        low, high = polygons.min(axis=1), polygons.max(axis=1)
        inside = (high[:, 0] >= window[0]) & (low[:, 0] <= window[1]) & (high[:, 1] >= window[2]) & (low[:, 1] <= window[3])
        shown.append(values[inside])
    shown = np.concatenate(shown)
    if len(shown) == 0:
        raise PlotError(f"--window {','.join(f'{edge:g}' for edge in window)} shows no cell; --whole shows all of them")
    return shown


def colouring(name, low, high, options):
    """Returns the colour map of a quantity and how its values fall on it."""
    if name == "schlieren":
        scale = SCHLIEREN_CONTRAST / high

        def darkness(size):
            return 1 - np.exp(-scale * np.clip(size, 0, None))

        def size(darkness):
            return -np.log(np.clip(1 - darkness, 1e-12, 1)) / scale
        return options.colours or "gray_r", FuncNorm((darkness, size), low, high)
    if name.startswith(SIGNED) and low < 0 < high:
        largest = max(-low, high) if options.range is None else 0
        return options.colours or "coolwarm", Normalize(-largest or low, largest or high)
    return options.colours or ("viridis_r" if name == "cp" else "viridis"), Normalize(low, high)


def add_cells(axes, drawing, colours, norm, options):
    """Draws every cell in the colour of its value, or in colours that change smoothly between points, or in white, as pixels: what a
    million polygons cost in time and memory, a screen need not pay."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    spacing = max(right - left, top - bottom) / (max(options.size[0] - 3.6 * CM, 0.5 * options.size[0]) * options.dpi)
    x, y = (start + (np.arange(max(round((end - start) / spacing), 1)) + 0.5) * spacing for start, end in ((left, right), (bottom, top)))
    extent = (left, x[-1] + spacing / 2, bottom, y[-1] + spacing / 2)
    polygons = drawing.polygons_at(x, y)
    values = np.where(polygons < 0, np.nan, drawing.all_values()[polygons])
    broken = (polygons >= 0) & ~np.isfinite(values)
    if options.shading == "smooth":
        smooth = drawing.sample(x, y)
        values = np.where(broken | ~np.isfinite(smooth), values, smooth)
    if options.shading == "none":  # the domain in white
        values, colours, norm = np.where(polygons < 0, np.nan, 0), ListedColormap(["white"]), None
    image = axes.imshow(np.ma.masked_invalid(values), extent=extent, origin="lower", interpolation="none", cmap=colours, norm=norm)
    if broken.any():
        axes.imshow(np.ma.masked_equal(broken.astype(float), 0), extent=extent, origin="lower", interpolation="none",
                    cmap=ListedColormap([BROKEN]), vmin=0, vmax=1)
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    return image


def add_edges(axes, drawing):
    for polygons in drawing.polygons:
        edges = PolyCollection(polygons, facecolors="none", edgecolors="black", linewidths=0.15, rasterized=True)
        axes.add_collection(edges, autolim=False)


def add_outline(axes, grid, cut):
    """Draws the edges of a flat grid, or the lines in which a plane cuts the boundary of another, where its file is there."""
    if cut and grid.boundary is None:
        return
    lines = cut_outline(grid.boundary, *cut) if cut else outline(grid)
    axes.add_collection(LineCollection(lines, colors="black", linewidths=0.6, capstyle="round"), autolim=False)


def add_colour_bar(figure, axes, cells, name, si):
    width = min(0.018, 0.25 * CM / figure.get_figwidth() * 1.6)
    bar = figure.colorbar(cells, cax=axes.inset_axes([1.015, 0, width, 1]), label=axis_label(name, si))
    if isinstance(cells.norm, FuncNorm):  # a nonlinear scale: round values with enough distance
        decades = np.floor(np.log10(cells.norm.vmax)) + np.arange(-4, 1)
        ticks = [max(cells.norm.vmin, 0)]
        for tick in np.sort(np.outer(10.0**decades, (1, 2, 5)).ravel()):
            if tick <= cells.norm.vmax and cells.norm(tick) - cells.norm(ticks[-1]) > 0.13:
                ticks.append(tick)
        bar.set_ticks(ticks, labels=[f"{tick:.4g}" for tick in ticks], minor=False)
        bar.minorticks_off()


def add_iso_lines(axes, drawing, low, high, options):
    """Draws lines at options.levels, with their values, or at options.lines values between low and high. Returns the levels."""
    values = drawing.corner_values()
    levels = options.levels if options.levels is not None else list(np.linspace(low, high, options.lines + 2)[1:-1])
    triangles = drawing.triangles[np.isfinite(values[drawing.triangles]).all(axis=1)]
    if len(triangles) == 0:
        return levels
    used, compact = np.unique(triangles, return_inverse=True)
    mesh = Triangulation(drawing.corners[used, 0], drawing.corners[used, 1], compact.reshape(-1, 3))
    inside = [level for level in levels if values[used].min() < level < values[used].max()]  # matplotlib warns of others
    if inside:
        lines = axes.tricontour(mesh, values[used], levels=inside, colors="black", linewidths=0.45)
        if options.levels is not None:
            axes.clabel(lines, fontsize=6)
    return levels


def add_streamlines(axes, grid, drawing, options):
    """Draws lines along the velocity; in a slice along its part in the plane."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    # matplotlib goes straight to the end of the lattice where a step would leave it, through places without a velocity, too. Beyond
    # the picture no step is that long, so lines end where the velocity does, or are cut off by the frame.
    room = BESIDE * max(right - left, top - bottom)
    spacing = max(right - left, top - bottom) / LATTICE
    x, y = (np.linspace(start - room, end + room, max(int((end - start + 2 * room) / spacing), 10))
            for start, end in ((left, right), (bottom, top)))
    parts = [drawing_of(grid, grid.field(f"velocity_{axis}"), options.slice)[0].sample(x, y) for axis in drawing.axes]
    u, v = (np.ma.masked_invalid(part) for part in parts)
    if (u.mask & v.mask).all():
        raise PlotError(f"{grid.path}: has no velocity where the streamlines would be; choose another --window")
    colour = "white" if options.shading != "none" else "0.3"
    axes.streamplot(x, y, u, v, density=options.streamlines, color=colour, linewidth=0.5, arrowsize=0.6)
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)


def add_layers(figure, axes, grid, name, bounds, options):
    """Draws all that the options ask for. Returns the image of the cells and the title."""
    drawing, cut = drawing_of(grid, grid.field(name), options.slice)
    low, high = bounds
    colours, norm = colouring(name, low, high, options)
    cells, words = add_cells(axes, drawing, colours, norm, options), title(grid, name, cut, options)
    if options.mesh:
        add_edges(axes, drawing)
    if options.levels is not None or options.lines:
        levels = add_iso_lines(axes, drawing, low, high, options)
        if options.title is None:
            few = f"at {', '.join(f'{level:.4g}' for level in levels)}"
            which = few if len(levels) < 6 else f"from {levels[0]:.4g} to {levels[-1]:.4g}"
            words += f", {len(levels)} iso-line{'s' if len(levels) > 1 else ''} {which}"
    if options.streamlines is not None:
        add_streamlines(axes, grid, drawing, options)
    add_outline(axes, grid, cut)
    values = drawing.all_values()
    broken = int((~np.isfinite(values)).sum())
    if not broken and np.ptp(values) <= UNIFORM * abs(values).max() and options.title is None:
        words += f", {values[0]:.6g} everywhere"
    if broken:
        words += f", {broken} cell{'s' if broken > 1 else ''} without a finite value"
    return cells, words


def field(grid, name, options):
    """Draws one field in a plane, with all that the options ask for."""
    drawing, _ = drawing_of(grid, grid.field(name), options.slice)
    bounds = limits(visible(drawing, options.window), options.range)
    figure, axes = field_canvas(grid, drawing, options)
    cells, words = add_layers(figure, axes, grid, name, bounds, options)
    if options.shading != "none":
        add_colour_bar(figure, axes, cells, name, grid.si)
    axes.set_title(words)
    return figure


def profile(grid, name, axis, options):
    """Draws the values of all cells over a coordinate, with the exact solution where the file holds it."""
    figure = sheet(options, 0.6 * options.size[0])
    axes = figure.add_subplot()
    x, values = grid.centres()[:, "xyz".index(axis)], grid.field(name)
    bounds = limits(values, options.range)
    order = np.argsort(x, kind="stable")
    line = grid.line_axis() == axis
    ink = matplotlib.rcParams["text.color"]
    if grid.has(f"exact_{name}"):
        axes.plot(x[order], grid.field(f"exact_{name}")[order], "-" if line else ".", color=ink, linewidth=0.9,
                  markersize=2, label="exact")
    axes.plot(x[order], values[order], "o" if line else ".", markersize=3, markerfacecolor="none" if line else None, markeredgewidth=0.7,
              color="C0", label="computed", rasterized=len(x) > 20000)
    if axes.get_legend_handles_labels()[1] != ["computed"]:
        axes.legend(frameon=False)
    if options.range or np.ptp(values[np.isfinite(values)]) <= UNIFORM * max(map(abs, bounds)):
        axes.set_ylim(*bounds)
    axes.set_xlabel(axis_label(axis, grid.si))
    axes.set_ylabel(axis_label(name, grid.si))
    axes.grid(alpha=0.3, linewidth=0.4)
    axes.set_title(title(grid, name, None, options))
    return figure
