"""Cases of tools/verify on inlets, outlets, walls and nozzles."""
import math

import numpy

from verification import Fields, errors_of, figures, history
from verify_common import ELEMENTS_2D, ELEMENTS_3D, order_row


def boundaries(report, runner, full):
    report.section("Outlets and walls", "Without a limiter. An entropy wave of amplitude 0.2 that leaves through supersonic_outflow at Mach "
                   "2.5 along (3, 1): maximum error of density at t = 0.6. A column of gas at rest, rho = p = exp(-y), between slip walls "
                   "under gravity 1: largest velocity up to t = 0.5 in the cell at the floor; in a duct, whose tetrahedra in its edges have two faces on walls, at t = 0.5 in any cell. With numerics.well_balanced, after 500 steps in a "
                   "closed box with 8 cells per scale height (4 in 3-D), Barth-Jespersen: largest velocity anywhere.")
    sizes = [16, 32, 64] if full else [16, 32]
    wave = 'amplitude = 0.2\nwave = [1.0, 1.0, 0.0]\nvelocity = [3.0, 1.0, 0.0]\n'
    for elements, gradient in (("quads", "least_squares"), ("quads", "green_gauss"), ("triangles", "least_squares"), *((e, "least_squares") for e in ELEMENTS_3D[:4])):
        values, grids = [], sizes if elements in ELEMENTS_2D else sizes[:2]
        for n in grids:
            case = f'[mesh]\ngenerator = "box"\nnx = {n}\nny = {n}\nelements = "{elements}"\n'
            case += '[[mesh.periodic]]\nfrom = "ymin"\nto = "ymax"\ntranslation = [0.0, 1.0, 0.0]\n'
            if elements in ELEMENTS_3D:  # in two layers
                case = case.replace("nx =", f"nz = 2\nzmax = {2 / n}\nnx =")
                case += f'[[mesh.periodic]]\nfrom = "zmin"\nto = "zmax"\ntranslation = [0.0, 0.0, {2 / n}]\n'
            case += f'[initial]\nkind = "entropy_wave"\n{wave}[boundary.xmin]\nkind = "prescribed"\nstate = "entropy_wave"\n{wave}'
            case += '[boundary.xmax]\nkind = "supersonic_outflow"\n'
            case += f'[numerics]\nlimiter = "none"\ngradient = "{gradient}"\ncfl = 0.5\n[stop]\ntime = 0.6\n[output]\nexact_errors = true\n'
            values.append(errors_of(runner.run(f"outflow_{elements}_{gradient}_{n}", case))["density"]["linf"])
        order_row(report, f"wave through the outlet, {elements}, {gradient}", grids, values, 1.9)
    for elements in ("quads", "triangles", *ELEMENTS_3D[:4]):
        solid, values = elements in ELEMENTS_3D, []
        for n in sizes:
            case = f'[mesh]\ngenerator = "box"\nnx = 2\nny = {n}\nxmax = {2 / n}\nelements = "{elements}"\n' + (f"nz = 2\nzmax = {2 / n}\n" if solid else "")
            for axis, shift in (("x", [2 / n, 0.0, 0.0]), ("z", [0.0, 0.0, 2 / n]))[:2 if solid else 1]:
                case += f'[[mesh.periodic]]\nfrom = "{axis}min"\nto = "{axis}max"\ntranslation = {shift}\n'
            case += "[body_force]\nacceleration = [0.0, -1.0, 0.0]\n"
            case += '[initial]\nkind = "expression"\ndensity_expression = "exp(-y)"\npressure_expression = "exp(-y)"\n'
            case += "".join(f'[boundary.{zone}]\nkind = "slip_wall"\n' for zone in ("ymin", "ymax"))
            case += f'[numerics]\nlimiter = "none"\ncfl = 0.5\n[stop]\ntime = 0.5\n[probes.floor]\nat = [{0.6 / n}, {0.2 / n}, {0.4 / n if solid else 0.0}]\n[output]\nhistory_steps = 1\n'
            rows = history(runner.run(f"column_{elements}_{n}", case), "probes")
            values.append(float(numpy.abs(rows["floor_velocity_y"]).max()))
        order_row(report, f"column at rest, {elements}, velocity at the floor", sizes, values, 1.9)
    for sides in ("slip_wall", "symmetry"):
        values = []
        for n in sizes:
            case = f'[mesh]\ngenerator = "box"\nnx = 2\nny = {n}\nnz = 2\nxmax = {2 / n}\nzmax = {2 / n}\nelements = "tetrahedra"\n'
            case += '[body_force]\nacceleration = [0.0, -1.0, 0.0]\n'
            case += '[initial]\nkind = "expression"\ndensity_expression = "exp(-y)"\npressure_expression = "exp(-y)"\n'
            case += "".join(f'[boundary.{axis}{end}]\nkind = "{"slip_wall" if axis == "y" else sides}"\n' for axis in "xyz" for end in ("min", "max"))
            case += '[numerics]\nlimiter = "none"\ncfl = 0.5\n[stop]\ntime = 0.5\n'
            values.append(float(numpy.linalg.norm(Fields(runner.run(f"duct_{sides}_{n}", case))["velocity"], axis=1).max()))
        order_row(report, f"column at rest in a duct of tetrahedra, sides: {sides}, velocity anywhere at t = 0.5", sizes, values, 1.9)
    for elements in ("quads", "triangles", *ELEMENTS_3D[:4]):
        solid = elements in ELEMENTS_3D
        n, third = (4, "nz = 4\n") if solid else (8, "")
        case = f'[mesh]\ngenerator = "box"\nnx = {n}\nny = {n}\n{third}elements = "{elements}"\n[body_force]\nacceleration = [0.0, -1.0, 0.0]\n'
        case += '[initial]\nkind = "expression"\ndensity_expression = "exp(-y)"\npressure_expression = "exp(-y)"\n'
        kinds = {"xmin": "symmetry", "xmax": "slip_wall", "ymin": "slip_wall", "ymax": "slip_wall"} | ({"zmin": "symmetry", "zmax": "slip_wall"} if solid else {})
        case += "".join(f'[boundary.{zone}]\nkind = "{kind}"\n' for zone, kind in kinds.items())
        case += '[numerics]\nwell_balanced = true\n[stop]\nsteps = 500\n'
        fastest = float(numpy.abs(Fields(runner.run(f"kept_column_{elements}", case))["velocity"]).max())
        report.row(f"column that is kept, {elements}", f"{fastest:.1e}", "<= 1e-12", fastest <= 1e-12)


