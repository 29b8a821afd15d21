"""The page about a run, section by section. Missing files are left out or reported; no content of the folder prevents the page."""
import datetime

import matplotlib.pyplot as plt
import numpy as np

from . import pictures, view, walls, zones
from .errors import PlotError
from .grid import Grid
from .histories import History, NoRows
from .names import label
from .page import PIXELS, Page, escaped, style
from .quantities import OF_RUNS
from .shapes import FLAT
from .status import status_of

WIDTH = 6.4  # inches, of a picture of which two stand side by side
CHART = (5.6, 3.4)
MOST_CELLS_WITH_EDGES = 30000
ISO_LINES = 20
NAMES = ("mach", "pressure", "density", "velocity")


def capital(text):
    return text[:1].upper() + text[1:]


def whole(value):
    return "" if value is None else f"{value:,}"


def short(value):
    return "" if value is None else f"{value:.6g}"


def seconds(value):
    if value is None:
        return ""
    if value < 60:
        return f"{value:.3g} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def memory(size):
    return "" if not size else f"{size / 2**20:,.0f} MiB" if size < 2**30 else f"{size / 2**30:,.1f} GiB"


def place(point):
    return "(" + ", ".join(f"{x:.4g}" for x in point) + ")"


def options(**changes):
    """Returns the options of `weft plot` for pictures of the page."""
    return pictures.choices(**{"size": (WIDTH, None), "dpi": PIXELS, "whole": False} | changes)


