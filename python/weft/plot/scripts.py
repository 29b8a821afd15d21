"""The functions of weft.plot: pictures of a results folder or of a Simulation in memory, for scripts and notebooks."""
import inspect
import os
import sys
from functools import wraps
from pathlib import Path

import matplotlib

from . import histories, kernel_rates, moving, pictures, view, walls
from .errors import PlotError
from .grid import Grid
from .histories import History
from .in_memory import RunInMemory
from .run_folder import RunFolder, grid_of, some_fields, step_of
from .style import STYLE


def _in_style(draw):
    """Decorates a function so that what it draws has the style of all pictures, and that of the caller is as it was; and that it
    draws a Simulation of several ranks on rank 0."""
    signature = inspect.signature(draw)

    @wraps(draw)
    def styled(*arguments, **options):
        given = signature.bind(*arguments, **options)
        first, run = next(iter(given.arguments.items()))

        def drawn(run):
            given.arguments[first] = run
            with matplotlib.rc_context(STYLE):
                return draw(*given.args, **given.kwargs)

        if not _is_simulation(run) or run.mesh.comm.size == 1:
            return drawn(run)
        given.apply_defaults()
        return _on_rank_0(run, drawn, _fields_of(run, draw, given.arguments))

    return styled


def _fields_of(sim, draw, arguments):
    """Returns the names of the fields of a Simulation that a picture by `draw` with these arguments needs."""
    name = arguments.get("name")
    names = [name, name.rpartition("_")[0]] if isinstance(name, str) else []
    if draw.__name__ == "streamlines" or (arguments.get("look") or {}).get("streamlines"):
        names.append("velocity")
    return [each for each in sim.fields if each in names]


def _on_rank_0(sim, work, names):
    """Returns work(simulation with the fields `names`) on rank 0, and None on the other ranks; all raise its PlotError. Collective."""
    from .. import _weft
    from .gathered import gather

    whole = gather(sim, names)
    result, error = None, None
    if whole is not None:
        try:
            result = work(whole)
        except Exception as failure:  # noqa: BLE001 (raised below)
            error = failure
    text = _weft.broadcast_text(sim.mesh.comm, f"{type(error).__name__}:{error}" if error else "", 0)
    if error is not None:
        raise error
    if text:
        kind, _, problem = text.partition(":")
        raise (TypeError if kind == "TypeError" else PlotError)(problem)
    return result


def _is_simulation(run):
    flow, gathered = sys.modules.get("weft.flow"), sys.modules.get("weft.plot.gathered")
    in_memory = flow is not None and isinstance(run, flow.Simulation)
    return in_memory or (gathered is not None and isinstance(run, gathered.GatheredSimulation))


def _path(run):
    """Returns the path of results."""
    if not isinstance(run, (str, os.PathLike)):
        raise TypeError(f"run must be the path of a results folder or a weft.flow.Simulation, not {type(run).__name__}")
    path = Path(run)
    if not path.exists():
        raise PlotError(f"{path}: there is no such file or folder; give the results folder of a run")
    return path


def _open(run, step=None):
    """Returns (Run, Grid of the fields) of what a user passes."""
    if _is_simulation(run):
        if step is not None:
            raise PlotError("step is for results folders; a Simulation has its present fields only")
        run = RunInMemory(run)
        return run, run.grid()
    path = _path(run)
    if path.is_dir():
        folder = RunFolder(path)
        some_fields(folder, step)
        grid = grid_of(folder, step)
        if grid is None:
            raise PlotError(f"{path}: has no fields yet; wait for the run's first")
        return folder, grid
    if step is not None:
        raise PlotError(f"{path}: step is for results folders, and this is a file")
    return RunFolder(path.parent), Grid(path)


def _choices(figsize=None, **look):
    """Returns the options of a picture from keyword arguments; raises TypeError for others."""
    known = vars(pictures.choices())
    for name in look:
        if name not in known or name in ("size", "dpi"):
            raise TypeError(f"there is no option {name!r}; weft.plot.field lists them")
    if look.get("levels") is not None:
        look["levels"] = sorted({float(level) for level in look["levels"]})
    if isinstance(figsize, (int, float)):
        figsize = (figsize, None)
    return pictures.choices(**look, whole=False, **({"size": tuple(figsize)} if figsize else {}))


def _draw(run, name, step, cut, whole, look):
    where, grid = _open(run, step)
    options = _choices(slice=cut, **look)
    options.whole = whole
    if cut is not None and grid.flat:
        raise PlotError(f"{grid.path}: this mesh is one of 2-D and has no slices; use weft.plot.field")
    view.choose(where, grid, options)
    return pictures.field(grid, name, options).axes[0]


