"""Cases of tools/verify with moving shocks: shock tubes, forward step, double Mach reflection."""
import math

import numpy

from verification import Fields, PYPLOT, ROOT, draw_field, errors_of, figures, plt, save
from verify_openings import outlet, uniform

SHOCK_TUBES = {  # name: (end time, relative, prototype's L1 of density at 100, 200, 400 cells)
    "sod": (0.2, False, [4.7e-3, 2.5e-3, 1.4e-3]),
    "lax": (0.14, False, [1.9e-2, 1.1e-2, 5.6e-3]),
    "toro_123": (0.15, False, [4.8e-3, 2.5e-3, 1.2e-3]),
    "toro_left_blast": (0.012, True, [0.13, 0.08, 0.04]),
    "toro_collision": (0.035, True, [0.038, 0.021, 0.013]),
}


def shock_tubes(report, runner, full):
    report.section("Shock tubes", "Exact Riemann solutions on 100, 200 and 400 cells: L1 error of density (blast and collision: "
                   "relative to the mean density). Gate: twice the errors of a plain second-order prototype.")
    profiles = {}
    for name, (end, relative, seen) in SHOCK_TUBES.items():
        values = []
        for n in (100, 200, 400):
            folder = runner.run(f"{name}_{n}", tube(name, n, end))
            values.append(tube_error(folder, relative))
            if n == 200:
                profiles[name] = Fields(folder)
        good = all(v <= 2 * s for v, s in zip(values, seen))
        report.row(name, figures(values), f"<= {figures(2 * s for s in seen)}", good)
    if report.draws:
        with PYPLOT:
            figure, axes = plt.subplots(1, len(profiles), figsize=(3.2 * len(profiles), 3))
            for axis, (name, fields) in zip(axes, profiles.items()):
                order = numpy.argsort(fields.centres[:, 0])
                axis.plot(fields.centres[order, 0], fields["density"][order], ".", markersize=3)
                axis.set_title(name, fontsize=9), axis.tick_params(labelsize=7)
            save(report, figure, "shock_tubes.png", "Density along the tubes, 200 cells, at the end times")


def tube(name, cells, end, numerics=""):
    """A shock tube of `cells` cells along x."""
    case = f'[mesh]\ngenerator = "box"\nnx = {cells}\nny = 1\nymax = {1 / cells}\n[initial]\nkind = "{name}"\n'
    case += "".join(f'[boundary.{z}]\nkind = "{k}"\n' for z, k in (
        ("xmin", "supersonic_outflow"), ("xmax", "supersonic_outflow"), ("ymin", "symmetry"), ("ymax", "symmetry")))
    return case + f"[numerics]\ncfl = 0.5\n{numerics}[stop]\ntime = {end}\n[output]\nexact_errors = true\n"


def tube_error(folder, relative):
    value = errors_of(folder)["density"]["l1"]
    return value / Fields(folder)["density"].mean() if relative else value


def fluxes(report, runner, full):
    report.section("Fluxes", "The shock tubes above on 200 cells by flux, with the same gates. Roe's is not positive in the 123 problem, whose middle "
                   "is nearly a vacuum.")
    for name, (end, relative, seen) in SHOCK_TUBES.items():
        for flux in ("hllc", "hlle", "ausm_plus_up", "roe", "rusanov", "hllc_hlle") if full else ("hlle", "ausm_plus_up"):
            if (name, flux) == ("toro_123", "roe"):
                continue
            value = tube_error(runner.run(f"{name}_{flux}", tube(name, 200, end, f'flux = "{flux}"\n')), relative)
            report.row(f"{name}, {flux}", f"{value:.2e}", f"<= {2 * seen[1]:.2e}", value <= 2 * seen[1])