def opening_case(mesh, kinds, rest, stop):
    """A case whose boundary zones are `kinds`, which maps each to the lines of its section."""
    case = f"[mesh]\n{mesh}[initial]\n{rest}"
    case += "".join(f"[boundary.{zone}]\n{text}" for zone, text in kinds.items())
    return case + stop


def outlet(pressure):
    return f'kind = "static_pressure_outflow"\npressure = {pressure}\n'


def reservoir(pressure, temperature):
    return f'kind = "total_pressure_inflow"\ntotal_pressure = {pressure}\ntotal_temperature = {temperature}\n'


SYMMETRY, LEAVES = 'kind = "symmetry"\n', 'kind = "supersonic_outflow"\n'


def uniform(density, speed, pressure):
    return f"density = {density}\npressure = {pressure}\nvelocity = [{speed}, 0.0, 0.0]\n"


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


def openings(report, runner, full):
    report.section("Openings", "A gas in a tube that opens at x = 1 to an outlet or a reservoir: mean errors of density, velocity and pressure, the largest of "
                   "them, relative to the largest values (velocity: to the speed of sound), against the exact solution of the Riemann problem, in "
                   "which the boundary is a contact; 400 cells. Then shock tubes that run into such openings. Then a closed tube of p = 1.05 that "
                   "opens to a reservoir of 1: its mean pressure goes up and down about 1, and comes to rest by the jets of the opening alone.")
    rest, slow, fast = (1.4, 0.0, 1.0), (1.4, 0.5, 1.0), (1.4, 2.0, 1.0)
    cells = 400 if full else 100
    tests = [("subsonic outflow, p 0.7", rest, outlet(0.7), 0.7, None), ("choked outflow, p 0.1", rest, outlet(0.1), 0.1, None),
             ("choked outflow, p 0.001", rest, outlet(0.001), 0.001, None),
             ("choked into a far field, p 0.02", rest, 'kind = "far_field"\n' + uniform(1.0, 0.0, 0.02), 0.02, None),
             ("Mach 0.5, p 1.4: a shock comes in", slow, outlet(1.4), 1.4, None), ("Mach 2, p 4: leaves as it is", fast, outlet(4), None, None),
             ("Mach 2, p 6: a shock comes in", fast, outlet(6), 6, None),
             ("Mach 2 into a reservoir, p0 4: leaves as it is", fast, reservoir(4, 1), None, None),
             ("into a reservoir, p0 0.8", rest, reservoir(0.8, 1), 0.8, None), ("choked into a reservoir, p0 0.2", rest, reservoir(0.2, 1), 0.2, None),
             ("from a reservoir, p0 1.5, T0 1.5", rest, reservoir(1.5, 1.5), None, (1.5, 1.5)),
             ("Mach 0.5, turned round by a reservoir, p0 4, T0 1", slow, reservoir(4, 1), None, (4, 1)),
             ("back through an outlet, p 1.3, as a reservoir of the entropy inside", rest, outlet(1.3), None, (1.3, 1.3 ** (2 / 7) / 1.4))]
    for number, (what, gas, opening, pressure, source) in enumerate(tests):
        box = f'generator = "box"\nnx = {cells}\nny = 1\nymax = {1 / cells}\n'
        case = opening_case(box, {"xmin": LEAVES, "xmax": opening, "ymin": SYMMETRY, "ymax": SYMMETRY}, uniform(*gas),
                            "[numerics]\ncfl = 0.5\n[stop]\ntime = 0.4\n")
        fields = Fields(runner.run(f"opening_{number}", case))
        inflow = from_reservoir(gas, *source) if source else None
        wave = HalfWave(gas, inflow[2] if source else pressure or gas[2])
        exact = []
        for x in fields.centres[:, 0]:
            xi = (x - 1) / 0.4
            exact.append(inflow if source and xi > wave.star[1] else wave.at(xi))
        worst = state_error(fields, numpy.array(exact))
        report.row(what, f"{worst:.1e}", f"<= {(0.5 if full else 2) * 1e-2:.0e}", worst <= (0.5 if full else 2) * 1e-2)
    for what, left, opening, pressure in (("shock tube into a reservoir, p0 1: subsonic", 3.0, reservoir(1, 1), 1.0), ("through an outlet, p 1: subsonic", 3.0, outlet(1), 1.0),
                                          ("shock tube into a reservoir, p0 1: supersonic", 1000.0, reservoir(1, 1), None),
                                          ("through an outlet, p 1: supersonic", 1000.0, outlet(1), None)):
        worst = tube_into(runner, left, opening, pressure, cells)
        report.row(what, f"{worst:.1e}", f"<= {(0.5 if full else 2) * 1e-2:.0e}", worst <= (0.5 if full else 2) * 1e-2)
    for kind in ("quads", "triangles"):
        case = opening_case(f'generator = "box"\nnx = 50\nny = 2\nymax = 0.04\nelements = "{kind}"\n',
                            {"xmin": reservoir(1, 1), "xmax": SYMMETRY, "ymin": SYMMETRY, "ymax": SYMMETRY}, uniform(1.05 ** (1 / 1.4), 0.0, 1.05),
                            "[stop]\ntime = 100\n[output]\nintegrals = true\nhistory_steps = 5\n")
        rows = history(runner.run(f"emptied_{kind}", case), "integrals")
        time_, mass = rows["time"], rows["density"] / 0.04
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


