"""A Simulation as pictures see it: the same interface as that of a results folder, without files."""
import tomllib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

import numpy as np

from .errors import PlotError
from .grid import Grid
from .histories import History
from .run_folder import Run
from .shapes import FLAT, LINE

VTK_TYPE = {"triangle": 5, "quad": 9, "tetrahedron": 10, "hexahedron": 12, "prism": 13, "pyramid": 14}
FACE_TYPES = {2: LINE, **{nodes: vtk_type for vtk_type, nodes in FLAT.items()}}  # by the number of nodes
WALL = "slip_wall"
COEFFICIENTS = {"drag": "cd", "lift": "cl", "pitch": "cm_nose_up"}  # columns of sim.forces, and of forces.csv


class Fields(Mapping):
    """The fields of a Simulation, {name: values}; each is computed when it is first used."""

    def __init__(self, sim):
        self._sim, self._names, self._values = sim, sim.fields, {}

    def __getitem__(self, name):
        if name not in self._names:
            raise KeyError(name)
        if name not in self._values:
            self._values[name] = np.array(self._sim[name])  # not a view that further steps change
        return self._values[name]

    def __iter__(self):
        return iter(self._names)

    def __len__(self):
        return len(self._names)


class MemoryGrid(Grid):
    """Cells, or faces of boundary zones, of a Simulation."""

    def __init__(self, run, nodes, types, fields, boundary=None):
        """nodes: (offsets, values) of the cells; boundary: a function that returns the grid of the boundary."""
        self.path = Path(run.name)
        self.time, self.step, self.case, self.si = run.sim.time, run.sim.steps, run.case, run.si
        self.points = np.array(run.sim.mesh.nodes.coordinates)
        offsets, self.connectivity = nodes
        self.starts, self.types, self.fields = offsets[:-1], types, fields
        self.flat = bool(np.isin(types, list(FLAT)).all())
        self._boundary = boundary

    @cached_property
    def boundary(self):
        return self._boundary() if self._boundary else None


class RunInMemory(Run):
    """sim: a weft.flow.Simulation of one rank, or a GatheredSimulation."""

    def __init__(self, sim):
        super().__init__(tomllib.loads(sim.case))
        self.sim, self.name = sim, self.case.get("title") or "the simulation"

    def zones(self):
        return list(self.sim.mesh.zones)

    def grid(self):
        """Returns the cells with their present fields."""
        from .. import CELL_TYPES

        cells = self.sim.mesh.cells
        offsets, nodes = cells.nodes
        types = np.array([VTK_TYPE.get(name, 0) for name in CELL_TYPES])[cells.type[:cells.owned]]
        offsets = np.array(offsets[:cells.owned + 1], np.int64)
        return MemoryGrid(self, (offsets, np.array(nodes[:offsets[-1]], np.int64)), types, Fields(self.sim), self._boundary)

    def walls(self):
        """Returns the names of the zones that are walls."""
        return [zone for zone in self.zones() if self.kind_of(zone) == WALL]

    def wall_grid(self):
        walls = self.walls()
        if not walls:
            return None
        values = [self.sim.on_zone(zone) for zone in walls]
        fields = {name: np.concatenate([each[name] for each in values]) for name in values[0]}
        return self._faces(walls, fields)

    def _boundary(self):
        return self._faces(self.zones(), {})

    def _faces(self, zones, fields):
        """Returns the grid of the faces of some zones, with the number of the zone of each as a field."""
        mesh, faces, number = self.sim.mesh, [], []
        for k, zone in enumerate(self.zones()):
            if zone in zones:
                faces.append(np.arange(mesh.zones[zone].start, mesh.zones[zone].stop))
                number.append(np.full(len(faces[-1]), k))
        faces, number = np.concatenate(faces), np.concatenate(number)
        if len(faces) == 0:
            return None
        offsets, nodes = (np.asarray(part) for part in mesh.faces.nodes)
        count = offsets[faces + 1] - offsets[faces]
        starts = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
        order = np.repeat(offsets[faces] - starts[:-1], count) + np.arange(starts[-1])
        types = np.array([FACE_TYPES.get(k, 0) for k in range(count.max() + 1)])[count]
        return MemoryGrid(self, (starts, nodes[order].astype(np.int64)), types, {**fields, "zone": number})

    def history(self, name):
        """Returns the History "residuals" or "forces"; raises PlotError where it has no rows yet."""
        columns = self.sim.residuals
        if name == "forces":
            forces = self.sim.forces
            if not forces:
                raise PlotError(f"{self.name}: has no forces; give the case a section [forces.NAME]")
            columns = {"step": next(iter(forces.values()))["step"]}
            for body, history in forces.items():
                columns |= {f"{body}_{COEFFICIENTS[column]}": history[column] for column in COEFFICIENTS}
        if len(columns["step"]) == 0:
            raise PlotError(f"{self.name}: has no history yet; a row is added every output.history_steps steps")
        return History(name, self.si, (list(columns), np.stack([np.asarray(values, float) for values in columns.values()], axis=1)))
