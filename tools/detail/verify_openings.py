"""Cases of tools/verify on reservoirs, pressure outlets and far fields at the ends of tubes and ducts."""
import math

import numpy

from verification import Fields, figures, history
from verify_common import ELEMENTS_3D, FLUXES


def opening_case(mesh, kinds, rest, stop):
    """A case whose boundary zones are `kinds`, which maps each to the lines of its section."""
    case = f"[mesh]\n{mesh}[initial]\n{rest}"
    case += "".join(f"[boundary.{zone}]\n{text}" for zone, text in kinds.items())
    return case + stop


def outlet(pressure):
    return f'kind = "static_pressure_outflow"\npressure = {pressure}\n'


def reservoir(pressure, temperature):
    return f'kind = "total_pressure_inflow"\ntotal_pressure = {pressure}\ntotal_temperature = {temperature}\n'


CRITICAL = math.sqrt(1.4) * (1 / 1.2) ** 3  # density times velocity at Mach 1, of total pressure and temperature 1
SYMMETRY, LEAVES = 'kind = "symmetry"\n', 'kind = "supersonic_outflow"\n'


def uniform(density, speed, pressure):
    return f"density = {density}\npressure = {pressure}\nvelocity = [{speed}, 0.0, 0.0]\n"


def far_field(density, speed, pressure):
    return 'kind = "far_field"\n' + uniform(density, speed, pressure)


def exit_monitor(zone):
    """Lines of a case that record the mean Mach number at a zone."""
    return f'[monitors.exit]\nzones = ["{zone}"]\nquantities = ["mach"]\n'


def exit_mach(folder):
    return float(history(folder, "monitors")["exit_mach"][-1])


class HalfWave:
    """A gas (density, speed, pressure) and the wave that a pressure p sends to the left into it.

    Toro, sections 3.1.3 and 4.4.
    """

    def __init__(self, gas, p):
        g, (rho, u, p0) = 1.4, gas
        c = math.sqrt(g * p0 / rho)
        self.gas, self.c, self.shock = gas, c, p > p0
        if self.shock:
            mach = math.sqrt(1 + (g + 1) / (2 * g) * (p / p0 - 1))
            self.head = self.tail = u - c * mach
            self.star = (rho * (p / p0 + 1 / 6) / (p / p0 / 6 + 1), u - c * (p / p0 - 1) / (g * mach), p)
        else:
            ratio = (p / p0) ** (1 / 7)
            self.star = (rho * ratio**5, u + 5 * c * (1 - ratio), p)
            self.head, self.tail = u - c, self.star[1] - c * ratio

    def at(self, xi):
        rho, u, p = self.gas
        if xi <= self.head:
            return self.gas
        if xi >= self.tail:
            return self.star
        c = (u + 5 * self.c - xi) / 6  # u + 5 c is constant, and u - c = xi
        return rho * (c / self.c) ** 5, xi + c, p * (c / self.c) ** 7


def from_reservoir(gas, p0, t0):
    """Pressure and velocity on which a reservoir on the right and a wave into the gas agree.

    Also the density of the gas that enters.
    """
    low, high = p0 * (1 / 1.2) ** 3.5, p0
    for _ in range(100):
        p = 0.5 * (low + high)
        ratio = (p / p0) ** (2 / 7)
        speed = math.sqrt(7 * t0 * (1 - ratio))
        low, high = (p, high) if HalfWave(gas, p).star[1] > -speed else (low, p)
    return p / (t0 * ratio), -speed, p


ELEMENTS = ("quads", "triangles", "hexahedra", "tetrahedra")


def tube(elements, cells, ends, start, stop, low=0.0):
    """A tube from x = low to 1 with `cells` cells per metre along it, between symmetry planes.

    `ends` are the conditions of xmin and xmax.
    """
    across = 1 if elements in ("quads", "hexahedra") else 2
    mesh = f'generator = "box"\nelements = "{elements}"\nnx = {round(cells * (1 - low))}\nny = {across}\nxmin = {low}\nymax = {across / cells}\n'
    sides = ["ymin", "ymax"]
    if elements in ELEMENTS_3D:
        mesh += f"nz = {across}\nzmax = {across / cells}\n"
        sides += ["zmin", "zmax"]
    return opening_case(mesh, dict(zip(("xmin", "xmax"), ends)) | dict.fromkeys(sides, SYMMETRY), start, stop)


