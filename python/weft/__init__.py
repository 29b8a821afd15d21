"""Weft: distributed arrays on meshes, and a compressible flow solver, on MPI ranks and NVIDIA GPUs.

    import weft

    sim = weft.flow.Simulation("cases/forward_step.toml", mesh={"h": 0.05})
    sim.run(until=1.0)
    print(sim["mach"].max())

A script runs on N ranks with `mpirun -n N python script.py`. Functions marked collective are called by all ranks of their
communicator in the same order.
"""
import os as _os

from . import _weft, errors
from ._communicators import communicator, world
from ._weft import CELL_TYPES, Communicator, Mesh
from .errors import (
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

__version__ = "0.1.0"
__all__ = [
    "CELL_TYPES",
    "CommError",
    "Communicator",
    "ContractError",
    "DeviceError",
    "Error",
    "InputError",
    "InterruptedError",
    "IoError",
    "LimitError",
    "Mesh",
    "MeshError",
    "PhysicsError",
    "communicator",
    "errors",
    "flow",
    "generators",
    "world",
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

    Raises IoError, MeshError or InputError on every rank alike.
    """
    pairs = [tuple(pair) for pair in periodic]
    return _weft.read_mesh(communicator(comm), _os.fspath(path), neighbours, partitioner, ordering, scale, pairs)


def _generate(generator, comm=None, *, neighbours="face", partitioner="automatic", ordering="hilbert", scale=1.0, periodic=(), **parameters):
    """Generates a mesh and partitions it. Collective.

    generator: its name; weft.generators() lists them with their parameters, which are the other keyword arguments
    comm, neighbours, partitioner, ordering, scale, periodic: as of Mesh.read

    Raises InputError on every rank alike.
    """
    pairs = [tuple(pair) for pair in periodic]
    return _weft.generate_mesh(communicator(comm), generator, parameters, neighbours, partitioner, ordering, scale, pairs)


Mesh.read = staticmethod(_read)
Mesh.generate = staticmethod(_generate)


def generators():
    """Returns the mesh generators: {name: (description, boundary zones, {parameter: (default, unit, range, meaning)})}."""
    return _weft.generators()


from . import flow  # noqa: E402 (flow uses the names above)
