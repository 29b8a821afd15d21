"""Pictures of results, in matplotlib: fields, walls, histories, animations.

    >>> summary = weft.flow.run("cases/forward_step.toml", mesh={"h": 0.1}, stop={"time": 0.5}, overwrite=True)
    >>> axes = weft.plot.field(summary["folder"], "pressure", lines=20)
    >>> axes.figure.savefig("pressure.pdf")

Each function takes the path of a results folder or a weft.flow.Simulation, and returns Axes of matplotlib. A Simulation of several
ranks is drawn by rank 0, to which it gathers what the picture shows: such calls are collective, and other ranks get None. The
commands `weft plot` and `weft report` use the same code. Needs numpy, h5py and matplotlib, not the compiled module. weft.plot.scene
has pictures in three dimensions.
"""
try:
    import h5py as _h5py  # noqa: F401
    import matplotlib as _matplotlib  # noqa: F401
    import numpy as _numpy  # noqa: F401
except ImportError as _error:
    raise ImportError(f"{_error}; apt-get install python3-h5py python3-numpy python3-matplotlib, "
                      "or in a virtual environment pip install h5py matplotlib") from None

from . import scene
from .errors import PlotError
from .scripts import animation, contours, cp, field, forces, kernels, profile, residuals, slice, streamlines, surface  # noqa: A004

__all__ = ["PlotError", "animation", "contours", "cp", "field", "forces", "kernels", "profile", "residuals", "scene", "slice", "streamlines", "surface"]