def openings(report, runner, full):
    report.section("Openings", "A gas in a tube that opens at x = 1 to an outlet or a reservoir: mean errors of density, velocity and pressure, the largest of "
                   "them, relative to the largest values (velocity: to the speed of sound), against the exact solution of the Riemann problem, in "
                   f"which the boundary is a contact; 400 cells, on {', '.join(ELEMENTS)}. On tetrahedra, "
                   "two across the tube, a shock leaves streaks of up to 5 % of the speed of sound, whose pattern is that of the mesh and does not thin with the grid: "
                   "twice the gate. Then shock tubes that run into such openings. Then a slab of hot gas that leaves. Then a closed tube of p = 1.05 that "
                   "opens to a reservoir of 1: its mean pressure goes up and down about 1, and comes to rest by the jets of the opening alone.")
    rest, slow, fast = (1.4, 0.0, 1.0), (1.4, 0.5, 1.0), (1.4, 2.0, 1.0)
    cells, elements = (400, ELEMENTS) if full else (100, ELEMENTS[::3])
    gates = [(0.5 if full else 2) * (2e-2 if kind == "tetrahedra" else 1e-2) for kind in elements]
    shown = ", ".join(f"{gate:.0e}" for gate in gates)
    tests = [("subsonic outflow, p 0.7", rest, outlet(0.7), 0.7, None), ("choked outflow, p 0.1", rest, outlet(0.1), 0.1, None),
             ("choked outflow, p 0.001", rest, outlet(0.001), 0.001, None),
             ("choked into a far field, p 0.02", rest, far_field(1.0, 0.0, 0.02), 0.02, None),
             ("choked into a far field of the same temperature, p 0.05", rest, far_field(0.07, 0.0, 0.05), 0.05, None),
             ("Mach 0.5, p 1.4: a shock comes in", slow, outlet(1.4), 1.4, None), ("Mach 2, p 4: leaves as it is", fast, outlet(4), None, None),
             ("Mach 2, p 6: a shock comes in", fast, outlet(6), 6, None),
             ("Mach 2 into a reservoir, p0 4: leaves as it is", fast, reservoir(4, 1), None, None),
             ("into a reservoir, p0 0.8", rest, reservoir(0.8, 1), 0.8, None), ("choked into a reservoir, p0 0.2", rest, reservoir(0.2, 1), 0.2, None),
             ("from a reservoir, p0 1.5, T0 1.5", rest, reservoir(1.5, 1.5), None, (1.5, 1.5)),
             ("Mach 0.5, turned round by a reservoir, p0 4, T0 1", slow, reservoir(4, 1), None, (4, 1)),
             ("back through an outlet, p 1.3, as a reservoir of the entropy inside", rest, outlet(1.3), None, (1.3, 1.3 ** (2 / 7) / 1.4))]
    for number, (what, gas, opening, pressure, source) in enumerate(tests):
        inflow = from_reservoir(gas, *source) if source else None
        wave = HalfWave(gas, inflow[2] if source else pressure or gas[2])
        worst = []
        for kind in elements:
            fields = Fields(runner.run(f"opening_{number}_{kind}", tube(kind, cells, (LEAVES, opening), uniform(*gas), "[numerics]\ncfl = 0.5\n[stop]\ntime = 0.4\n")))
            speeds = (fields.centres[:, 0] - 1) / 0.4
            worst.append(state_error(fields, numpy.array([inflow if source and xi > wave.star[1] else wave.at(xi) for xi in speeds])))
        report.row(what, ", ".join(f"{w:.1e}" for w in worst), f"<= {shown}", all(w <= gate for w, gate in zip(worst, gates)))
    for what, left, opening, pressure in (("shock tube into a reservoir, p0 1: subsonic", 3.0, reservoir(1, 1), 1.0), ("through an outlet, p 1: subsonic", 3.0, outlet(1), 1.0),
                                          ("shock tube into a reservoir, p0 1: supersonic", 1000.0, reservoir(1, 1), None),
                                          ("through an outlet, p 1: supersonic", 1000.0, outlet(1), None)):
        worst = [tube_into(runner, left, opening, pressure, cells, kind) for kind in elements]
        report.row(what, ", ".join(f"{w:.1e}" for w in worst), f"<= {shown}", all(w <= gate for w, gate in zip(worst, gates)))
    slab = 'kind = "expression"\ndensity_expression = "1.4 - (x > 0.4) * (x < 0.8)"\nvelocity_x_expression = "0.5"\npressure_expression = "1"\n'
    worst = []
    for kind in elements:
        case = tube(kind, cells, (far_field(1.4, 0.5, 1.0), far_field(1.4, 0.5, 1.0)), slab, "[numerics]\ncfl = 0.5\n[stop]\ntime = 0.8\n")
        worst.append(float(abs(Fields(runner.run(f"slab_{kind}", case))["pressure"] - 1).max()))
    report.row("a hot slab leaves through a far field at Mach 0.5: largest difference of pressure from 1", ", ".join(f"{w:.1e}" for w in worst), "<= 1e-12", max(worst) <= 1e-12)
    for kind in ELEMENTS:
        time_, mass, _ = emptied(runner, kind, 1.05 ** (1 / 1.4), 1.05)
        late = time_ > 66.2  # the last ten periods of the quarter wave, of 3.38 each
        mean = numpy.average(mass[late], weights=numpy.gradient(time_)[late])
        swings = [abs(mass[part] - 1).max() for part in (time_ < 33.8, late)]
        report.row(f"closed tube, {kind}: mean density, at last", f"{mean:.4f}", "1 +- 0.002", abs(mean - 1) <= 2e-3)
        report.row(f"closed tube, {kind}: largest difference from 1, of the first and the last ten periods", figures(swings), "<= 0.036, 0.025",
                   swings[0] <= 0.036 and swings[1] <= 0.025)


