"""Communicators from what users pass, and the end of a job in which one rank alone fails."""
import atexit
import itertools
import sys

from . import _weft
from .errors import Error, InputError

_world = None


def world():
    """Returns the communicator of all ranks of the job. Starts MPI, unless it runs already (as with mpi4py). Collective at its
    first call."""
    global _world
    if _world is None:
        _world = _weft.world()
        atexit.register(_weft.end_mpi)
        if _world.size > 1:
            sys.excepthook = _end_job_after(sys.excepthook)
    return _world


def communicator(comm):
    """Returns the weft.Communicator of `comm`: None (all ranks), a weft.Communicator, or a communicator of mpi4py, which is
    duplicated. Collective over the ranks of `comm`."""
    if comm is None:
        return world()
    if isinstance(comm, _weft.Communicator):
        return comm
    if hasattr(comm, "py2f"):
        world()
        return _weft.duplicate_fortran(comm.py2f())
    raise TypeError(f"comm must be None, a weft.Communicator or an mpi4py communicator, not {type(comm).__name__}")


def expect_same(comm, what, text):
    """Raises InputError on every rank if `text` is not the same on all ranks, with the first line that differs. Collective.

    what: whose text it is, "the case"
    """
    if comm.size == 1:
        return
    of_first = _weft.broadcast_text(comm, text, 0)
    other = int(comm.min(float(comm.size if text == of_first else comm.rank)))
    if other == comm.size:
        return
    pairs = itertools.zip_longest(of_first.splitlines(), _weft.broadcast_text(comm, text, other).splitlines(), fillvalue="nothing")
    ours, theirs = next(pair for pair in pairs if pair[0] != pair[1])
    raise InputError(f"{what} differs between ranks: rank 0 has {ours}, rank {other} has {theirs}; pass the same arguments on all ranks")


def _end_job_after(show):
    """Returns an excepthook: an error on which all ranks agree is shown once; where one rank fails alone, the others, which
    would wait for it for ever, are ended."""
    seconds = 10

    def hook(kind, error, trace):
        agreed = issubclass(kind, Error)
        if _world.rank == 0 or not agreed:
            show(kind, error, trace)
            sys.stderr.flush()
        if _weft.all_ranks_arrive(seconds):
            return
        if _world.rank > 0 and agreed:
            show(kind, error, trace)
        print(f"weft: rank {_world.rank} failed alone; the job ends", file=sys.stderr, flush=True)
        _weft.abort_job(1)

    return hook
