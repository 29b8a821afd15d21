"""Cases of tools/verify on outlets, walls and nozzles."""
import itertools
import math

import numpy

from verification import Fields, errors_of, history
from verify_common import ELEMENTS_2D, ELEMENTS_3D, FLUXES, order_row
from verify_openings import CRITICAL, ELEMENTS, SYMMETRY, exit_mach, exit_monitor, opening_case, outlet, reservoir, uniform


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


def area_ratio(mach):
    return (5 / 6 * (1 + 0.2 * mach**2)) ** 3 / mach


def mach_of(ratio, low, high):
    """Where area_ratio() is `ratio`, between two Mach numbers on one side of 1."""
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (area_ratio(middle) > ratio) == (low < 1) else (low, middle)
    return middle


def nozzles(report, runner, full):
    report.section("Nozzles", f"Total pressure and temperature 1. A converging nozzle: mass flux per area of its throat, by theory {CRITICAL:.4f} for every pressure behind it below "
                   "0.528, the largest difference between the pressures 0.5, 0.2 and 0.02, and the Mach numbers at the exit. A converging and diverging one, whose pressure behind stands for a "
                   "normal shock 0.6 m behind the throat in quasi-one-dimensional flow: where the Mach number on the axis falls below 1, and the Mach number and total pressure at "
                   "the exit, from a start at rest and from one that is supersonic.")
    zones = {"inlet": reservoir(1, 1), "wall": 'kind = "slip_wall"\n', "axis": SYMMETRY}
    fluxes = FLUXES if full else FLUXES[:1]
    for kind, flux in itertools.product(ELEMENTS, fluxes):
        flows, machs = [], []
        solid = {"zmin": SYMMETRY, "zmax": SYMMETRY} if kind in ELEMENTS_3D else {}
        for pressure in (0.5, 0.2, 0.02):
            mesh = f'generator = "nozzle"\nnx = 32\nny = 3\ndiverging = 0.0\nelements = "{kind}"\n' + ("layers = 3\n" if solid else "")
            case = opening_case(mesh, zones | {"outlet": outlet(pressure)} | solid, uniform(0.9, 0.2, 0.86),
                                f'[numerics]\nflux = "{flux}"\nlimiter = "venkatakrishnan"\nlocal_time_step = true\n[stop]\nsteps = 4000\nresidual = 1e-9\n' + exit_monitor("outlet"))
            folder = runner.run(f"choked_{kind}_{flux}_{pressure}", case)
            fields = Fields(folder)
            x = fields.centres[:, 0]
            height = 0.1 + 0.05 * 0.5 * (1 - numpy.cos(math.pi * x))
            inner = x > -0.5
            flows.append(float((fields["density"] * fields["velocity"][:, 0] * height / 0.1)[inner].mean()))
            machs.append(exit_mach(folder))
        difference = (max(flows) - min(flows)) / CRITICAL
        report.row(f"converging, {kind}, {flux}: mass flux, largest difference", f"{flows[0]:.4f}, {difference:.0e}", f"{CRITICAL:.4f} +- 0.5 %, 1e-4",
                   abs(flows[0] / CRITICAL - 1) <= 5e-3 and difference <= 1e-4)
        report.row(f"converging, {kind}, {flux}: Mach numbers at the exit", ", ".join(f"{m:.4f}" for m in machs), "1 +- 1 %", all(abs(m - 1) <= 1e-2 for m in machs))
    ahead = mach_of((0.1 + 0.05 * 0.5 * (1 - math.cos(0.6 * math.pi))) / 0.1, 1.0001, 5)
    total = (1.2 * ahead**2 / (1 + 0.2 * ahead**2)) ** 3.5 * (6 / (7 * ahead**2 - 1)) ** 2.5
    behind = mach_of(1.5 * total, 0.01, 0.9999)  # at the exit: p0 A* is the same on both sides of the shock
    back = total * (1 + 0.2 * behind**2) ** -3.5
    for kind in ELEMENTS if full else ("quads",):
        solid = {"zmin": SYMMETRY, "zmax": SYMMETRY} if kind in ELEMENTS_3D else {}
        nx, across = {"hexahedra": (200, 4), "tetrahedra": (100, 2)}.get(kind, (400, 8) if full else (200, 4))
        steps = (200 if kind == "tetrahedra" else 40) * nx  # time steps on tetrahedra are shorter
        for start, state in (("at rest", uniform(1.0, 0.0, 1.0)), ("supersonic", uniform(0.3, 1.5, 0.2))):
            mesh = f'generator = "nozzle"\nnx = {nx}\nny = {across}\nelements = "{kind}"\n' + ("layers = 2\n" if solid else "")
            case = opening_case(mesh, zones | {"outlet": outlet(back)} | solid, state,
                                f'[numerics]\nlimiter = "venkatakrishnan"\nlocal_time_step = true\ncfl = 1.2\n[stop]\nsteps = {steps}\nresidual = 1e-7\n' + exit_monitor("outlet"))
            folder = runner.run(f"nozzle_{kind}_{start.replace(' ', '_')}", case)
            fields = Fields(folder)
            x, y, p = fields.centres[:, 0], fields.centres[:, 1], fields["pressure"]
            mach = numpy.linalg.norm(fields["velocity"], axis=1) / numpy.sqrt(1.4 * p / fields["density"])
            row = numpy.argsort(numpy.where(y < 0.1 / across, x, numpy.inf))[: int((y < 0.1 / across).sum())]
            last = row[numpy.nonzero(mach[row] > 1)[0][-1]]
            after = row[list(row).index(last) + 1]
            shock = x[last] + (mach[last] - 1) / (mach[last] - mach[after]) * (x[after] - x[last])
            report.row(f"shock, {kind}, {nx} x {across}, start {start}: place; exact 0.6", f"{shock:.4f}", "+- 1 %", abs(shock / 0.6 - 1) <= 1e-2)
            leaving = exit_mach(folder)
            report.row(f"Mach number at the exit, {kind}, start {start}; exact {behind:.4f}", f"{leaving:.4f}", "+- 1 %", abs(leaving / behind - 1) <= 1e-2)
            exit_ = x > 0.95
            p0 = float((p * (1 + 0.2 * mach**2) ** 3.5)[exit_].mean())
            report.row(f"total pressure at the exit, {kind}, start {start}; exact {total:.4f}", f"{p0:.4f}", "+- 1 %", abs(p0 / total - 1) <= 1e-2)
