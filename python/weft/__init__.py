"""Weft: distributed arrays on meshes, and a compressible flow solver, on MPI ranks and NVIDIA GPUs.

    >>> import weft
    >>> sim = weft.flow.Simulation("cases/forward_step.toml", mesh={"h": 0.05})
    >>> sim.run(until=1.0)
    'time'
    >>> axes = weft.plot.field(sim, "mach")
    >>> axes.figure.savefig("mach.png")

A script runs on N ranks with `mpirun -n N python script.py`. Functions marked collective are called by all ranks of their
communicator in the same order.
"""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import bench, case, errors, flow, plot, task
    from ._runtime import *  # noqa: F403

__version__ = "0.1.0"
_MODULES = ("bench", "case", "errors", "flow", "plot", "task")


def __getattr__(name):
    """Loads a module of the package, or the compiled module and all names of _runtime, when a name is first used. So `import weft`
    takes no time, and weft.plot works without the compiled module."""
    from importlib import import_module
    from importlib.util import find_spec

    if name in ("bench", "case", "errors", "plot"):
        return import_module(f"weft.{name}")
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module 'weft' has no attribute {name!r}")
    if find_spec("weft._weft") is None:
        raise ImportError("the compiled module weft._weft is not there; install the package with pip, or name build/PRESET/python "
                          "of a build with WEFT_BUILD_PYTHON=ON in PYTHONPATH")
    import_module("weft._weft")  # before numpy, so that its error for sub-interpreters is the first
    if name in ("flow", "task"):
        return import_module(f"weft.{name}")
    runtime = import_module("weft._runtime")
    globals().update({each: getattr(runtime, each) for each in runtime.__all__})
    globals()["__all__"] = sorted([*runtime.__all__, *_MODULES])
    if name not in globals():
        from difflib import get_close_matches

        near = get_close_matches(name, globals()["__all__"], 1)
        raise AttributeError(f"module 'weft' has no attribute {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    return globals()[name]


def __dir__():
    return sorted({*globals(), *__getattr__("__all__")})