def forward_step(report, runner, full):
    h = 0.0125  # the quick run, too: cells of 0.025 touch a shock that is still blurred at the foot
    report.section("Forward-facing step", "Mach 3 wind tunnel with a step, t = 4 (Woodward and Colella 1984). The foot of the Mach stem on "
                   "the upper wall stands near x = 0.6 in the published pictures; the gas that comes to rest in front of the step has "
                   "gone through a normal shock, then an isentropic compression. Where the reflected shock meets the step it has a short Mach stem, which "
                   "the entropy made at the corner causes (docs/notes/2026-11-expansion-corners.md).")
    folder = runner.run("step", (ROOT / "cases" / "forward_step.toml").read_text(), mesh__h=h)
    fields = Fields(folder)
    x, y, rho = fields.centres[:, 0], fields.centres[:, 1], fields["density"]
    gamma, mach = 1.4, 3
    shock = (gamma + 1) * mach**2 / ((gamma - 1) * mach**2 + 2)
    behind = (1 + (gamma - 1) / 2 * mach**2) / (gamma * mach**2 - (gamma - 1) / 2)  # Mach number squared
    exact = 1.4 * shock * (1 + (gamma - 1) / 2 * behind) ** (1 / (gamma - 1))
    foot = rho[(x > 0.6 - 2 * h) & (x < 0.6) & (y < 2 * h)].mean()
    report.row(f"density at the foot of the step, h = {h}; exact {exact:.3f}", f"{foot:.3f}", "within 2 %", abs(foot / exact - 1) <= 0.02)
    top = numpy.argsort(numpy.where(y > 1 - h, x, numpy.inf))[: int((y > 1 - h).sum())]
    stem = x[top][numpy.argmax(numpy.diff(rho[top]))] + 0.5 * h
    report.row(f"Mach stem at the upper wall, h = {h}", f"x = {stem:.3f}", "0.5 to 0.75", 0.5 <= stem <= 0.75)
    draw_field(report, folder, "density", "forward_step.png", f"Density contours, forward step, h = {h}", "--shading", "none", "--lines", "30")


def double_mach(report, runner, full):
    n = 120 if full else 60
    report.section("Double Mach reflection", "A Mach 10 shock runs up a wall of 30 degrees, t = 0.2 (Woodward and Colella 1984), from the foot of the wall "
                   "on. At the upper edge the shock is where it would be without the wall; in the published pictures the Mach stem stands near "
                   "x = 2.8 on the wall, and a jet rolls up behind it.")
    case = f'[mesh]\ngenerator = "box"\nnx = {3 * n}\nny = {n}\nxmin = {1 / 6}\nxmax = {3 + 1 / 6}\n[initial]\nkind = "double_mach"\n'
    case += "".join(f'[boundary.{z}]\nkind = "prescribed"\nstate = "double_mach"\n' for z in ("xmin", "ymax"))
    case += '[boundary.ymin]\nkind = "slip_wall"\n[boundary.xmax]\nkind = "supersonic_outflow"\n[stop]\ntime = 0.2\n'
    folder = runner.run("double_mach", case)
    fields = Fields(folder)
    x, y, rho = fields.centres[:, 0], fields.centres[:, 1], fields["density"]
    ahead = 1.4
    front = [x[band & (rho > 2 * ahead)].max() + 0.5 / n for band in (y > 1 - 1 / n, y < 1 / n)]
    exact = 1 / 6 + (1 + 20 * 0.2) / math.sqrt(3)
    report.row(f"shock at the upper edge, h = 1/{n}; exact {exact:.4f}", f"x = {front[0]:.4f}", "within 2 h", abs(front[0] - exact) <= 2 / n)
    report.row(f"foot of the Mach stem, h = 1/{n}", f"x = {front[1]:.3f}", "2.7 to 2.9", 2.7 <= front[1] <= 2.9)
    draw_field(report, folder, "density", "double_mach.png", f"Density contours, double Mach reflection, h = 1/{n}", "--shading", "none", "--lines", "30")