def tube_into(runner, left, opening, pressure, cells):
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
    box = f'generator = "box"\nnx = {cells * 3 // 2}\nny = 1\nxmin = -0.5\nymax = {1 / cells}\n'
    start = 'kind = "riemann"\nx0 = 0.3\n' + "".join(f"{side}.density = {gas[0]}\n{side}.pressure = {gas[2]}\n" for side, gas in (("left", high), ("right", low)))
    case = opening_case(box, {"xmin": LEAVES, "xmax": opening, "ymin": SYMMETRY, "ymax": SYMMETRY}, start,
                        f"[numerics]\ncfl = 0.5\n[stop]\ntime = {end}\n")
    fields = Fields(runner.run(f"into_{left:g}_{'reservoir' if 'total' in opening else 'outlet'}", case))
    exact = []
    for x in fields.centres[:, 0]:
        xi, returned = (x - 0.3) / end, (x - 1) / (end - arrival)
        exact.append(back.at(returned) if returned > back.head and pressure else behind if xi > expansion.star[1] else expansion.at(xi))
    return state_error(fields, numpy.array(exact))


def area_ratio(mach):
    return (5 / 6 * (1 + 0.2 * mach**2)) ** 3 / mach


def mach_of(ratio, low, high):
    """Where area_ratio() is `ratio`, between two Mach numbers on one side of 1."""
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (area_ratio(middle) > ratio) == (low < 1) else (low, middle)
    return middle