@_in_style
def field(run, name="density", *, step=None, whole=False, **look):
    """Draws a field of a 2-D mesh, or of a 3-D mesh in the plane that `weft plot` would choose; of a mesh of one row of cells the
    values along it.

    run: path of a results folder or of a field file, or a weft.flow.Simulation; one of several ranks is gathered and drawn on rank
        0, collective, and other ranks get None
    name: the field, in SI units where the case has a gas constant; velocity is its length, velocity_x a component; schlieren and
        error_NAME are computed
    step: of the folder; None: the last that can be read
    whole: draws everything, however small the bodies are in it

    The other keyword arguments say how, as the options of `weft plot`:

    window: (left, right, bottom, top), m
    range: (low, high), of the colours
    levels: values with iso-lines; lines: number of evenly spaced ones
    streamlines: density of streamlines over the colours, 1 is usual
    mesh: True draws the edges of the cells
    shading: "cells", "smooth" or "none"
    colours: name of a matplotlib colour map
    title: text above the picture; "" for none
    figsize: width, or width and height, of the figure, inches

    Returns the matplotlib Axes; its `figure` is the picture.

        >>> sim = weft.flow.Simulation("cases/wedge.toml", mesh={"nx": 24, "ny": 12})
        >>> reason = sim.run(steps=20)
        >>> axes = weft.plot.field(sim, "mach", levels=[1.9])
        >>> axes.figure.savefig("mach.png")

    Raises PlotError where there is nothing to draw, a file is broken or the field is unknown; TypeError for wrong arguments.
    """
    where, grid = _open(run, step)
    axis = grid.line_axis()
    if axis is not None:
        return pictures.profile(grid, name, axis, _choices(**look)).axes[0]
    return _draw(run, name, step, None, whole, look)


@_in_style
def profile(run, name="density", axis="x", *, step=None, **look):
    """Draws the values of all cells over a coordinate, with the exact solution where the results contain it.

    run, name, step, other keyword arguments: as of field
    axis: "x", "y" or "z", m

    Returns the matplotlib Axes. Raises as field.
    """
    _axis(axis)
    return pictures.profile(_open(run, step)[1], name, axis, _choices(**look)).axes[0]


@_in_style
def slice(run, name="density", axis="z", at=None, *, step=None, whole=False, **look):  # noqa: A001
    """Draws a field in a plane of a 3-D mesh.

    run, name, step, whole, other keyword arguments: as of field
    axis, at: the plane, such as "z" and 0.5, m; at=None: through the middle of the mesh

    Returns the matplotlib Axes. Raises PlotError also where the plane misses the mesh or the mesh is one of 2-D.
    """
    k = _axis(axis)
    if at is None:
        points = _open(run, step)[1].points[:, k]
        at = 0.5 * (points.min() + points.max())
    return _draw(run, name, step, (axis, float(at)), whole, look)


@_in_style
def contours(run, name="density", lines=20, *, step=None, whole=False, levels=None, **look):
    """Draws iso-lines of a field on white.

    run, name, step, whole, other keyword arguments: as of field
    lines: number of evenly spaced ones; levels: their values instead

    Returns the matplotlib Axes. Raises as field.
    """
    return _draw(run, name, step, None, whole, {"shading": "none", "lines": 0 if levels is not None else lines, "levels": levels, **look})


@_in_style
def streamlines(run, name="mach", density=1.0, *, step=None, whole=False, **look):
    """Draws lines along the velocity over the colours of a field.

    run, name, step, whole, other keyword arguments: as of field
    density: 2 draws them twice as dense

    Returns the matplotlib Axes. Raises as field.
    """
    return _draw(run, name, step, None, whole, {"streamlines": density, **look})


@_in_style
def surface(run, *, step=None, **look):
    """Draws the walls of a 3-D mesh as seen from either side, in the colours of Cp, or of pressure (Pa) without a free stream.

    run, step, range, colours, title, figsize: see field

    Returns a list of matplotlib Axes, one for each side. Raises PlotError also where the mesh is one of 2-D or has no walls.
    """
    where, grid = _walls(run, step)
    if not grid.flat:
        raise PlotError(f"{grid.path}: the walls of this mesh are lines; use weft.plot.cp")
    return walls.seen(grid, where.zones(), where.bodies(), _choices(**look)).axes[:-1]