def strong_shock(report, runner, full):
    report.section("Strong shocks along the grid", "A Mach 10 shock runs 44 cells through a tube whose mesh is displaced at random (by 0.01 cells; triangles by 0.2, with three "
                   "seeds of the random numbers): the largest velocity across the tube, in speeds of sound ahead of the shock, exactly 0. For the default flux, for HLLE, and for HLLC, which breaks up. "
                   "On triangles HLLE is the measure, also of the mean error of density within 0.3 m of the shock's exact place, relative to the density behind it.")
    ratio, pressure = 2.4 * 100 / 42, 1 + 2.8 / 2.4 * 99
    for elements, seed in (("quads", 1), ("triangles", 1), ("triangles", 5), ("triangles", 7), ("hexahedra", 1)):
        most, wrong = {}, {}
        for flux in ("hllc", "hlle", "hllc_hlle"):
            deep = elements == "hexahedra"
            fine = 2 if elements == "triangles" else 1
            case = f'[mesh]\ngenerator = "box"\nnx = {60 * fine}\nny = {6 * fine}\nxmax = 3.0\nymax = 0.3\nelements = "{elements}"\nseed = {seed}\n'
            case += "nz = 3\nzmax = 0.15\n" if deep else ""
            case += f"jitter = {0.2 if elements == 'triangles' else 0.01}\n"
            case += '[initial]\nkind = "expression"\n'
            case += f'density_expression = "x < 0.3 ? {1.4 * ratio} : 1.4"\nvelocity_x_expression = "x < 0.3 ? {10 * (1 - 1 / ratio)} : 0"\n'
            case += f'pressure_expression = "x < 0.3 ? {pressure} : 1"\n'
            case += f'[boundary.xmin]\nkind = "supersonic_inflow"\ndensity = {1.4 * ratio}\npressure = {pressure}\nvelocity = [{10 * (1 - 1 / ratio)}, 0.0{", 0.0" if deep else ""}]\n'
            case += '[boundary.xmax]\nkind = "supersonic_outflow"\n'
            case += "".join(f'[boundary.{z}]\nkind = "slip_wall"\n' for z in ("ymin", "ymax") + (("zmin", "zmax") if deep else ()))
            case += f'[numerics]\nflux = "{flux}"\ncfl = 0.6\n[stop]\ntime = 0.22\n'
            fields = Fields(runner.run(f"strong_{elements}_{seed}_{flux}", case))
            most[flux] = abs(fields["velocity"][:, 1:]).max()
            x = fields.centres[:, 0]
            around = abs(x - 2.5) < 0.3
            wrong[flux] = abs(fields["density"] / (1.4 * ratio) - numpy.where(x < 2.5, 1, 1 / ratio))[around].mean()
        seeded = f", seed {seed}" if elements == "triangles" else ""
        bound = 1.3 * most["hlle"] if seeded else 0.1
        report.row(f"{elements}{seeded} (HLLC {most['hllc']:.2g}, HLLE {most['hlle']:.2g})", f"{most['hllc_hlle']:.2g}", f"<= {bound:.2g}", most["hllc_hlle"] <= bound)
        if seeded:
            bound = 1.3 * wrong["hlle"]
            report.row(f"{elements}{seeded}, error of density (HLLC {100 * wrong['hllc']:.2f} %, HLLE {100 * wrong['hlle']:.2f} %)", f"{100 * wrong['hllc_hlle']:.2f} %",
                       f"<= {100 * bound:.2f} %", wrong["hllc_hlle"] <= bound)


def front(fields, middle):
    """Where the mean density of a column, 0.05 m wide in a tube of 3 m, passes the middle from above."""
    column = numpy.floor(fields.centres[:, 0] / 0.05).astype(int)
    mean = numpy.array([fields["density"][column == k].mean() for k in range(60)])
    last = int(numpy.nonzero(mean > middle)[0][-1])
    return 0.05 * (last + 0.5 + (mean[last] - middle) / (mean[last] - mean[last + 1]))


