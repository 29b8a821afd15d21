"""tools/verify --meshes: cases of cases/ on mesh files that others made, against exact solutions and published values."""
import hashlib
import math
import pathlib
import re
import subprocess
import tempfile
import time

import numpy

from verification import (GATES, PICTURES, ROOT, Fields, Known, Report, Runner, draw_field, errors_of, figures, history, machine, named_ranks, orders, outcome,
                          plt, save)


class MeshRunner(Runner):
    """Runs cases/CASE.toml on the file."""

    def __init__(self, options, work, file):
        super().__init__(options, work)
        self.file = file

    def info(self):
        """Cells by type, as `weft mesh info` counts them."""
        text = subprocess.run([self.weft, "mesh", "info", self.file], capture_output=True, text=True, check=True).stdout
        return re.search(r"^  cells +(.*)$", text, re.MULTILINE).group(1)

    def run_case(self, case, **overrides):
        return self.run_file(ROOT / "cases" / f"{case}.toml", self.work / case, mesh__file=f'"{self.file}"', **overrides)


# Declared for the mesh of 532,304 tetrahedra only.
NOSE = Known("the cell at the nose of the root, which has the largest pressure, has edges of 4 mm; with edges of 1.5 mm the pressure is off by 2.2 %; "
             "docs/notes/2026-11-carbuncle.md", most=0.5)


def section(report, runner, title, case, text):
    digest = hashlib.sha256(runner.file.read_bytes()).hexdigest()
    cells = runner.info()
    report.section(title, f"`{runner.file.name}`: {cells}; from {CASES[runner.file.name][1]}; sha256 `{digest}`.\n\n"
                   f"```sh\nweft run cases/{case}.toml --set mesh.file={runner.file.name} {' '.join(runner.where())}\n```\n\n{text}")


def within(report, what, value, exact, percent, digits=6, known=None):
    """A row that compares with one number; a known miss is one of a number that is too small, in percent."""
    error = abs(value / exact - 1)
    report.row(what, f"{value:.{digits}g}, off by {100 * error:.2g} %", f"{exact:.{digits}g} within {percent} %", error <= percent / 100,
               known if value < exact else None, percent - 100 * error)


def convergence(report, folder, gate=None):
    """A row on the fall of the steady residual."""
    rows = history(folder, "residuals")
    left = rows["density"][-1] / rows["density"].max()
    report.row("convergence", f"residual of density down to {left:.1e} of its largest in {int(rows['step'][-1])} steps", gate or "none",
               gate is None or left <= float(gate))


def naca(report, runner):
    section(report, runner, "NACA 0012, Mach 0.8, 1.25 degrees", "naca0012_file",
            "No exact solution. Published for inviscid flow: Cl 0.351 to 0.363, Cd 0.0221 to 0.0230 (AGARD AR-211) with the far field at 50 "
            "chords or more. This mesh ends at 20 chords, which costs lift, and that part is measured on the generated O-grid, 128 x 64 cells, "
            "with the far field at 20 and at 100 chords. SU2's own regression test of this flow on its mesh (8.0.1, TestCases/"
            "parallel_regression.py: Roe, Venkatakrishnan, stopped after 20 implicit steps, so not fully settled) expects Cl 0.3334, Cd 0.0212.")
    folder = runner.run_case("naca0012_file")
    cl, cd = (history(folder, "forces")[f"airfoil_{k}"][-1] for k in ("cl", "cd"))
    grid = {}
    for radius in (20, 100):
        done = runner.run_file(ROOT / "cases" / "naca0012.toml", runner.work / f"grid_{radius}", mesh__around=128, mesh__radial=64,
                               mesh__radius=radius, boundary__farfield__vortex_correction='""', numerics__cfl=0.8,
                               stop__steps=12000)
        grid[radius] = {k: history(done, "forces")[f"airfoil_{k}"][-1] for k in ("cl", "cd")}
    within(report, "Cl, against the O-grid with its far field at 20 chords", cl, grid[20]["cl"], 2, 4)
    within(report, "Cd, against the same", cd, grid[20]["cd"], 5, 4)
    lost = {k: grid[100][k] - grid[20][k] for k in ("cl", "cd")}
    for name, value, low, high, slack in (("Cl", cl, 0.351, 0.363, 0.03 * 0.351), ("Cd", cd, 0.0221, 0.0230, 0.001)):
        corrected = value + lost[name.lower()]
        report.row(f"{name}, plus what the O-grid gains from 20 to 100 chords ({lost[name.lower()]:+.4f})", f"{corrected:.4f}",
                   f"published {low} to {high}, +- {slack:.2g}", low - slack <= corrected <= high + slack)
    fields = Fields(folder)
    within(report, "largest pressure in a cell, against the stagnation pressure", fields["pressure"].max(), (1 + 0.2 * 0.8**2) ** 3.5, 2, 4)
    convergence(report, folder)
    draw_field(report, folder, "mach", "meshes_naca0012.png", "Mach number, NACA 0012", "--window=-0.5,1.5,-0.8,0.8")