@_in_style
def cp(run, at=None, *, step=None, **look):
    """Draws Cp, or pressure (Pa) without a free stream, along the walls: over x/c, Cp upward negative, where the case has forces
    on them.

    run, step, range, title, figsize: see field
    at: (axis, position) of a plane through the walls of a 3-D mesh, such as ("z", 0.5), m; None: all faces

    Returns the matplotlib Axes.

        >>> sim = weft.flow.Simulation("cases/naca0012.toml", mesh={"around": 48, "radial": 16})
        >>> reason = sim.run(steps=20)
        >>> weft.plot.cp(sim).get_ylabel()
        'Cp'

    Raises PlotError where there are no walls or the plane misses them.
    """
    where, grid = _walls(run, step)
    if at is not None:
        _axis(at[0])
    return walls.pressure(grid, where.zones(), where.bodies(), at, _choices(**look)).axes[0]


@_in_style
def residuals(run, **look):
    """Draws the history of the residuals over the steps.

    run: path of a results folder or of its residuals.csv, or a weft.flow.Simulation; title, figsize: as of field

    Returns the matplotlib Axes. Raises PlotError where there is no history yet.
    """
    return histories.history(_history(run, "residuals"), _choices(**look)).axes[0]


@_in_style
def forces(run, **look):
    """Draws the history of the forces over the steps: of a Simulation the coefficients of lift, drag and moment, of a folder all
    columns of its forces.csv, N and N m where the case has units.

    run: path of a results folder or of its forces.csv, or a weft.flow.Simulation; title, figsize: as of field

    Returns a list of matplotlib Axes, one for each quantity. Raises PlotError where there is no history yet.
    """
    return [axes for axes in histories.history(_history(run, "forces"), _choices(**look)).axes if axes.get_visible()]


@_in_style
def kernels(results, **look):
    """Draws measurements of kernels: their rates below the roofline of a copy, and their shares of the rate of the copy.

    results: path of a file of `weft bench kernels --json FILE`, or the document of weft.bench.kernels(); title, figsize: as of field

    Returns a list of two matplotlib Axes. Raises PlotError where the file is none of these.
    """
    document = kernel_rates.read_results(results if isinstance(results, dict) else _path(results))
    return kernel_rates.draw(document, _choices(**look)).axes


@_in_style
def animation(folder, name="density", path=None, *, fps=10.0, dpi=100, whole=False, **look):
    """Draws a field of all steps of a results folder into one moving picture.

    folder: path of a results folder
    name, whole, other keyword arguments: as of field
    path: the file, .gif or, where ffmpeg is installed, .mp4; None: fields_NAME.gif in the folder
    fps: pictures per second; dpi: pixels per inch

    Returns the path. Raises PlotError also where the folder has the fields of one step only.
    """
    if _is_simulation(folder):
        raise PlotError("an animation needs the fields of several steps; write them with weft.flow.run and pass the folder")
    source = _path(folder)
    if not source.is_dir():
        raise PlotError(f"{source}: is a file; give the results folder of a run")
    path = source / f"fields_{name}.gif" if path is None else Path(path)
    if path.suffix[1:] not in moving.WRITERS:
        raise PlotError(f"{path}: moving pictures are .gif and .mp4 files; end the name in one of these")
    where, grid = _open(source)
    options = _choices(**look)
    options.whole, options.fps, options.dpi = whole, fps, dpi
    view.choose(where, grid, options)
    moving.animate([where.fields[step] for step in sorted(where.fields)], name, path, options)
    return path


def _axis(axis):
    """Returns the number of an axis."""
    if axis not in ("x", "y", "z"):
        raise PlotError(f'axis must be "x", "y" or "z", not {axis!r}')
    return "xyz".index(axis)


def _walls(run, step):
    """Returns (Run, Grid of the walls)."""
    if _is_simulation(run):
        where = _open(run, step)[0]
        grid = where.wall_grid()
    else:
        path = _path(run)
        if path.is_dir():
            where = RunFolder(path)
            grid = Grid(where.walls[step]) if step in where.walls else where.wall_grid() if step is None else None
        else:
            where = RunFolder(path.parent)
            grid = Grid(path) if step_of(path, "walls") is not None else None
    if grid is None or "zone" not in grid.fields:
        raise PlotError(f"{grid.path if grid else run}: has no walls" + (f" of step {step}" if step is not None else "")
                        + "; a case has them where a boundary is a slip_wall")
    return where, grid


def _history(run, name):
    """Returns the History of the residuals or forces."""
    if _is_simulation(run):
        return RunInMemory(run).history(name)
    path = _path(run)
    return History(path / f"{name}.csv" if path.is_dir() else path, RunFolder(path if path.is_dir() else path.parent).si)