def nozzles(report, runner, full):
    critical = math.sqrt(1.4) * (1 / 1.2) ** 3
    report.section("Nozzles", f"Total pressure and temperature 1. A converging nozzle: mass flux per area of its throat, by theory {critical:.4f} for every pressure behind it below "
                   "0.528, and the largest difference between the pressures 0.5, 0.2 and 0.02. A converging and diverging one, whose pressure behind stands for a "
                   "normal shock 0.6 m behind the throat in quasi-one-dimensional flow: where the Mach number on the axis falls below 1, and the total pressure at "
                   "the exit, from a start at rest and from one that is supersonic.")
    zones = {"inlet": reservoir(1, 1), "wall": 'kind = "slip_wall"\n', "axis": SYMMETRY}
    choices = [("quads", flux) for flux in ("hllc", "roe", "rusanov", "hlle", "ausm_plus_up")] + [("triangles", "hllc"), ("tetrahedra", "hllc")]
    for kind, flux in choices if full else choices[:1] + choices[5:]:
        flows = []
        for pressure in (0.5, 0.2, 0.02):
            solid = {"zmin": SYMMETRY, "zmax": SYMMETRY} if kind == "tetrahedra" else {}
            mesh = f'generator = "nozzle"\nnx = 32\nny = 3\ndiverging = 0.0\nelements = "{kind}"\n' + ("layers = 3\n" if solid else "")
            case = opening_case(mesh, zones | {"outlet": outlet(pressure)} | solid, uniform(0.9, 0.2, 0.86),
                                f'[numerics]\nflux = "{flux}"\nlimiter = "venkatakrishnan"\nlocal_time_step = true\n[stop]\nsteps = 4000\nresidual = 1e-9\n')
            fields = Fields(runner.run(f"choked_{kind}_{flux}_{pressure}", case))
            x = fields.centres[:, 0]
            height = 0.1 + 0.05 * 0.5 * (1 - numpy.cos(math.pi * x))
            inner = x > -0.5
            flows.append(float((fields["density"] * fields["velocity"][:, 0] * height / 0.1)[inner].mean()))
        difference = (max(flows) - min(flows)) / critical
        report.row(f"converging, {kind}, {flux}: mass flux, largest difference", f"{flows[0]:.4f}, {difference:.0e}", f"{critical:.4f} +- 0.5 %, 1e-4",
                   abs(flows[0] / critical - 1) <= 5e-3 and difference <= 1e-4)
    ahead = mach_of((0.1 + 0.05 * 0.5 * (1 - math.cos(0.6 * math.pi))) / 0.1, 1.0001, 5)
    total = (1.2 * ahead**2 / (1 + 0.2 * ahead**2)) ** 3.5 * (6 / (7 * ahead**2 - 1)) ** 2.5
    exit_mach = mach_of(1.5 * total, 0.01, 0.9999)  # p0 A* is the same on both sides
    back = total * (1 + 0.2 * exit_mach**2) ** -3.5
    across = 8 if full else 4
    nx = 400 if full else 200
    for kind in ("quads", "triangles") if full else ("quads",):
        for start, state in (("at rest", uniform(1.0, 0.0, 1.0)), ("supersonic", uniform(0.3, 1.5, 0.2))):
            mesh = f'generator = "nozzle"\nnx = {nx}\nny = {across}\nelements = "{kind}"\n'
            case = opening_case(mesh, zones | {"outlet": outlet(back)}, state,
                                f'[numerics]\nlimiter = "venkatakrishnan"\nlocal_time_step = true\ncfl = 1.2\n[stop]\nsteps = {40 * nx}\nresidual = 1e-7\n')
            fields = Fields(runner.run(f"nozzle_{kind}_{start.replace(' ', '_')}", case))
            x, y, p = fields.centres[:, 0], fields.centres[:, 1], fields["pressure"]
            mach = numpy.linalg.norm(fields["velocity"], axis=1) / numpy.sqrt(1.4 * p / fields["density"])
            row = numpy.argsort(numpy.where(y < 0.1 / across, x, numpy.inf))[: int((y < 0.1 / across).sum())]
            last = row[numpy.nonzero(mach[row] > 1)[0][-1]]
            after = row[list(row).index(last) + 1]
            shock = x[last] + (mach[last] - 1) / (mach[last] - mach[after]) * (x[after] - x[last])
            report.row(f"shock, {kind}, {nx} x {across}, start {start}: place; exact 0.6", f"{shock:.4f}", "+- 0.01", abs(shock - 0.6) <= 0.01)
            exit_ = x > 0.95
            p0 = float((p * (1 + 0.2 * mach**2) ** 3.5)[exit_].mean())
            report.row(f"total pressure at the exit, {kind}, start {start}; exact {total:.4f}", f"{p0:.4f}", "+- 1 %", abs(p0 / total - 1) <= 1e-2)