def wedge(report, runner):
    section(report, runner, "Oblique shock, Mach 2, 10 degrees", "wedge_file",
            "Exact from the relation of theta, beta and Mach number. The shock leaves through the outlet before it meets the ceiling. "
            "Behind it: the cells right of x = 0.8 m that lie more than 0.08 m below the exact shock. The angle: of the straight line through the "
            "points of mid pressure, column by column, from x = 0.7 m.")
    folder = runner.run_case("wedge_file")
    fields = Fields(folder)
    x, y, p = fields.centres[:, 0], fields.centres[:, 1], fields["pressure"]
    beta, p2 = 39.3139, 1.706579
    behind = (x > 0.8) & (y < (x - 0.5) * math.tan(math.radians(beta)) - 0.08)
    within(report, "p2/p1, mean behind the shock", p[behind].mean(), p2, 0.1)
    within(report, "p2/p1, the downstream cell with the largest error", max(p[behind], key=lambda v: abs(v - p2)), p2, 2)
    within(report, "rho2/rho1, mean behind the shock", fields["density"][behind].mean() / 1.4, 1.458426, 0.1)
    within(report, "Mach number, mean behind the shock", fields["mach"][behind].mean(), 1.640522, 0.1)
    feet = []
    for column in numpy.unique(numpy.round(x[x > 0.7], 6)):
        cells = numpy.flatnonzero(abs(x - column) < 1e-5)
        cells = cells[numpy.argsort(y[cells])]
        feet.append((column, numpy.interp(-0.5 * (1 + p2), -p[cells], y[cells])))
    slope = numpy.polyfit(*zip(*feet), 1)[0]
    within(report, "angle of the shock in degrees", math.degrees(math.atan(slope)), beta, 0.5)
    convergence(report, folder, "1e-5")
    draw_field(report, folder, "pressure", "meshes_wedge.png", "Pressure, wedge channel")


def vortex(report, runner):
    section(report, runner, "Isentropic vortex", "vortex_file",
            "Exact. Cells of 1 m are coarse for a vortex of radius 1 m, so the level alone says little: the generated box of the same 20 x 20 "
            "cells must give the same error, and finer ones an error that falls at second order from there.")
    error = errors_of(runner.run_case("vortex_file"))["density"]
    case = (ROOT / "cases" / "vortex_file.toml").read_text()
    case = case.replace('file = "euler_vortex.msh"', 'generator = "vortex_box"\nsize = 20\noffset = [-10, -10]')
    for theirs, ours in (("0_l", "xmax"), ("0_r", "xmin"), ("1_l", "ymin"), ("1_r", "ymax")):
        case = case.replace(f"periodic_{theirs}", ours)
    sizes = (20, 40, 80, 160)
    series = [errors_of(runner.run(f"box_{n}", case, mesh__n=n))["density"] for n in sizes]
    same = max(abs(error[k] / series[0][k] - 1) for k in error)
    report.row("L2 error of density", f"{error['l2']:.3e}", "that of the generated box to 1e-9", same <= 1e-9)
    got = orders([e["l2"] for e in series])
    report.row("generated boxes, L2 error of density", f"N = {', '.join(map(str, sizes))}: {figures(e['l2'] for e in series)}; order "
               f"{', '.join(f'{o:.2f}' for o in got)}", "order >= 1.9", got[-1] >= 1.9)
    draw_field(report, runner.work / "vortex_file", "density", "meshes_vortex.png", "Density, vortex at t = 2 on 20 x 20 cells")


