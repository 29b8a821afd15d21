"""A Simulation of several ranks on rank 0, for pictures."""
from types import SimpleNamespace

import numpy as np

from .in_memory import RunInMemory


class GatheredSimulation:
    """Cells, walls, histories and some fields of a Simulation, with the attributes of a Simulation of one rank that pictures use.
    Cells are in the order of the source of the mesh. Created by gather()."""

    def __init__(self, sim, mesh, values, on_walls):
        self.case, self.time, self.steps, self.fields = sim.case, sim.time, sim.steps, list(sim.fields)
        self.residuals, self.forces = sim.residuals, sim.forces
        self.mesh, self._values, self._on_walls = mesh, values, on_walls

    def __getitem__(self, name):
        return self._values[name]

    def on_zone(self, name):
        return self._on_walls[name]


def gather(sim, names):
    """Returns a GatheredSimulation with the fields `names` on rank 0, and None on other ranks. Collective.

    Costs memory of rank 0 for all cells: 8 bytes for each value, and about 200 bytes for the mesh."""
    from .. import _weft

    comm, mesh = sim.mesh.comm, sim.mesh

    def gathered(array):
        array = np.ascontiguousarray(array)
        joined = np.frombuffer(_weft.gather_bytes(comm, array.tobytes()), array.dtype)
        return joined.reshape(-1, *array.shape[1:])

    def rows(lists, chosen):
        """Returns the global numbers of the nodes of some cells or faces of all ranks, and how many each has."""
        offsets, nodes = (np.asarray(part) for part in lists)
        count = np.diff(offsets)[chosen]
        starts = np.cumsum(count) - count
        at = np.repeat(offsets[:-1][chosen] - starts, count) + np.arange(count.sum())
        mine.append(nodes[at])
        return gathered(node_ids[nodes[at]]), gathered(count)

    mine, node_ids = [], np.asarray(mesh.nodes.global_id)
    owned = mesh.cells.owned
    cells = rows(mesh.cells.nodes, np.arange(owned))
    zones = {zone: rows(mesh.faces.nodes, np.arange(faces.start, faces.stop)) for zone, faces in mesh.zones.items()}
    used = np.unique(np.concatenate(mine))
    ids, first = np.unique(gathered(node_ids[used]), return_index=True)
    points = gathered(mesh.nodes.coordinates[used])[first]
    order = np.argsort(gathered(mesh.cells.global_id[:owned]), kind="stable")
    types = gathered(mesh.cells.type[:owned])[order]
    values = {name: gathered(sim[name])[order] for name in names}
    on_walls = {zone: {name: gathered(each) for name, each in sim.on_zone(zone).items()} for zone in RunInMemory(sim).walls()}
    if comm.rank > 0:
        return None

    def joined(parts):
        """Returns lists of local numbers of nodes as (offsets, values)."""
        count = np.concatenate([count for _, count in parts])
        nodes = np.searchsorted(ids, np.concatenate([nodes for nodes, _ in parts]))
        return np.concatenate([[0], np.cumsum(count)]), nodes

    def sorted_rows(nodes, count):
        starts, new = (np.cumsum(count) - count)[order], count[order]
        at = np.repeat(starts - (np.cumsum(new) - new), new) + np.arange(new.sum())
        return nodes[at], new

    last = np.cumsum([0] + [len(count) for _, count in zones.values()])
    slices = {zone: slice(int(a), int(b)) for zone, a, b in zip(zones, last[:-1], last[1:])}
    whole = SimpleNamespace(
        zones=slices,
        nodes=SimpleNamespace(coordinates=points),
        faces=SimpleNamespace(nodes=joined(list(zones.values())) if zones else (np.zeros(1, int), np.zeros(0, int))),
        cells=SimpleNamespace(nodes=joined([sorted_rows(*cells)]), type=types, owned=len(types)),
    )
    return GatheredSimulation(sim, whole, values, on_walls)