def state_error(fields, exact):
    """The largest mean error of density, velocity and pressure.

    Relative to the largest exact value, for the velocity to the speed of sound.
    """
    density, speed, pressure = exact.T
    sound = numpy.sqrt(1.4 * pressure / density).max()
    return max(abs(fields["density"] - density).mean() / density.max(), abs(fields["velocity"][:, 0] - speed).mean() / sound,
               abs(fields["pressure"] - pressure).mean() / pressure.max())


def tube_into(runner, left, opening, pressure, cells, elements):
    """Error in a shock tube on [-0.5, 1], split at x = 0.3, after its shock has left at x = 1."""
    high, low = (left, 0.0, left), (1.0, 0.0, 1.0)
    below, above = low[2], high[2]
    # Pressure and velocity between both waves; the right one is the mirror image of one to the left.
    for _ in range(200):
        star = 0.5 * (below + above)
        below, above = (star, above) if HalfWave(high, star).star[1] > -HalfWave(low, star).star[1] else (below, star)
    expansion, shock = HalfWave(high, star), HalfWave(low, star)
    behind = (shock.star[0], -shock.star[1], star)
    arrival = 0.7 / -shock.head
    end = 1.2 * arrival
    back = HalfWave(behind, pressure or star)
    start = 'kind = "riemann"\nx0 = 0.3\n' + "".join(f"{side}.density = {gas[0]}\n{side}.pressure = {gas[2]}\n" for side, gas in (("left", high), ("right", low)))
    case = tube(elements, cells, (LEAVES, opening), start, f"[numerics]\ncfl = 0.5\n[stop]\ntime = {end}\n", low=-0.5)
    fields = Fields(runner.run(f"into_{left:g}_{'reservoir' if 'total' in opening else 'outlet'}_{elements}", case))
    exact = []
    for x in fields.centres[:, 0]:
        xi, returned = (x - 0.3) / end, (x - 1) / (end - arrival)
        exact.append(back.at(returned) if returned > back.head and pressure else behind if xi > expansion.star[1] else expansion.at(xi))
    return state_error(fields, numpy.array(exact))