def sphere(report, runner):
    section(report, runner, "Sphere, Mach 0.3", "sphere_file",
            "A slice of 9 degrees around the x axis, in three layers of 3 degrees, from the sphere of radius 1 m to one of 10 m; its flat sides "
            "are symmetry planes. Without viscosity and shocks the drag and the loss of total pressure are zero, so whatever is measured is the "
            "error of scheme and mesh: 20 flat facets take the sphere from front to back. It falls at second order on finer meshes "
            "([notes](../notes/2026-11-flow-design.md)). Losses are in units of the free stream's dynamic pressure, means of the cells next to "
            "the wall; their gates and that of the drag keep them from growing, no more.")
    folder = runner.run_case("sphere_file")
    mach, gamma = 0.3, 1.4
    q = 0.5 * gamma * mach**2
    total = (1 + 0.2 * mach**2) ** 3.5
    fields = Fields(folder)
    r = numpy.linalg.norm(fields.centres, axis=1)
    angle = numpy.degrees(numpy.arccos(-fields.centres[:, 0] / r))  # from the front
    cp = (fields["pressure"] - 1) / q
    loss = (total - fields["pressure"] * (1 + 0.2 * fields["mach"] ** 2) ** 3.5) / q
    wall = r < 1.12
    cd = history(folder, "forces")["wall_cd"][-1]
    report.row("Cd, exact 0", f"{cd:.4f}", "+- 0.04", abs(cd) <= 0.04)
    for name, low, high, gate in (("front, to 20", 0, 20, 0.04), ("side, 80 to 100", 80, 100, 0.06), ("back, from 160", 160, 180, 0.25)):
        value = loss[wall & (angle >= low) & (angle <= high)].mean()
        report.row(f"loss of total pressure, {name} degrees, exact 0", f"{value:.4f}", f"+- {gate}", abs(value) <= gate)
    upstream = (r > 2) & (fields.centres[:, 0] < 0)
    report.row("error of total pressure upstream, more than 2 m from the centre, largest of any cell", f"{abs(loss[upstream]).max():.4f}",
               "<= 0.01", abs(loss[upstream]).max() <= 0.01)
    within(report, "largest Cp in a cell, against the isentropic stagnation value", cp.max(), (total - 1) / q, 7, 4)
    convergence(report, folder, "1e-4")
    draw_field(report, folder, "mach", "meshes_sphere.png", "Mach number, sphere, cut z = 0.01", "--slice=z=0.01", "--window=-3,3,0,3")
    if report.draws:
        figure, axes = plt.subplots(figsize=(6, 3.6))
        a, s = numpy.radians(angle[wall]), r[wall] ** -3
        potential = 1 - ((1 - s) * numpy.cos(a)) ** 2 - ((1 + s / 2) * numpy.sin(a)) ** 2
        axes.plot(angle[wall], potential, "k+", markersize=5, label="incompressible potential flow, same points")
        axes.plot(angle[wall], cp[wall], "o", markersize=3, fillstyle="none", label="computed, Mach 0.3")
        axes.set_xlabel("degrees from the front"), axes.set_ylabel("Cp in the cells next to the wall")
        axes.legend(fontsize=8), axes.grid(True, linewidth=0.3)
        save(report, figure, "meshes_sphere_cp.png", "Cp around the sphere: too little recovery at the back is the drag")


