"""Meshes with fields as arrays: those of a VTKHDF file."""
import tomllib
from functools import cached_property
from pathlib import Path

import h5py
import numpy as np

from . import quantities
from .errors import PlotError, closest
from .names import is_si
from .shapes import FLAT, NODES, THIN


class Grid:
    """The pieces of a VTKHDF file put together.

    path: the file; points (points, 3), m; types: VTK type of each cell; connectivity, starts: the nodes of cell i are
    connectivity[starts[i] : starts[i] + NODES[types[i]]]; fields: {name: values of the cells}; time, step: None where not known;
    case: of the run, as a dictionary; si: whether it has units; flat: whether the mesh is one of 2-D."""

    def __init__(self, path):
        self.path = Path(path)
        if self.path.is_dir():
            raise PlotError(f"{path}: is a folder, not a field file")
        try:
            with h5py.File(path, "r") as file:
                self._read(file)
        except (OSError, RuntimeError) as error:
            raise PlotError(f"{path}: cannot be read ({error}); is it whole, and VTKHDF?") from None

    def _read(self, file):
        path = self.path
        if "VTKHDF" not in file:
            raise PlotError(f"{path}: is not VTKHDF: it has no group VTKHDF; give a fields_*.hdf or walls_*.hdf")
        root = file["VTKHDF"]
        try:
            cells, points, ids = (root["NumberOf" + name][:] for name in ("Cells", "Points", "ConnectivityIds"))
            self.points = root["Points"][:].astype(float)
            offsets = root["Offsets"][:]
            connectivity = root["Connectivity"][:].astype(np.int64)
            self.types = root["Types"][:]
            self.fields = {name: data[:] for name, data in root["CellData"].items()}
        except KeyError as error:
            raise PlotError(f"{path}: is not a VTKHDF UnstructuredGrid: {error}") from None
        extra = root["FieldData"] if "FieldData" in root else {}
        self.time = float(extra["TimeValue"][0]) if "TimeValue" in extra else None
        self.step = int(extra["Step"][0]) if "Step" in extra else None
        try:
            self.case = tomllib.loads(file["Provenance"][()].decode())
        except (KeyError, ValueError, AttributeError):  # not the file of a run
            self.case = {}
        self.si = is_si(self.case)
        if len(self.types) == 0:
            raise PlotError(f"{path}: has no cells")
        # One numbering over all pieces.
        starts, first_point, first_id, at = [], 0, 0, 0
        for n, p, c in zip(cells, points, ids):
            connectivity[first_id:first_id + c] += first_point
            starts.append(offsets[at:at + n] + first_id)
            at, first_point, first_id = at + n + 1, first_point + p, first_id + c
        self.connectivity = connectivity
        self.starts = np.concatenate(starts)
        unknown = set(np.unique(self.types)) - set(NODES)
        if unknown:
            raise PlotError(f"{path}: cells of VTK type {sorted(unknown)} cannot be drawn")
        self.flat = all(t in FLAT for t in np.unique(self.types))

    @cached_property
    def boundary(self):
        """The faces of the boundary zones, which a run writes with its fields; None without them."""
        path = self.path.with_name("boundary.hdf")
        try:
            return Grid(path) if path != self.path and path.is_file() else None
        except PlotError:
            return None

    def nodes(self, vtk_type):
        """Cells of one type, and their nodes (n x NODES[vtk_type])."""
        cells = np.flatnonzero(self.types == vtk_type)
        return cells, self.connectivity[self.starts[cells][:, None] + np.arange(NODES[vtk_type])]

    def field(self, name):
        """Returns the values of the cells; a vector's length, or one component of it: velocity, velocity_x. What the file lacks is
        computed where `quantities` knows how."""
        if name in self.fields:
            values = self.fields[name]
            return values.astype(float) if values.ndim == 1 else np.linalg.norm(values, axis=1)
        if self.has(name):
            return self.fields[name[:-2]][:, "xyz".index(name[-1])].astype(float)
        values = quantities.computed(self, name)
        if values is not None:
            return values
        known = self.known()
        if name in quantities.OF_RUNS:
            raise PlotError(f'{self.path}: there is no field "{name}"; let the run write it: --set \'output.fields=["{name}"]\'')
        raise PlotError(f'{self.path}: there is no field "{name}"; {closest(name, known)}it has {", ".join(known)}')

    def has(self, name):
        """Returns whether the file holds a field, or the vector of which it is a component."""
        base, _, axis = name.rpartition("_")
        return name in self.fields or (axis in ("x", "y", "z") and base in self.fields and self.fields[base].ndim == 2)

    def known(self):
        """Returns the names of all fields that can be drawn, those of the file first."""
        return sorted(self.fields) + quantities.computable(self)

    def line_axis(self):
        """Returns the axis along which a mesh of one row of cells extends; None for any other mesh."""
        extent = np.ptp(self.points, axis=0)[:2]
        return "xy"[extent.argmax()] if self.flat and extent.max() > THIN * extent.min() else None

    def points_of(self, chosen):
        """Returns the points of the cells that a mask chooses, each once for each of its nodes."""
        return self.points[np.concatenate([nodes[chosen[cells]].ravel() for cells, nodes in map(self.nodes, np.unique(self.types))])]

    def centres(self):
        sizes = np.empty(len(self.types), int)
        for vtk_type in np.unique(self.types):
            sizes[self.types == vtk_type] = NODES[vtk_type]
        order = np.argsort(self.starts, kind="stable")
        sums = np.add.reduceat(self.points[self.connectivity], self.starts[order], axis=0)
        centres = np.empty((len(sizes), 3))
        centres[order] = sums / sizes[order][:, None]
        return centres

    @cached_property
    def merged_points(self):
        """Number of each point such that points of several pieces in one place are one."""
        extent = np.ptp(self.points, axis=0).max() or 1.0
        keys = np.round((self.points - self.points.min(axis=0)) / extent * 1e7).astype(np.int64)
        packed = (keys[:, 0] * 20000003 + keys[:, 1]) * 20000003 + keys[:, 2]  # wraps round, and stays as good as unique
        _, number = np.unique(packed, return_inverse=True)
        return number

    def at_points(self, values):
        """Returns the mean over the cells around each point; cells without a finite value do not count."""
        number, good = self.merged_points, np.isfinite(values)
        total, count = np.zeros(number.max() + 1), np.zeros(number.max() + 1)
        for vtk_type in np.unique(self.types):
            cells, nodes = self.nodes(vtk_type)
            cells, nodes = cells[good[cells]], nodes[good[cells]]
            np.add.at(total, number[nodes].ravel(), np.repeat(values[cells], NODES[vtk_type]))
            np.add.at(count, number[nodes].ravel(), 1.0)
        with np.errstate(invalid="ignore"):
            return (total / count)[number]
