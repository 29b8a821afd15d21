"""A VTKHDF file as arrays."""
from pathlib import Path

import h5py
import numpy as np

from .errors import PlotError, closest

# VTK cell type -> tetrahedra that fill it, as positions in its list of nodes.
TETRAHEDRA = {
    10: [(0, 1, 2, 3)],
    14: [(0, 1, 2, 4), (0, 2, 3, 4)],
    13: [(0, 1, 2, 3), (1, 2, 3, 4), (2, 3, 4, 5)],
    12: [(0, 1, 3, 4), (1, 2, 3, 6), (1, 3, 4, 6), (3, 4, 6, 7), (1, 4, 5, 6)],
}
FLAT = {5: 3, 9: 4}
LINE = 3  # of walls in 2-D
NODES = {LINE: 2, **FLAT, 10: 4, 14: 5, 13: 6, 12: 8}


class Grid:
    """The pieces of a VTKHDF file put together."""

    def __init__(self, path):
        self.path = Path(path)
        try:
            file = h5py.File(path, "r")
        except OSError as error:
            raise PlotError(f"{path}: cannot be read ({error}); is it whole, and VTKHDF?") from None
        with file:
            if "VTKHDF" not in file:
                raise PlotError(f"{path}: is not VTKHDF: it has no group VTKHDF")
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

    def nodes(self, vtk_type):
        """Cells of one type, and their nodes (n x NODES[vtk_type])."""
        cells = np.flatnonzero(self.types == vtk_type)
        return cells, self.connectivity[self.starts[cells][:, None] + np.arange(NODES[vtk_type])]

    def field(self, name):
        """Values of the cells; a vector's length, or one component of it: velocity, velocity_x."""
        if name in self.fields:
            values = self.fields[name]
            return values.astype(float) if values.ndim == 1 else np.linalg.norm(values, axis=1)
        base, _, axis = name.rpartition("_")
        if base in self.fields and self.fields[base].ndim == 2 and axis in ("x", "y", "z"):
            return self.fields[base][:, "xyz".index(axis)].astype(float)
        known = sorted(self.fields)
        raise PlotError(f'{self.path}: there is no field "{name}"; {closest(name, known)}it has {", ".join(known)}')

    def centres(self):
        sizes = np.empty(len(self.types), int)
        for vtk_type in np.unique(self.types):
            sizes[self.types == vtk_type] = NODES[vtk_type]
        order = np.argsort(self.starts, kind="stable")
        sums = np.add.reduceat(self.points[self.connectivity], self.starts[order], axis=0)
        centres = np.empty((len(sizes), 3))
        centres[order] = sums / sizes[order][:, None]
        return centres

    def merged_points(self):
        """Number of each point such that points of several pieces in one place are one."""
        extent = np.ptp(self.points, axis=0).max() or 1.0
        keys = np.round((self.points - self.points.min(axis=0)) / extent * 1e7).astype(np.int64)
        packed = (keys[:, 0] * 20000003 + keys[:, 1]) * 20000003 + keys[:, 2]  # wraps round, and stays as good as unique
        _, number = np.unique(packed, return_inverse=True)
        return number

    def at_points(self, values):
        """Mean over the cells around each point."""
        number = self.merged_points()
        total, count = np.zeros(number.max() + 1), np.zeros(number.max() + 1)
        for vtk_type in np.unique(self.types):
            cells, nodes = self.nodes(vtk_type)
            np.add.at(total, number[nodes].ravel(), np.repeat(values[cells], NODES[vtk_type]))
            np.add.at(count, number[nodes].ravel(), 1.0)
        return (total / np.maximum(count, 1))[number]