def onera_m6(report, runner):
    section(report, runner, "ONERA M6, Mach 0.8395, 3.06 degrees", "onera_m6",
            "No exact solution. Another solver's inviscid flow on a mesh of 582,752 tetrahedra, converged by 11.5 orders, has CL 0.2808 and CD 0.00862. Coefficients are "
            "relative to 0.7575 m^2, half of the planform without its rounded tip (with it: 0.7646). This mesh has 34,422 triangles on the wing; another version of Gmsh "
            "makes another mesh. Below: pressure on the faces of the wing that lie within 10 mm of six sections, red above, blue below.")
    folder = runner.run_case("onera_m6")
    mach = 0.8395
    forces, fields = history(folder, "forces"), Fields(folder)
    within(report, "Cl, against the other solver", forces["wing_cl"][-1], 0.2808, 3, 4)
    report.row("Cd, compared with 0.00862", f"{forces['wing_cd'][-1]:.5f}", "none", True)
    stagnation = (1 + 0.2 * mach**2) ** 3.5
    within(report, "largest pressure in a cell, against the stagnation pressure", fields["pressure"].max(), stagnation, 3, 4,
           known=NOSE if runner.info().startswith("532304 ") else None)  # another mesh may keep the gate
    convergence(report, folder)
    if report.draws:
        wing = Fields(folder, name="walls")
        figure, axes = plt.subplots(2, 3, figsize=(10, 5.6), sharex=True, sharey=True)
        for axis, station in zip(axes.flat, (0.20, 0.44, 0.65, 0.80, 0.90, 0.95)):
            near = abs(wing.centres[:, 1] - station * 1.1963) < 0.01
            x, z, cp = wing.centres[near, 0], wing.centres[near, 2], wing["cp"][near]
            for side, colour in ((z > 0, "tab:red"), (z <= 0, "tab:blue")):
                axis.plot(((x - x.min()) / numpy.ptp(x))[side], cp[side], ".", markersize=2, color=colour)
            axis.set_title(f"{100 * station:.0f} % of the half span", fontsize=8)
            axis.grid(True, linewidth=0.3)
        axes[0, 0].invert_yaxis()
        figure.supxlabel("x / chord", fontsize=9), figure.supylabel("Cp", fontsize=9)
        save(report, figure, "meshes_onera_m6.png", "Cp on sections of ONERA's M6 wing")


SU2 = "[su2code/TestCases](https://github.com/su2code/TestCases), LGPL-2.1"
PYFR = "[PyFR/PyFR-Test-Cases](https://github.com/PyFR/PyFR-Test-Cases), CC BY 4.0"
UGAWG = "Gmsh 4.8.4, cases/onera_m6.geo and the geometry of [UGAWG/solution-adapt-cases](https://github.com/UGAWG/solution-adapt-cases)"
CASES = {
    "naca0012_inv.su2": (naca, SU2),
    "wedge_inv.su2": (wedge, SU2),
    "sphere_slice_mixed.su2": (sphere, SU2),
    "euler_vortex.msh": (vortex, PYFR),
    "onera_m6.msh": (onera_m6, UGAWG),
}


def main(options):
    """Runs what lies in the folder; the exit code."""
    here = {name: case for name, (case, source) in CASES.items() if (options.meshes / name).is_file()}
    missing = [name for name in CASES if name not in here]
    for name in missing:
        print(f"skipped {name}: it is not in {options.meshes}")
    if not here or (missing and options.write):
        print("nothing to run" if not here else "--write needs every file: the page has every mesh")
        return 1
    if options.write and plt is None:
        print("verify: error: the page has pictures: install matplotlib, or leave --write out")
        return 1
    report, start = Report(True, options.weft if options.write else None), time.time()
    with tempfile.TemporaryDirectory(prefix="weft-meshes-") as work:
        for name, case in here.items():
            runner = MeshRunner(options, pathlib.Path(work), (options.meshes / name).resolve())
            part = Report(True, options.weft if options.write else None)
            try:
                case(part, runner)
            except (RuntimeError, OSError, subprocess.CalledProcessError, LookupError, ValueError) as failure:
                part.failed(name, failure)
            report.sections += part.sections
    if options.write:
        ranks = f"{options.ranks} rank{'s' if options.ranks > 1 else ''}"
        device, where = ("", "") if options.device == "host" else (" --device cuda", f" with `--device cuda` ({machine(options.weft)})")
        header = (f"# Meshes made by others\n\nWritten by `tools/verify --meshes DIR{device} --write{named_ranks(options)}`; do not edit. DIR holds the files, which are "
                  f"not part of this project: nothing else needs them. Measured by running `weft` on {ranks}{where}; {GATES}.")
        (PICTURES / "meshes.md").write_text(report.markdown(header, ""))
    counts, code = outcome([report])
    print(f"\n{counts}, {len(missing)} meshes skipped\n{time.time() - start:.0f} s")
    return code