def slow_shock(report, runner, full):
    report.section("Slow shocks along the grid", "The same tubes with a Mach 6 shock that moves by 0.2 speeds of sound in the frame of the mesh, over 10 cells: the largest "
                   "velocity across the tube, and the place of the shock, where the mean density of a column of cells passes the middle, against the exact one.")
    mach, speed, end = 6, 0.2, 2.5
    ratio, pressure = 2.4 * mach**2 / (0.4 * mach**2 + 2), 1 + 2.8 / 2.4 * (mach**2 - 1)
    ahead, behind = speed - mach, speed - mach / ratio  # velocities
    for elements, gate in (("quads", 0.1), ("triangles", None), ("hexahedra", 0.1)):
        most = {}
        for flux in ("hllc", "hlle", "hllc_hlle"):
            deep = elements == "hexahedra"
            case = f'[mesh]\ngenerator = "box"\nnx = 60\nny = 6\nxmax = 3.0\nymax = 0.3\nelements = "{elements}"\n'
            case += "nz = 3\nzmax = 0.15\n" if deep else ""
            case += f"jitter = {0.2 if elements == 'triangles' else 0.01}\n"
            case += f'[initial]\nkind = "expression"\ndensity_expression = "x < 1.2 ? {1.4 * ratio} : 1.4"\n'
            case += f'velocity_x_expression = "x < 1.2 ? {behind} : {ahead}"\npressure_expression = "x < 1.2 ? {pressure} : 1"\n'
            case += f"[boundary.xmin]\n{outlet(pressure)}[boundary.xmax]\nkind = \"supersonic_inflow\"\n{uniform(1.4, ahead, 1)}"
            case += "".join(f'[boundary.{z}]\nkind = "slip_wall"\n' for z in ("ymin", "ymax") + (("zmin", "zmax") if deep else ()))
            case += f'[numerics]\nflux = "{flux}"\ncfl = 0.6\n[stop]\ntime = {end}\n'
            folder = runner.run(f"slow_{elements}_{flux}", case)
            fields = Fields(folder)
            most[flux] = abs(fields["velocity"][:, 1:]).max()
            if elements == "quads" and flux != "hlle":
                draw_field(report, folder, "density", f"slow_shock_{flux}.png", f"Density, slow shock on quads, {flux}")
        place = front(fields, 0.7 * (1 + ratio))
        bound = gate or 1.3 * most["hlle"]
        report.row(f"{elements} (HLLC {most['hllc']:.2g}, HLLE {most['hlle']:.2g})", f"{most['hllc_hlle']:.2g}", f"<= {bound:.2g}", most["hllc_hlle"] <= bound)
        report.row(f"{elements}: place of the shock; exact {1.2 + speed * end:.2f}", f"{place:.3f}", "+- 0.05", abs(place - 1.2 - speed * end) <= 0.05)


def normal_shock(report, runner, full):
    report.section("Normal shocks", "Gas runs along a tube of 60 x 6 cells (nodes displaced at random by 0.01 cells) against a wall, from which a shock of Mach 3 or 10 relative to the gas ahead "
                   "of it runs back to 2 m: means of density and pressure from 0.5 to 1.5 m against those of Rankine and Hugoniot, the largest deviation of a cell there, and the place of the "
                   "shock, where the mean density of a column passes the middle. Nothing in the case contains the state after the shock. Single cells deviate more "
                   "than the means do: a shock that moves slowly through a mesh leaves small waves.")
    for elements in ("quads", "triangles"):
        for mach in (3, 10):
            ratio, pressure = 2.4 * mach**2 / (0.4 * mach**2 + 2), 1 + 2.8 / 2.4 * (mach**2 - 1)
            speed = mach * (1 - 1 / ratio)  # the gas runs to the wall with it
            case = f'[mesh]\ngenerator = "box"\nnx = 60\nny = 6\nxmax = 3.0\nymax = 0.3\nelements = "{elements}"\njitter = 0.01\n'
            case += f'[initial]\nkind = "uniform"\n{uniform(1.4, -speed, 1)}[boundary.xmax]\nkind = "supersonic_inflow"\n{uniform(1.4, -speed, 1)}'
            case += "".join(f'[boundary.{z}]\nkind = "slip_wall"\n' for z in ("xmin", "ymin", "ymax"))
            fields = Fields(runner.run(f"normal_{elements}_{mach}", case + f"[numerics]\ncfl = 0.6\n[stop]\ntime = {2 / (mach - speed)}\n"))
            x = fields.centres[:, 0]
            behind = (x > 0.5) & (x < 1.5)
            for what, values, exact in (("rho2/rho1", fields["density"] / 1.4, ratio), ("p2/p1", fields["pressure"], pressure)):
                errors = values[behind] / exact - 1
                report.row(f"Mach {mach}, {elements}, {what} = {exact:.6f}", f"{100 * errors.mean():+.3f} %, largest {100 * abs(errors).max():.1f} %", "mean within 0.2 %",
                           abs(errors.mean()) <= 2e-3)
            place = front(fields, 0.7 * (1 + ratio))
            report.row(f"Mach {mach}, {elements}: place of the shock; exact 2", f"{place:.4f}", "+- 0.01", abs(place - 2) <= 0.01)
