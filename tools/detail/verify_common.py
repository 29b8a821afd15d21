"""What cases of tools/verify have in common."""
from verification import figures, orders


def periodic(dim, length):
    text = ""
    for k, axis in enumerate("xyz"[:dim]):
        shift = [0.0] * 3
        shift[k] = length
        text += f'[[mesh.periodic]]\nfrom = "{axis}min"\nto = "{axis}max"\ntranslation = {shift}\n'
    return text


# By how much the order may fall short on the coarse grids of a quick run, where it is not yet
# asymptotic.
COARSE = 0.2


def order_row(report, what, sizes, values, gate, bound=None, known=None):
    """Gate on the last observed order and, where given, on the finest error; a known miss is one of the order on all grids."""
    gate = round(gate - (0 if report.full else COARSE), 2)
    got = orders(values)
    small = bound is None or values[-1] <= bound
    digits = 3 if known else 2  # a known miss may be a small one
    text = f"order >= {gate}" + (f", error <= {bound:.2g}" if bound else "")
    report.row(what, f"N = {', '.join(map(str, sizes))}: {figures(values)}; order {', '.join(f'{o:.{digits}f}' for o in got)}", text, small and got[-1] >= gate,
               known if report.full and small else None, got[-1] - gate)


FLUXES = ("hllc_hlle", "hllc", "roe", "rusanov", "hlle", "ausm_plus_up")

ELEMENTS_2D = ["quads", "triangles", "mixed"]

ELEMENTS_3D = ["hexahedra", "tetrahedra", "prisms", "pyramids", "mixed"]


def steady(mesh, stream, boundaries, steps, extra="", limiter="barth_jespersen"):
    case = f"[mesh]\n{mesh}[free_stream]\ndensity = 1.4\npressure = 1.0\n{stream}"
    case += "".join(f'[boundary.{z}]\nkind = "{k}"\n' for z, k in boundaries.items())
    case += f"[numerics]\nlimiter = \"{limiter}\"\nlocal_time_step = true\ncfl = 0.6\n[stop]\nsteps = {steps}\nresidual = 1e-7\n[output]\nhistory_steps = 50\n"
    return case + extra


CHANNEL = {"inlet": "supersonic_inflow", "outlet": "supersonic_outflow", "wall": "slip_wall", "upper": "supersonic_outflow"}

# As the case has it, but with the plain far field 50 chords away.
NACA_PLAIN = dict(mesh__radius=50.0, boundary__farfield__vortex_correction='""')
