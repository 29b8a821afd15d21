"""Sections of the page with tables: verdict, performance, mesh, case, provenance. Each function adds to the page of a Report."""
import numpy as np

from . import pictures, zones
from .names import label
from .page import options
from .shapes import FLAT
from .words import capital, counted, memory, place, rate, ranks, seconds, short, size_of, whole

MOST_CELLS_WITH_EDGES = 30000


def add_verdict(report):
    verdict = report.call.get("verdict")
    if not verdict:
        return
    report.page.section("verdict", "Verdict")
    report.page.text(f"{capital(verdict['headline'])}.", "" if verdict["good"] else "note")
    if verdict["criteria"]:
        report.page.table("What ends the run", ("key", "wanted", "reached", ""),
                        [(each["key"], each["wanted"], each["reached"], "met" if each["met"] else "not met") for each in verdict["criteria"]])
    if verdict["decades"]:
        report.page.table("Decades that residuals fell", ("variable", "decades"),
                        [(name.replace("_", " "), f"{dropped:.1f}") for name, dropped in verdict["decades"].items()])
    if verdict["forces"]:
        report.page.table("Range of the coefficients over the last fifth of the steps", ("zones", "since step", "Cd", "Cl", ""),
                        [(each["name"], whole(each["since_step"]), f"{100 * each['drag']:.2g} %", f"{100 * each['lift']:.2g} %",
                          "settled" if each["settled"] else "still moving" if verdict.get("steady", True) else "vary") for each in verdict["forces"]])
    report.page.facts([("reference lengths that the free stream went", short(verdict.get("reference_lengths"))),
                     ("times that it went through the domain", short(verdict.get("domain_lengths")))])


def add_performance(report):
    call = report.call
    if not call:
        return
    took = call.get("seconds", {})
    steps = call.get("step", 0) - call.get("first_step", 0)
    stepping, cells = took.get("stepping"), report.mesh.get("cells")
    report.page.section("performance", "Performance")
    report.page.facts([
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
        report.page.shares(f"Where {seconds(took['wall'])} of wall clock went",
                         [(name, amount, f"{seconds(amount)} ({100 * amount / took['wall']:.1f} %)") for name, amount in parts])


def add_mesh(report):
    mesh, grid = report.mesh, None
    if report.folder.fields:
        grid = report.read(report.folder.fields[max(report.folder.fields)])
    if not mesh and grid is None:
        return
    report.page.section("mesh", "Mesh")
    if mesh:
        plane = mesh.get("dim") == 2 and not mesh.get("axisymmetric")  # otherwise measures are of the whole turn
        unit = "area" if plane else "volume"
        report.page.facts([
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
        report.page.table("Quality", ["", "value", "at"],
                        [[name, f"{mesh[key]['value']:.4g}", place(mesh[key]["place"])] for name, key in extremes if mesh.get(key)])
        report.page.table("Boundary zones", ["zone", "condition", "faces", "length" if plane else "area"],
                        [[zone["name"], label(report.folder.kind_of(zone["name"])), whole(zone["elements"]), short(zone["measure"])]
                         if zone["elements"] else [zone["name"], "periodic", "", ""]
                         for zone in mesh.get("zones", []) if zone.get("dim") == mesh.get("dim", 0) - 1])
        report.page.facts([
            ("cells of a rank", f"{mesh['fewest_cells']:,} to {mesh['most_cells']:,}" if "most_cells" in mesh else ""),
            ("ghost cells, all ranks", whole(mesh.get("ghost_cells"))), ("faces between ranks", whole(mesh.get("cut_faces"))),
            ("most neighbours of a rank", whole(mesh.get("most_neighbours"))),
        ])
    if grid is None:
        return
    made = []
    if report.folder.boundary.exists():
        made += report.drawn(lambda: zones.picture(zones.Zones(report.folder), grid, options()), "Boundary zones, coloured by their condition",
                           "the mesh with its boundary zones in the colours of their boundary conditions", titles=True)
    if grid.flat and len(grid.types) <= MOST_CELLS_WITH_EDGES and grid.line_axis() is None:
        shown = "rank" if "rank" in grid.fields else sorted(grid.fields)[0]
        made += report.drawn(lambda: pictures.field(grid, shown, options(window=report.view.window, mesh=True)), f"Cells, coloured by {shown}",
                           f"the cells of the mesh{' around the walls' if report.view.window else ''}, coloured by {shown}")
    report.page.pictures(made)
    if not mesh:
        counts = {vtk: int((grid.types == vtk).sum()) for vtk in np.unique(grid.types)}
        report.page.facts([("cells", whole(len(grid.types))),
                         ("plane cells" if grid.flat else "cells of types", ", ".join(f"{n:,} of {FLAT.get(v, v)} nodes" if v in FLAT else
                                                                                     f"{n:,} of VTK type {v}" for v, n in counts.items()))])


def add_case(report):
    text, case = report.folder.case_text, report.folder.case
    if text is None:
        report.notes.append(f"{report.folder.case_file}: is not there, so the page says little about the case")
        return
    report.page.section("case", "Case")
    numerics, mesh, gas = case.get("numerics", {}), case.get("mesh", {}), case.get("gas", {})
    free = case.get("free_stream", {})
    scheme = ", ".join(filter(None, [numerics.get("flux"), numerics.get("limiter"), numerics.get("gradient"),
                                     f"Runge-Kutta {numerics['rk_order']}" if "rk_order" in numerics else "",
                                     "local time step" if numerics.get("local_time_step") else ""]))
    report.page.facts([
        ("mesh", mesh.get("file") or f"generator {mesh.get('generator', '')}"), ("gamma", short(gas.get("gamma"))),
        ("free stream", ", ".join(f"{label(key)} {free[key]}" for key in ("mach", "alpha", "density", "pressure", "velocity", "temperature") if key in free)),
        ("scheme", label(scheme)), ("CFL number", numerics.get("cfl")),
        ("ends at", ", ".join(f"{label(key)} {value}" for key, value in case.get("stop", {}).items())),
    ])
    report.page.folded("The whole case, with every default", lambda: report.page.listing(text, "case.toml"))


def add_provenance(report):
    report.page.section("provenance", "Provenance")
    for number, call in enumerate(report.calls, 1):
        if len(report.calls) > 1:
            report.page.heading(f"Call {number} of {len(report.calls)}")
        report.page.facts([
            ("command", call.get("command")), ("in", call.get("directory")), ("started", call.get("started")),
            ("last written", call.get("updated")), ("ended as", " because ".join(filter(None, [call.get("status"), call.get("reason")]))),
            ("steps", f"{call.get('first_step', 0):,} to {call['step']:,}" if "step" in call else ""),
            ("weft", ", ".join(filter(None, [call.get("version"), f"commit {call['commit']}" if call.get("commit") else "",
                                             f"{call.get('build')} build", call.get("compiler")]))),
            ("host", call.get("host")), ("system", " ".join(filter(None, [call.get("system"), call.get("architecture")]))),
            ("processor", f"{call.get('processor') or 'unknown'}, {call.get('cores', '?')} cores"),
            ("ranks", ranks(call)),
        ], "rows")
    if not report.calls:
        report.page.text("There is no run.json here: an older weft made these results, or the run ended before its first field file.")
    report.page.folded("Files", lambda: report.page.table("In the results folder", ["file", "size"],
                                                      [[file.name, size_of(file)] for file in report.folder.files if file.name != "report.html"]))
