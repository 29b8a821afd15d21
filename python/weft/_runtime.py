"""The names of the package that need the compiled module _weft; `weft` loads them when one of them is first used."""
import numbers as _numbers
import os as _os

from . import _mesh, _weft
from ._arrays import read_array, stream, write_arrays
from ._communicators import communicator, expect_same, world
from ._loops import for_cells
from ._weft import CELL_TYPES, Array, Communicator, DeviceView, Exchange, GhostPlan, Mesh, Redistribution
from .errors import (
    BufferError,  # noqa: A004
    CommError,
    ContractError,
    DeviceError,
    Error,
    InputError,
    InterruptedError,  # noqa: A004
    IoError,
    LimitError,
    MeshError,
    PhysicsError,
)

__all__ = [
    "Array",
    "BufferError",
    "CELL_TYPES",
    "CommError",
    "Communicator",
    "ContractError",
    "DeviceError",
    "DeviceView",
    "Error",
    "Exchange",
    "GhostPlan",
    "InputError",
    "InterruptedError",
    "IoError",
    "LimitError",
    "Mesh",
    "MeshError",
    "PhysicsError",
    "Redistribution",
    "communicator",
    "for_cells",
    "generators",
    "read_array",
    "stream",
    "world",
    "write_arrays",
]


def _read(path, comm=None, *, neighbours="face", partitioner="automatic", ordering="hilbert", scale=1.0, periodic=()):
    """Reads a mesh file (Gmsh, SU2, CGNS or Weft's own) and partitions it. Collective.

    path: the file
    comm: None (all ranks), a weft.Communicator or an mpi4py communicator
    neighbours: "face" or "node": which cells are neighbours, and so ghosts
    partitioner: "automatic", "metis", "scotch" or "hilbert"
    ordering: order of the cells of a rank: "hilbert", "rcm" or "as_read"
    scale: coordinates are multiplied by it
    periodic: pairs of names of boundary zones that are identified

    Raises IoError, MeshError or InputError on every rank alike, the latter also where the arguments differ between ranks.
    """
    ranks, options = communicator(comm), (neighbours, partitioner, ordering, scale, _mesh.pairs(periodic))
    path = _os.fspath(path)
    expect_same(ranks, "a mesh", f"{path}\n{options}")
    return _weft.read_mesh(ranks, path, *options)


def _generate(generator, comm=None, *, neighbours="face", partitioner="automatic", ordering="hilbert", scale=1.0, periodic=(), **parameters):
    """Generates a mesh and partitions it. Collective.

    generator: its name; weft.generators() lists them with their parameters, which are the other keyword arguments
    comm, neighbours, partitioner, ordering, scale, periodic: as of Mesh.read

    Raises InputError on every rank alike, also where the arguments differ between ranks.
    """
    ranks, options = communicator(comm), (neighbours, partitioner, ordering, scale, _mesh.pairs(periodic))
    if not isinstance(generator, str):
        raise TypeError(f"generator must be a name, not {generator!r}; weft.generators() lists them")
    for name, value in parameters.items():
        if not isinstance(value, (str, _numbers.Real)):
            raise TypeError(f"{name}: a parameter of a generator is a number or a text, not {value!r}")
    expect_same(ranks, "a mesh", "\n".join([generator, *(f"{name}={value}" for name, value in parameters.items()), f"{options}"]))
    return _weft.generate_mesh(ranks, generator, parameters, *options)


Mesh.read = staticmethod(_read)  # type: ignore[method-assign]
Mesh.generate = staticmethod(_generate)  # type: ignore[method-assign]
Mesh.from_arrays = staticmethod(_mesh.from_arrays)  # type: ignore[method-assign]
Mesh.from_meshio = staticmethod(_mesh.from_meshio)  # type: ignore[method-assign]
Mesh.to_meshio = _mesh.to_meshio  # type: ignore[method-assign]
Mesh.to_pyvista = _mesh.to_pyvista  # type: ignore[method-assign]


def generators():
    """Returns the mesh generators: {name: (description, boundary zones, {parameter: (default, unit, range, meaning)})}."""
    return _weft.generators()
