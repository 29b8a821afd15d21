"""Sections of the page with pictures: fields, walls, histories. Each function adds to the page of a Report."""
import matplotlib.pyplot as plt
import numpy as np

from . import pictures, view, walls
from .errors import PlotError
from .histories import History, NoRows
from .names import label
from .page import options
from .quantities import OF_RUNS
from .words import capital, counted

CHART = (5.6, 3.4)
ISO_LINES = 20
NAMES = ("mach", "pressure", "density", "velocity")


def add_fields(report):
    files = report.folder.fields
    report.page.section("fields", "Fields")
    failed = [file for file in report.folder.files if file.name.startswith("fields_failed.") and file.suffix != ".png"]
    states = report.first_and_last(files)
    if not states and not failed:
        report.page.text("There are no fields yet." if not files else "None of the field files can be read.")
        return
    grid = states[-1][1] if states else None
    broken = report.read(failed[0]) if failed else None
    if grid is not None or broken is not None:
        view.choose(report.folder, grid or broken, report.view)
    if broken is not None:
        add_state(report, "Where it failed", broken, streamlines=False)
    if grid is None:
        return
    add_state(report, "Last state", grid, streamlines=True)
    if report.view.window:
        shown = NAMES[0] if NAMES[0] in grid.fields else sorted(grid.fields)[0]
        whole_mesh = options(slice=report.view.slice)
        report.page.pictures(report.drawn(lambda: pictures.field(grid, shown, whole_mesh), f"{label(shown)}, the whole mesh",
                                      f"{label(shown)} in the whole mesh at the last state"))
    if states[0][0] != states[-1][0]:
        add_state(report, "First state", states[0][1], streamlines=False)


def add_state(report, heading, grid, streamlines):
    when = [] if grid.step is None else [f"step {grid.step:,}"]
    if grid.time is not None and not report.folder.case.get("numerics", {}).get("local_time_step"):
        when.append(f"t = {grid.time:.6g}{' s' if grid.si else ''}")
    when = ", ".join(when)
    report.page.heading(f"{heading}: {when}")
    made, uniform, broken = [], [], []
    line = grid.line_axis()
    names = [name for name in (*NAMES, *report.folder.case.get("scalars", {}), *(OF_RUNS if streamlines else ())) if name in grid.fields]
    for name in names or sorted(grid.fields)[:3]:
        if line and grid.fields[name].ndim == 2:
            name = f"{name}_{line}"
        values = grid.field(name)
        good = values[np.isfinite(values)]
        if len(good) < len(values):
            broken.append(label(name))
        if len(good) == 0:
            continue
        if len(good) == len(values) and np.ptp(good) <= pictures.UNIFORM * max(abs(good).max(), 1e-300):
            uniform.append(f"{label(name)} = {good[0]:.6g}")
            continue
        what = f"{label(name)} from {good.min():.4g} to {good.max():.4g}"
        seen = f"{label(name)} at {when}, from {good.min():.4g} to {good.max():.4g} over the whole mesh"
        known = grid.has(f"exact_{name}")
        if line:
            words = ", with the exact solution" if known else ""
            made += report.drawn(lambda: pictures.profile(grid, name, line, options()), f"{what}, along {line}{words}", seen + words)
            continue
        if streamlines and not made and "velocity" in grid.fields:
            report.view.streamlines = 1.0
            made += report.drawn(lambda: pictures.field(grid, name, report.view), f"{what}, with streamlines", seen + ", with streamlines")
            report.view.streamlines = None
        else:
            made += report.drawn(lambda: pictures.field(grid, name, report.view), what, seen)
        if name == "density" and streamlines:
            lines = options(slice=report.view.slice, window=report.view.window, shading="none", lines=ISO_LINES)
            made += report.drawn(lambda: pictures.field(grid, name, lines), f"{ISO_LINES} iso-lines of density", f"iso-lines of density at {when}")
        if known and streamlines and name != "velocity":
            made += report.drawn(lambda: pictures.field(grid, f"error_{name}", report.view), f"{label(name)} less the exact solution",
                               f"difference of {label(name)} to the exact solution at {when}")
    report.page.pictures(made)
    if broken:
        cells = np.zeros(len(grid.types), bool)
        for name in grid.fields:
            cells |= ~np.isfinite(grid.field(name))
        report.notes.append(f"{grid.path}: {counted(int(cells.sum()), 'cell')} of {len(cells):,} without a finite {', '.join(broken)}")
    if uniform:
        report.page.text("The same everywhere: " + ", ".join(uniform) + ".", "soft")
    if not grid.flat and made:
        axis, position = report.view.slice
        report.page.text(f"Cut at {axis} = {position:.4g}; weft plot --slice draws others.", "soft")


