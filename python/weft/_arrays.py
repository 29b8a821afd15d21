"""Files of arrays, and the stream of their work on a GPU."""
import os

from . import _weft

_weft.Mesh.plan = property(  # type: ignore[method-assign, assignment]
    _weft.mesh_plan, doc="The GhostPlan of the cells, on which arrays of cells are created: weft.Array(mesh.plan, width=5)."
)


def write_arrays(path, **arrays):
    """Writes the owned rows of arrays to a new HDF5 file, in the order of the ranks. Collective.

    path: the file, which is replaced
    arrays: name=weft.Array, on the same ranks

    Raises IoError on every rank; DeviceError if the host side of an array is out of date; InputError for other objects.
    """
    _weft.write_arrays(os.fspath(path), **arrays)


def read_array(path, name="array", plan=None, comm=None, *, padded=False, layout="aos", backend="host"):
    """Reads an array that write_arrays, Array.write or the C++ library wrote, on any number of ranks. Collective.

    path, name: the file, and the name of the array in it
    plan: a GhostPlan: the rows become its owned rows, in order; ghost rows are 0 until a pull. Without it, the rows are the owned
        rows of the ranks that wrote them, or of other numbers of ranks in even shares
    comm: without a plan: None (all ranks), a weft.Communicator or an mpi4py communicator
    padded: rows of different lengths are read as kind "max", not as "csr"
    layout, backend: as of weft.Array

    Returns a weft.Array. Raises IoError on every rank if there is no such array or if its rows do not fit the plan.
    """
    return _weft.read_array(os.fspath(path), name, plan, comm, padded, layout, backend)


def stream():
    """Returns the stream of this process's GPU in which exchanges and copies of arrays are executed; in a task on the device, and in
    a function marked by weft.flow.on_device(), the stream in which it works. Raises DeviceError without a GPU."""
    return _weft.stream()