class Report:
    def __init__(self, folder):
        self.folder = folder
        self.status = status_of(folder)
        self.calls = folder.calls()
        self.call = self.calls[-1] if self.calls else {}
        self.mesh = folder.record.get("mesh") or {}
        self.name = folder.case.get("title") or folder.path.resolve().name
        self.page = Page(f"{self.name}: {self.status.word}")
        self.notes = []  # files that could not be used, and why
        self.view = options()  # view of the fields: the window around the bodies, and in 3-D the section

    def html(self):
        with style():
            body = [self.verdict, self.fields, self.walls, self.histories, self.performance, self.mesh_statistics, self.case, self.provenance]
            for section in body:
                section()
            self.header()
        return self.page.html()

    # Reading, where a file may be half there.

    def read(self, path):
        try:
            return Grid(path)
        except PlotError as error:
            self.notes.append(str(error))
            return None

    def first_and_last(self, files):
        """(step, grid) of the first and of the last file that can be read, which may be the same."""
        found = []
        for steps in (sorted(files), sorted(files, reverse=True)):
            for step in steps:
                if found and step == found[0][0]:
                    found.append(found[0])
                    break
                grid = self.read(files[step])
                if grid is not None:
                    found.append((step, grid))
                    break
        return found[:2]

    def drawn(self, make, caption, seen, titles=False):
        """[(figure, caption, alternative text)], or nothing where it cannot be drawn."""
        try:
            figure = make()
        except PlotError as error:
            self.notes.append(str(error))
            return []
        if not titles:  # the caption says it
            figure.axes[0].set_title("")
            figure.suptitle("")
        return [(figure, capital(caption), seen)]

    # Sections.

    def header(self):
        call, case = self.call, self.folder.case
        self.page.sections, sections = [], self.page.sections  # sections that are added now precede them
        self.page.add(f"<h1>{escaped(self.name)}</h1>")
        self.page.add(f'<p class="status"><span class="badge {self.status.kind}">{self.status.word}</span> <span>{escaped(self.status.text)}</span></p>')
        last = self.last_forces()
        self.page.facts([
            ("cells", whole(self.mesh.get("cells"))),
            ("step", whole(call.get("step"))),
            ("time", "" if case.get("numerics", {}).get("local_time_step") else short(call.get("time"))),
            ("ranks", whole(call.get("ranks"))),
            ("computed on", {"host": "CPU", "cuda": "GPU"}.get(call.get("device"), call.get("device"))),
            ("wall clock, this call", seconds(call.get("seconds", {}).get("wall"))),
            ("cell-residuals a second", rate(call.get("cell_residuals_per_second"))),
            *last], "key")
        for note in dict.fromkeys(self.notes):
            self.page.text(note, "note")
        made = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
        self.page.text(f"Results in {self.folder.path.resolve()}; this page was made {made}.", "soft")
        self.page.sections = sections

    def verdict(self):
        verdict = self.call.get("verdict")
        if not verdict:
            return
        self.page.section("verdict", "Verdict")
        self.page.text(f"{capital(verdict['headline'])}.", "" if verdict["good"] else "note")
        if verdict["criteria"]:
            self.page.table("What ends the run", ("key", "wanted", "reached", ""),
                            [(each["key"], each["wanted"], each["reached"], "met" if each["met"] else "not met") for each in verdict["criteria"]])
        if verdict["decades"]:
            self.page.table("Decades that residuals fell", ("variable", "decades"),
                            [(name.replace("_", " "), f"{dropped:.1f}") for name, dropped in verdict["decades"].items()])
        if verdict["forces"]:
            self.page.table("Range of the coefficients over the last fifth of the steps", ("zones", "since step", "Cd", "Cl", ""),
                            [(each["name"], whole(each["since_step"]), f"{100 * each['drag']:.2g} %", f"{100 * each['lift']:.2g} %",
                              "settled" if each["settled"] else "still moving") for each in verdict["forces"]])
        self.page.facts([("reference lengths that the free stream went", short(verdict.get("reference_lengths"))),
                         ("times that it went through the domain", short(verdict.get("domain_lengths")))])

    def last_forces(self):
        try:
            forces = History(self.folder.path / "forces.csv")
        except PlotError:
            return []
        shown = ("_cd", "_cl", f"_{self.pitching()}")
        return [(label(name), f"{forces.table[-1, i]:.5g}") for i, name in enumerate(forces.header) if name.endswith(shown)][:6]

    def pitching(self):
        """Returns the column of the moment about the axis that is perpendicular to the stream and to the lift."""
        return "cmy" if self.folder.case.get("free_stream", {}).get("lift_axis") == "z" else "cmz"

    def sign_of_moments(self):
        name = self.pitching()
        nose = "up" if name == "cmy" else "down"
        return (f"Moments are right-handed about the axes of the mesh, through moment_centre: a positive {label(name)} turns the nose {nose} "
                f"(x downstream, {'z' if name == 'cmy' else 'y'} up).")

    def fields(self):
        files = self.folder.fields
        self.page.section("fields", "Fields")
        failed = [file for file in self.folder.files if file.name.startswith("fields_failed.") and file.suffix != ".png"]
        states = self.first_and_last(files)
        if not states and not failed:
            self.page.text("There are no fields yet." if not files else "None of the field files can be read.")
            return
        grid = states[-1][1] if states else None
        broken = self.read(failed[0]) if failed else None
        if grid is not None or broken is not None:
            view.choose(self.folder, grid or broken, self.view)
        if broken is not None:
            self.state("Where it failed", broken, streamlines=False)
        if grid is None:
            return
        self.state("Last state", grid, streamlines=True)
        if self.view.window:
            shown = NAMES[0] if NAMES[0] in grid.fields else sorted(grid.fields)[0]
            whole_mesh = options(slice=self.view.slice)
            self.page.pictures(self.drawn(lambda: pictures.field(grid, shown, whole_mesh), f"{label(shown)}, the whole mesh",
                                          f"{label(shown)} in the whole mesh at the last state"))
        if states[0][0] != states[-1][0]:
            self.state("First state", states[0][1], streamlines=False)

    def state(self, heading, grid, streamlines):
        when = [] if grid.step is None else [f"step {grid.step:,}"]
        if grid.time is not None and not self.folder.case.get("numerics", {}).get("local_time_step"):
            when.append(f"t = {grid.time:.6g}{' s' if grid.si else ''}")
        when = ", ".join(when)
        self.page.heading(f"{heading}: {when}")
        made, uniform, broken = [], [], []
        line = grid.line_axis()
        names = [name for name in (*NAMES, *self.folder.case.get("scalars", {}), *(OF_RUNS if streamlines else ())) if name in grid.fields]
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
                made += self.drawn(lambda: pictures.profile(grid, name, line, options()), f"{what}, along {line}{words}", seen + words)
                continue
            if streamlines and not made and "velocity" in grid.fields:
                self.view.streamlines = 1.0
                made += self.drawn(lambda: pictures.field(grid, name, self.view), f"{what}, with streamlines", seen + ", with streamlines")
                self.view.streamlines = None
            else:
                made += self.drawn(lambda: pictures.field(grid, name, self.view), what, seen)
            if name == "density" and streamlines:
                lines = options(slice=self.view.slice, window=self.view.window, shading="none", lines=ISO_LINES)
                made += self.drawn(lambda: pictures.field(grid, name, lines), f"{ISO_LINES} iso-lines of density", f"iso-lines of density at {when}")
            if known and streamlines and name != "velocity":
                made += self.drawn(lambda: pictures.field(grid, f"error_{name}", self.view), f"{label(name)} less the exact solution",
                                   f"difference of {label(name)} to the exact solution at {when}")
        self.page.pictures(made)
        if broken:
            cells = np.zeros(len(grid.types), bool)
            for name in grid.fields:
                cells |= ~np.isfinite(grid.field(name))
            self.notes.append(f"{grid.path}: {counted(int(cells.sum()), 'cell')} of {len(cells):,} without a finite {', '.join(broken)}")
        if uniform:
            self.page.text("The same everywhere: " + ", ".join(uniform) + ".", "soft")
        if not grid.flat and made:
            axis, position = self.view.slice
            self.page.text(f"Cut at {axis} = {position:.4g}; weft plot --slice draws others.", "soft")

    def walls(self):
        states = self.first_and_last(self.folder.walls)
        if not states:
            return
        step, grid = states[-1]
        if "zone" not in grid.fields:
            self.notes.append(f"{grid.path}: has no field zone; it is not the walls file of a run")
            return
        what = "Cp" if "cp" in grid.fields else "Pressure"
        self.page.section("walls", f"{what} on the walls")
        made = self.drawn(lambda: walls.pressure(grid, self.folder.zones(), self.folder.bodies(), None, options()),
                          f"{what} along the walls at step {step:,}", f"{what} along x on the walls at step {step:,}")
        if not grid.flat or not made:
            self.page.pictures(made)
            return
        made += self.drawn(lambda: walls.seen(grid, self.folder.zones(), self.folder.bodies(), options()),
                           f"{what} on the walls, seen from either side", f"{what} on the walls in colours, seen from either side", titles=True)
        across = walls.across(grid.points)  # in 3-D, at stations across, too
        low, high = grid.points[:, across].min(), grid.points[:, across].max()
        for part in (0.1, 0.5, 0.9):
            cut = ("xyz"[across], low + part * (high - low) + 1e-6 * (high - low))
            made += self.drawn(lambda: walls.pressure(grid, self.folder.zones(), self.folder.bodies(), cut, options()),
                               f"{what} at {cut[0]} = {cut[1]:.4g}", f"{what} along x on the walls at {cut[0]} = {cut[1]:.4g}")
        self.page.pictures(made)

    def histories(self):
        found = []
        for path in self.folder.histories:
            try:
                found.append(History(path, self.folder.si))
            except NoRows:
                continue
            except PlotError as error:
                self.notes.append(str(error))
        if not found:
            return
        self.page.section("histories", "Histories")
        for these in found:
            name = label(these.path.stem)
            first = ("cd", "cl", self.pitching())
            order = sorted(these.boxes, key=lambda box: first.index(box) if box in first else len(first))
            fallen = self.fallen(these) if these.residuals else ""
            boxes = [self.chart(lambda axes: these.draw(box, axes), f"{label(box)}, to step {these.table[-1, these.x]:,.0f}{fallen}",
                                f"{label(box)} of {name} over the steps") for box in order]
            if these.residuals and "dt" in these.header:
                boxes.append(self.chart(these.draw_time_step, "time step" + (", the smallest of all cells" if self.folder.case.get("numerics", {}).get(
                    "local_time_step") else ""), "time step over the steps"))
            self.page.heading(name.capitalize())
            shown = 4
            if these.path.stem == "forces":
                shown = sum(box in first for box in order)
                self.page.text(self.sign_of_moments(), "soft")
            self.page.pictures(boxes[:shown])
            if boxes[shown:]:
                self.page.folded(f"{len(boxes) - shown} more of {these.path.name}", lambda: self.page.pictures(boxes[shown:]))
        self.errors()

    def fallen(self, these):
        """Returns words on the decades by which the residual of density fell, of a steady case; of any other none."""
        stop = self.folder.case.get("stop", {})
        steady = self.folder.case.get("numerics", {}).get("local_time_step") or "residual" in stop or "force_change" in stop
        if not steady or "density" not in these.header:
            return ""
        column = these.table[:, these.header.index("density")]
        column = column[np.isfinite(column)]
        return f"; that of density fell by {np.log10(column.max() / column[-1]):.1f} decades" if len(column) and column[-1] > 0 else ""

    def chart(self, draw, caption, seen):
        figure, axes = plt.subplots(figsize=CHART, constrained_layout=True)
        draw(axes)
        return figure, capital(caption), seen

    def errors(self):
        path = self.folder.path / "errors.csv"
        if not path.exists():
            return
        try:
            these = History(path)
        except PlotError as error:
            self.notes.append(str(error))
            return
        row = dict(zip(these.header, these.table[-1]))
        names = [name[:-3] for name in these.header if name.endswith("_l1")]
        self.page.table("Error against the exact solution", ["", "L1", "L2", "max"],
                        [[label(name)] + [f"{row.get(f'{name}_{norm}', float('nan')):.4e}" for norm in ("l1", "l2", "linf")] for name in names])

    def performance(self):
        call = self.call
        if not call:
            return
        took = call.get("seconds", {})
        steps = call.get("step", 0) - call.get("first_step", 0)
        stepping, cells = took.get("stepping"), self.mesh.get("cells")
        self.page.section("performance", "Performance")
        self.page.facts([
            ("cell-residuals a second, all ranks", rate(call.get("cell_residuals_per_second"))),
            ("cell updates (whole steps) a second", rate(cells * steps / stepping) if stepping and cells and steps else ""),
            ("a step", f"{1e3 * stepping / steps:.3g} ms" if stepping and steps else ""),
            ("steps of this call", whole(steps)),
            ("ranks", ranks(call)),
            ("device", " ".join(filter(None, [call.get("device"), call.get("gpu")]))),
            ("ghosts travel by", call.get("transport") or ("MPI" if call.get("ranks", 1) > 1 else "")),
            ("memory, largest rank", memory((call.get("memory_bytes") or {}).get("largest_rank"))),
            ("memory, all ranks", memory((call.get("memory_bytes") or {}).get("all_ranks"))),
        ])
        if took.get("wall") and stepping is not None:
            ready, mesh = took.get("ready", 0), took.get("mesh", 0)
            parts = [("mesh read and divided", mesh), ("solver set up", max(ready - mesh, 0)), ("time stepping", stepping),
                     ("output, histories and the rest", max(took["wall"] - ready - stepping, 0))]
            self.page.shares(f"Where {seconds(took['wall'])} of wall clock went",
                             [(name, amount, f"{seconds(amount)} ({100 * amount / took['wall']:.1f} %)") for name, amount in parts])

    def mesh_statistics(self):
        mesh, grid = self.mesh, None
        if self.folder.fields:
            grid = self.read(self.folder.fields[max(self.folder.fields)])
        if not mesh and grid is None:
            return
        self.page.section("mesh", "Mesh")
        if mesh:
            unit = "area" if mesh.get("dim") == 2 else "volume"
            self.page.facts([
                ("source", mesh.get("source")), ("dimensions", whole(mesh.get("dim"))), ("cells", whole(mesh.get("cells"))),
                ("nodes", whole(mesh.get("nodes"))), ("interior faces", whole(mesh.get("interior_faces"))),
                ("boundary faces", whole(mesh.get("boundary_faces"))),
                ("cells by type", ", ".join(counted(count, name) for name, count in (mesh.get("cells_of_type") or {}).items())),
                ("box", f"{place(mesh['low'])} to {place(mesh['high'])}" if "low" in mesh and "high" in mesh else ""),
                (unit, short(mesh.get("volume"))),
            ])
            extremes = [(f"smallest cell ({unit})", "smallest_cell"), (f"largest cell ({unit})", "largest_cell"),
                        ("largest non-orthogonality, degrees", "non_orthogonality"), ("largest skewness", "skewness"),
                        ("largest aspect ratio", "aspect_ratio")]
            self.page.table("Quality", ["", "value", "at"],
                            [[name, f"{mesh[key]['value']:.4g}", place(mesh[key]["place"])] for name, key in extremes if mesh.get(key)])
            self.page.table("Boundary zones", ["zone", "condition", "faces", "length" if mesh.get("dim") == 2 else "area"],
                            [[zone["name"], label(self.folder.kind_of(zone["name"])), whole(zone["elements"]), short(zone["measure"])]
                             if zone["elements"] else [zone["name"], "periodic", "", ""]
                             for zone in mesh.get("zones", []) if zone.get("dim") == mesh.get("dim", 0) - 1])
            self.page.facts([
                ("cells of a rank", f"{mesh['fewest_cells']:,} to {mesh['most_cells']:,}" if "most_cells" in mesh else ""),
                ("ghost cells, all ranks", whole(mesh.get("ghost_cells"))), ("faces between ranks", whole(mesh.get("cut_faces"))),
                ("most neighbours of a rank", whole(mesh.get("most_neighbours"))),
            ])
        if grid is None:
            return
        made = []
        if self.folder.boundary.exists():
            made += self.drawn(lambda: zones.picture(zones.Zones(self.folder), grid, options()), "Boundary zones, coloured by their condition",
                               "the mesh with its boundary zones in the colours of their boundary conditions", titles=True)
        if grid.flat and len(grid.types) <= MOST_CELLS_WITH_EDGES and grid.line_axis() is None:
            shown = "rank" if "rank" in grid.fields else sorted(grid.fields)[0]
            made += self.drawn(lambda: pictures.field(grid, shown, options(window=self.view.window, mesh=True)), f"Cells, coloured by {shown}",
                               f"the cells of the mesh{' around the walls' if self.view.window else ''}, coloured by {shown}")
        self.page.pictures(made)
        if not mesh:
            counts = {vtk: int((grid.types == vtk).sum()) for vtk in np.unique(grid.types)}
            self.page.facts([("cells", whole(len(grid.types))),
                             ("plane cells" if grid.flat else "cells of types", ", ".join(f"{n:,} of {FLAT.get(v, v)} nodes" if v in FLAT else
                                                                                         f"{n:,} of VTK type {v}" for v, n in counts.items()))])

    def case(self):
        text, case = self.folder.case_text, self.folder.case
        if text is None:
            self.notes.append(f"{self.folder.case_file}: is not there, so the page says little about the case")
            return
        self.page.section("case", "Case")
        numerics, mesh, gas = case.get("numerics", {}), case.get("mesh", {}), case.get("gas", {})
        free = case.get("free_stream", {})
        scheme = ", ".join(filter(None, [numerics.get("flux"), numerics.get("limiter"), numerics.get("gradient"),
                                         f"Runge-Kutta {numerics['rk_order']}" if "rk_order" in numerics else "",
                                         "local time step" if numerics.get("local_time_step") else ""]))
        self.page.facts([
            ("mesh", mesh.get("file") or f"generator {mesh.get('generator', '')}"), ("gamma", short(gas.get("gamma"))),
            ("free stream", ", ".join(f"{label(key)} {free[key]}" for key in ("mach", "alpha", "density", "pressure", "velocity", "temperature") if key in free)),
            ("scheme", label(scheme)), ("CFL number", numerics.get("cfl")),
            ("ends at", ", ".join(f"{label(key)} {value}" for key, value in case.get("stop", {}).items())),
        ])
        self.page.folded("The whole case, with every default", lambda: self.page.listing(text, "case.toml"))

    def provenance(self):
        self.page.section("provenance", "Provenance")
        for number, call in enumerate(self.calls, 1):
            if len(self.calls) > 1:
                self.page.heading(f"Call {number} of {len(self.calls)}")
            self.page.facts([
                ("command", call.get("command")), ("in", call.get("directory")), ("started", call.get("started")),
                ("last written", call.get("updated")), ("ended as", " because ".join(filter(None, [call.get("status"), call.get("reason")]))),
                ("steps", f"{call.get('first_step', 0):,} to {call['step']:,}" if "step" in call else ""),
                ("weft", ", ".join(filter(None, [call.get("version"), f"commit {call['commit']}" if call.get("commit") else "",
                                                 f"{call.get('build')} build", call.get("compiler")]))),
                ("host", call.get("host")), ("system", " ".join(filter(None, [call.get("system"), call.get("architecture")]))),
                ("processor", f"{call.get('processor') or 'unknown'}, {call.get('cores', '?')} cores"),
                ("ranks", ranks(call)),
            ], "rows")
        if not self.calls:
            self.page.text("There is no run.json here: an older weft made these results, or the run ended before its first field file.")
        self.page.folded("Files", lambda: self.page.table("In the results folder", ["file", "size"],
                                                          [[file.name, size_of(file)] for file in self.folder.files if file.name != "report.html"]))


def counted(number, thing):
    many = thing[:-2] + "a" if thing.endswith("hedron") else thing + "s"
    return f"{number:,} {thing if number == 1 else many}"


def rate(value):
    return "" if not value else f"{value / 1e6:.3g} million" if value >= 1e5 else f"{value:,.0f}"


def ranks(call):
    count, machines = call.get("ranks"), call.get("machines", 1)
    return "" if count is None else f"{count}" if machines == 1 else f"{count} on {machines} machines"


def size_of(file):
    try:
        size = file.stat().st_size
    except OSError:
        return ""
    return f"{size:,} B" if size < 1024 else f"{size / 1024:,.1f} KiB" if size < 2**20 else f"{size / 2**20:,.1f} MiB"