def add_walls(report):
    states = report.first_and_last(report.folder.walls)
    if not states:
        return
    step, grid = states[-1]
    if "zone" not in grid.fields:
        report.notes.append(f"{grid.path}: has no field zone; it is not the walls file of a run")
        return
    what = "Cp" if "cp" in grid.fields else "Pressure"
    report.page.section("walls", f"{what} on the walls")
    made = report.drawn(lambda: walls.pressure(grid, report.folder.zones(), report.folder.bodies(), None, options()),
                      f"{what} along the walls at step {step:,}", f"{what} along x on the walls at step {step:,}")
    if not grid.flat or not made:
        report.page.pictures(made)
        return
    made += report.drawn(lambda: walls.seen(grid, report.folder.zones(), report.folder.bodies(), options()),
                       f"{what} on the walls, seen from either side", f"{what} on the walls in colours, seen from either side", titles=True)
    across = walls.across(grid.points)  # in 3-D, at stations across, too
    low, high = grid.points[:, across].min(), grid.points[:, across].max()
    for part in (0.1, 0.5, 0.9):
        cut = ("xyz"[across], low + part * (high - low) + 1e-6 * (high - low))
        made += report.drawn(lambda: walls.pressure(grid, report.folder.zones(), report.folder.bodies(), cut, options()),
                           f"{what} at {cut[0]} = {cut[1]:.4g}", f"{what} along x on the walls at {cut[0]} = {cut[1]:.4g}")
    report.page.pictures(made)


def add_histories(report):
    found = []
    for path in report.folder.histories:
        try:
            found.append(History(path, report.folder.si))
        except NoRows:
            continue
        except PlotError as error:
            report.notes.append(str(error))
    if not found:
        return
    report.page.section("histories", "Histories")
    for these in found:
        name = label(these.path.stem)
        first = ("cd", "cl", report.pitching())
        order = sorted(these.boxes, key=lambda box: first.index(box) if box in first else len(first))
        words = fallen(report, these) if these.residuals else ""
        boxes = [chart(lambda axes: these.draw(box, axes), f"{label(box)}, to step {these.table[-1, these.x]:,.0f}{words}",
                            f"{label(box)} of {name} over the steps") for box in order]
        if these.residuals and "dt" in these.header:
            boxes.append(chart(these.draw_time_step, "time step" + (", the smallest of all cells" if report.folder.case.get("numerics", {}).get(
                "local_time_step") else ""), "time step over the steps"))
        report.page.heading(name.capitalize())
        shown = 4
        if these.path.stem == "forces":
            shown = sum(box in first for box in order)
            report.page.text(report.sign_of_moments(), "soft")
        report.page.pictures(boxes[:shown])
        if boxes[shown:]:
            report.page.folded(f"{len(boxes) - shown} more of {these.path.name}", lambda: report.page.pictures(boxes[shown:]))
    add_errors(report)


def fallen(report, these):
    """Returns words on the decades by which the residual of density fell, of a steady case; of any other none."""
    stop = report.folder.case.get("stop", {})
    steady = report.folder.case.get("numerics", {}).get("local_time_step") or "residual" in stop or "force_change" in stop
    if not steady or "density" not in these.header:
        return ""
    column = these.table[:, these.header.index("density")]
    column = column[np.isfinite(column)]
    return f"; that of density fell by {np.log10(column.max() / column[-1]):.1f} decades" if len(column) and column[-1] > 0 else ""


def chart(draw, caption, seen):
    figure, axes = plt.subplots(figsize=CHART, constrained_layout=True)
    draw(axes)
    return figure, capital(caption), seen


def add_errors(report):
    path = report.folder.path / "errors.csv"
    if not path.exists():
        return
    try:
        these = History(path)
    except PlotError as error:
        report.notes.append(str(error))
        return
    row = dict(zip(these.header, these.table[-1]))
    names = [name[:-3] for name in these.header if name.endswith("_l1")]
    report.page.table("Error against the exact solution", ["", "L1", "L2", "max"],
                    [[label(name)] + [f"{row.get(f'{name}_{norm}', float('nan')):.4e}" for norm in ("l1", "l2", "linf")] for name in names])
