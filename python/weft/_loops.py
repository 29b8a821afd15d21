"""Loops over cells with functions of the user, compiled by numba."""
import functools

from . import _weft
from ._optional import needed
from .errors import InputError

_RANGES = ("owned", "inner", "border", "all")


def for_cells(mesh, over="owned"):
    """Turns a function of one cell into a loop over cells, compiled by numba for the host.

        @weft.for_cells(mesh)
        def heat(c, u, rate, volume):
            rate[c] += u[c] / volume[c]

        heat(u, rate, mesh.cells.volume)

    mesh: a weft.Mesh
    over: "owned"; "inner" (owned cells without a ghost neighbour), "border" (the other owned cells), or "all" with ghosts

    The first parameter of the function is the local number of the cell, the others are those of the loop. A weft.Array is passed
    as a numpy array of all its rows on the host, which marks them as written; of CSR rows as (offsets, values). While an exchange
    of an array is in flight, pass the view that the exchange permits. The loop runs without Python's lock. Not collective.

    Raises InputError for another range, ImportError without numba.
    """
    if not isinstance(mesh, _weft.Mesh):
        raise InputError(f"for_cells needs a weft.Mesh, not a {type(mesh).__name__}")
    if over not in _RANGES:
        raise InputError(f"no cells are called {over!r}; use one of {', '.join(_RANGES)}")
    cells = mesh.cells
    first = cells.inner if over == "border" else 0
    last = {"owned": cells.owned, "inner": cells.inner, "border": cells.owned, "all": len(cells)}[over]

    def decorate(function):
        numba = needed("numba", "loops")
        kernel = function if hasattr(function, "py_func") else numba.njit(function)

        @numba.njit(nogil=True)
        def loop(begin, end, *arguments):
            for c in range(begin, end):
                kernel(c, *arguments)

        @functools.wraps(function)
        def run(*arguments):
            loop(first, last, *[a.all if isinstance(a, _weft.Array) else a for a in arguments])

        return run

    return decorate