def emptied(runner, elements, density, pressure):
    """Integrals over time, per volume, of a closed tube that opens to a reservoir of 1."""
    across = 'ny = 2\nymax = 0.04\n' + ("nz = 2\nzmax = 0.04\n" if elements in ELEMENTS_3D else "")
    sides = ("xmax", "ymin", "ymax") + (("zmin", "zmax") if elements in ELEMENTS_3D else ())
    case = opening_case(f'generator = "box"\nnx = 50\n{across}elements = "{elements}"\n', {"xmin": reservoir(1, 1)} | dict.fromkeys(sides, SYMMETRY),
                        uniform(density, 0.0, pressure), "[stop]\ntime = 100\n[output]\nintegrals = true\nhistory_steps = 5\n")
    rows = history(runner.run(f"emptied_{elements}_{pressure:g}", case), "integrals")
    volume = 0.04**2 if elements in ELEMENTS_3D else 0.04
    return rows["time"], rows["density"] / volume, rows["energy"] / volume


def ducts(report, runner, full):
    report.section("Choked ducts", f"A straight duct between a reservoir (total pressure and temperature 1) and a low pressure, from a start at rest and from a supersonic one, "
                   f"at t = 120: mass flux per area, and Mach number at the exit; by theory {CRITICAL:.4f} for every low pressure, with Mach 1 along the duct, which is approached as 1/t. "
                   "Then every flux, from rest, with the pressures 0.5, 0.2, 0.1, 0.05 and 0.02 at an outlet: the mass fluxes, the largest difference between them, and the Mach numbers at the exit.")
    for kind in ELEMENTS:
        solid = kind in ELEMENTS_3D
        mesh = f'generator = "box"\nnx = 30\nny = 2\nymax = 0.06\nelements = "{kind}"\n' + ("nz = 2\nzmax = 0.06\n" if solid else "")
        sides = dict.fromkeys(("ymin", "ymax", "zmin", "zmax") if solid else ("ymin", "ymax"), SYMMETRY)
        for name, what, end in (("outlet", "outlet, p 0.1", outlet(0.1)), ("far", "far field, p 0.05 and temperature 1", far_field(0.05, 0.0, 0.05))):
            flows, machs = [], []
            for start, state in (("rest", uniform(1.0, 0.0, 1.0)), ("fast", uniform(0.63, 1.2, 0.52))):
                folder = runner.run(f"duct_{name}_{kind}_{start}", opening_case(mesh, {"xmin": reservoir(1, 1), "xmax": end} | sides, state, "[stop]\ntime = 120\n" + exit_monitor("xmax")))
                fields = Fields(folder)
                flows.append(float((fields["density"] * fields["velocity"][:, 0]).mean()))
                machs.append(exit_mach(folder))
            report.row(f"{kind}, {what}: Mach number at the exit, from rest, from supersonic flow", ", ".join(f"{m:.4f}" for m in machs), "1 +- 1 %",
                       all(abs(m - 1) <= 1e-2 for m in machs))
            report.row(f"{kind}, {what}: from rest, from supersonic flow", ", ".join(f"{f:.4f}" for f in flows), f"{CRITICAL:.4f} +- 0.5 %",
                       all(abs(f / CRITICAL - 1) <= 5e-3 for f in flows))
        for flux in FLUXES if full else ("hllc_hlle", "rusanov"):
            flows, machs = [], []
            for pressure in (0.5, 0.2, 0.1, 0.05, 0.02) if full else (0.5, 0.02):
                numerics = f'[numerics]\nflux = "{flux}"\n'
                folder = runner.run(f"duct_{kind}_{flux}_{pressure}", opening_case(mesh, {"xmin": reservoir(1, 1), "xmax": outlet(pressure)} | sides, uniform(1.0, 0.0, 1.0),
                                                                                   "[stop]\ntime = 120\n" + numerics + exit_monitor("xmax")))
                fields = Fields(folder)
                flows.append(float((fields["density"] * fields["velocity"][:, 0]).mean()))
                machs.append(exit_mach(folder))
            apart = max(flows) / min(flows) - 1
            report.row(f"{kind}, {flux}: mass fluxes, largest difference", f"{min(flows):.4f} to {max(flows):.4f}, {apart:.0e}", f"{CRITICAL:.4f} +- 0.5 %, 1e-4",
                       all(abs(f / CRITICAL - 1) <= 5e-3 for f in flows) and apart <= 1e-4)
            report.row(f"{kind}, {flux}: Mach numbers at the exit", f"{min(machs):.4f} to {max(machs):.4f}", "1 +- 1 %", all(abs(m - 1) <= 1e-2 for m in machs))
