"""Meshes from and to arrays of other libraries."""
import difflib
import json
from collections.abc import Mapping

import numpy

from . import _weft
from ._communicators import communicator
from ._optional import needed
from .errors import InputError

_NODES = {"line": 2, "triangle": 3, "quad": 4, "tetrahedron": 4, "pyramid": 5, "prism": 6, "hexahedron": 8}
_DIM = {"line": 1, "triangle": 2, "quad": 2, "tetrahedron": 3, "pyramid": 3, "prism": 3, "hexahedron": 3}
_MESHIO = {"tetra": "tetrahedron", "wedge": "prism"}
_OF_MESHIO = {ours: theirs for theirs, ours in _MESHIO.items()}
_VTK = {"triangle": 5, "quad": 9, "tetrahedron": 10, "hexahedron": 12, "prism": 13, "pyramid": 14}
_FACES = {2: "line", 3: "triangle", 4: "quad"}  # shapes of faces by their number of nodes


def pairs(periodic):
    """Returns the pairs of names of boundary zones that are identified; raises TypeError for anything else."""
    listed = [tuple(pair) if isinstance(pair, (list, tuple)) else (pair,) for pair in periodic]
    for pair in listed:
        if len(pair) != 2 or not all(isinstance(name, str) for name in pair):
            raise TypeError(f"periodic must be pairs of zones, such as [('xmin', 'xmax')], not {periodic!r}")
    return listed


def _type_named(name):
    ours = _MESHIO.get(name, name)
    if ours not in _NODES:
        near = difflib.get_close_matches(str(name), [*_NODES, *_MESHIO], 1)
        known = ", ".join(_NODES)
        raise InputError(f"there is no cell type {name!r}; " + (f"did you mean {near[0]!r}?" if near else f"there are {known}"))
    return ours


def _blocks(thing, what):
    """Returns [(type, array (m, nodes))] of a dictionary or a list of pairs."""
    pairs = thing.items() if isinstance(thing, Mapping) else thing
    blocks = []
    for pair in pairs:
        try:
            name, nodes = pair
        except (TypeError, ValueError):
            raise InputError(f"{what} is no dictionary of cell types and node numbers, nor a list of such pairs") from None
        name = _type_named(name)
        nodes = _integers(nodes, f"the nodes of {what} ({name})")
        if nodes.ndim != 2 or nodes.shape[1] != _NODES[name]:
            raise InputError(f"the nodes of {what} ({name}) have shape {nodes.shape}, not (m, {_NODES[name]})")
        blocks.append((name, nodes))
    return blocks


def _integers(thing, what):
    array = numpy.asarray(thing)
    if array.size == 0:
        return array.astype(numpy.int64)
    if array.dtype.kind not in "iu":
        raise InputError(f"{what} are {array.dtype}, not whole numbers")
    return array.astype(numpy.int64)


def _faces(thing, dim, name):
    """Returns the faces of a zone, an array (k, nodes) or a list of arrays, as blocks."""
    arrays = thing.values() if isinstance(thing, Mapping) else thing if isinstance(thing, (list, tuple)) else [thing]
    if isinstance(thing, (list, tuple)) and thing and not any(numpy.ndim(part) == 2 for part in thing):
        arrays = [thing]
    blocks = []
    for array in arrays:
        nodes = _integers(array, f"the nodes of zone {name!r}")
        counts = (2,) if dim == 2 else (3, 4)
        if nodes.ndim != 2 or nodes.shape[1] not in counts:
            shapes = " or ".join(f"(k, {count})" for count in counts)
            raise InputError(f"the nodes of zone {name!r} have shape {nodes.shape}, not {shapes} as in a {dim}-D mesh")
        blocks.append((_FACES[nodes.shape[1]], nodes))
    return blocks


def _packed(blocks, zones):
    """Returns the types, number of nodes each, nodes and zones of blocks as flat arrays."""
    types = [numpy.full(len(nodes), _weft.CELL_TYPES.index(name), numpy.uint8) for name, nodes in blocks]
    counts = [numpy.full(len(nodes), _NODES[name], numpy.int64) for name, nodes in blocks]

    def joined(arrays, dtype):
        return numpy.ascontiguousarray(numpy.concatenate([numpy.zeros(0, dtype), *arrays]), dtype=dtype)

    nodes = joined([nodes.ravel() for _, nodes in blocks], numpy.int64)
    return joined(types, numpy.uint8), joined(counts, numpy.int64), nodes, joined(zones, numpy.int32)


def _agreed(comm, work):
    """Returns work(), which does not communicate. Where it fails on a rank, all ranks raise its message."""
    error, result = None, None
    try:
        result = work()
    except Exception as thrown:  # noqa: BLE001 (raised below)
        error = thrown
    first = int(comm.min(float(comm.size if error is None else comm.rank)))
    if first < comm.size:
        text = _weft.broadcast_text(comm, str(error), first)
        raise error if error is not None else InputError(text)
    return result


def from_arrays(points, cells, zones=None, comm=None, *, volumes=None, parts=False, source="arrays", neighbours="face",
                partitioner="automatic", ordering="hilbert", periodic=()):  # fmt: skip
    """Builds and partitions a mesh from nodes and connectivity. Collective.

    points: coordinates of the nodes, m, shape (n, 2) or (n, 3)
    cells: {cell type: node numbers from 0, shape (m, nodes)} or a list of such pairs, with the types of weft.CELL_TYPES or meshio
    zones: {name of a boundary zone: node numbers of its faces, shape (k, 2) in 2-D, (k, 3) or (k, 4) in 3-D, or a list of such
        arrays}. Each boundary face belongs to a zone.
    volumes: {name of a volume zone: numbers of its cells in the order of `cells`}
    comm: as of Mesh.read
    parts: False: the arrays of rank 0 are the mesh, those of other ranks do not count and may be None. True: each rank passes a
        part; nodes are numbered over the points of all ranks in their order.
    source: name of the mesh for messages
    neighbours, partitioner, ordering, periodic: as of Mesh.read

    Cells of one type may be clockwise or in VTK's order of prisms if all of them are.

    Raises InputError or MeshError on every rank.
    """
    ranks = communicator(comm)
    mine = parts or ranks.rank == 0

    def blocks_of():
        return _blocks(cells if cells is not None else {}, "cells") if mine else []

    blocks = _agreed(ranks, blocks_of)
    dim = int(ranks.max(float(max((_DIM[name] for name, _ in blocks), default=0))))
    names = None
    if ranks.rank == 0:
        names = json.dumps([[*map(str, zones or {})], [*map(str, volumes or {})]])
    boundary_names, volume_names = json.loads(_weft.broadcast_text(ranks, names or "", 0))

    def number(name, known, first):
        if name not in known:
            raise InputError(f"rank 0 does not name the zone {name!r}; give it all names, with empty arrays where it has no faces")
        return first + known.index(name)

    def pack():
        if dim not in (2, 3):
            raise InputError("the mesh has no cells of two or three dimensions; pass triangles, quads or 3-D cells")
        count = sum(len(nodes) for _, nodes in blocks)
        zone_of_cell = numpy.full(count, -1, numpy.int32)
        faces, zone_of_face = [], []
        coordinates = numpy.zeros((0, 3))
        if mine:
            given = numpy.asarray(points if points is not None else numpy.zeros((0, 3)))
            given = given.astype(float, casting="same_kind", copy=False)
            if given.ndim != 2 or given.shape[1] not in (2, 3):
                raise InputError(f"points have shape {given.shape}, not (n, 2) or (n, 3)")
            coordinates = numpy.zeros((len(given), 3))
            coordinates[:, : given.shape[1]] = given
            for name, thing in (zones or {}).items():
                index = number(str(name), boundary_names, 0)
                for block in _faces(thing, dim, name):
                    faces.append(block)
                    zone_of_face.append(numpy.full(len(block[1]), index, numpy.int32))
            for name, thing in (volumes or {}).items():
                chosen = _integers(thing, f"the cells of the volume {name!r}")
                if chosen.size and not (0 <= chosen.min() and chosen.max() < count):
                    raise InputError(f"the volume {name!r} has a cell number outside 0 to {count - 1}")
                zone_of_cell[chosen] = number(str(name), volume_names, len(boundary_names))
        return coordinates, _packed(blocks, [zone_of_cell]), _packed(faces, zone_of_face)

    coordinates, cell_arrays, face_arrays = _agreed(ranks, pack)
    all_zones = [(name, dim - 1) for name in boundary_names] + [(name, dim) for name in volume_names]
    identified = pairs(periodic)
    return _weft.mesh_from_arrays(
        ranks, dim, str(source), all_zones, coordinates, cell_arrays, face_arrays, neighbours, partitioner, ordering, identified
    )


def _of_owned_cells(mesh, cell_data):
    """Returns {name: array} of values in the owned cells; raises InputError for another number of values."""
    arrays = {name: numpy.asarray(values) for name, values in (cell_data or {}).items()}
    for name, values in arrays.items():
        if values.ndim == 0 or len(values) != mesh.cells.owned:
            raise InputError(f"{name!r} has the shape {values.shape}; pass a value for each of the {mesh.cells.owned} owned cells")
    return arrays


def _cell_blocks(mesh):
    """Returns {type: (numbers of the owned cells of this type, their nodes (m, nodes))}."""
    offsets, values = mesh.cells.nodes
    types = mesh.cells.type[: mesh.cells.owned]
    blocks = {}
    for index in numpy.unique(types):
        name = _weft.CELL_TYPES[index]
        chosen = numpy.flatnonzero(types == index)
        blocks[name] = (chosen, values[offsets[chosen][:, None] + numpy.arange(_NODES[name])])
    return blocks


def _points(mesh):
    """Returns the coordinates of the nodes of owned cells, which come first."""
    count = max((int(nodes.max()) + 1 for _, nodes in _cell_blocks(mesh).values()), default=0)
    return mesh.nodes.coordinates[:count]


def to_meshio(self, cell_data=None):
    """Returns the owned part as a meshio.Mesh: cells, then boundary faces, whose zones are cell_sets. Needs meshio.

    cell_data: {name: values in the owned cells, shape (owned,) or (owned, components)}, as sim["pressure"]. Boundary faces have
        NaN there.
    """
    meshio = needed("meshio", "meshes")
    arrays, blocks = _of_owned_cells(self, cell_data), []
    data = {name: [values[chosen] for chosen, _ in _cell_blocks(self).values()] for name, values in arrays.items()}
    for name, (_, nodes) in _cell_blocks(self).items():
        blocks.append((_OF_MESHIO.get(name, name), nodes))
    offsets, nodes = self.faces.nodes
    sets = {}
    for zone, faces in self.zones.items():
        chosen = numpy.arange(faces.start, faces.stop)
        count = numpy.diff(offsets)[chosen]
        sets[zone] = []
        for size in numpy.unique(count):
            these = chosen[count == size]
            sets[zone].append((len(blocks), len(these)))
            blocks.append((_FACES[size], nodes[offsets[these][:, None] + numpy.arange(size)]))
            for name, values in data.items():
                values.append(numpy.full((len(these), *arrays[name].shape[1:]), numpy.nan))
    cell_sets = {}
    for zone, members in sets.items():
        cell_sets[zone] = [numpy.zeros(0, dtype=int) for _ in blocks]
        for block, size in members:
            cell_sets[zone][block] = numpy.arange(size)
    return meshio.Mesh(numpy.array(_points(self)), blocks, cell_data=data, cell_sets=cell_sets)


def from_meshio(mesh, comm=None, *, parts=False, **options):
    """Builds and partitions a mesh from a meshio.Mesh, or the file that meshio reads. Collective.

    Boundary zones are its cell_sets of faces, or the named groups of "gmsh:physical". comm, parts and other keyword arguments are
    those of Mesh.from_arrays. With parts = False, ranks above 0 may pass None.
    """
    ranks = communicator(comm)

    def arrays():
        if not parts and ranks.rank != 0:
            return None, None, None
        given = mesh
        if not hasattr(given, "cells") or not hasattr(given, "points"):
            given = needed("meshio", "meshes").read(given)
        return _of_meshio(given)

    points, cells, zones = _agreed(ranks, arrays)
    return from_arrays(points, cells, zones, ranks, parts=parts, **{"source": "meshio", **options})


def _of_meshio(given):
    known = {**{name: name for name in _NODES}, **_MESHIO}
    types = [known.get(block.type) for block in given.cells]
    dim = max((_DIM[name] for name in types if name), default=0)
    for block, name in zip(given.cells, types):
        if name is None and block.type != "vertex":
            raise InputError(f"there is no cell type {block.type!r} here; there are {', '.join(known)}")
    cells = [(name, block.data) for block, name in zip(given.cells, types) if name and _DIM[name] == dim]
    zones = {}

    def add(zone, block, rows):
        if types[block] and _DIM[types[block]] == dim - 1 and len(rows):
            zones.setdefault(zone, []).append(given.cells[block].data[rows])

    for zone, members in (given.cell_sets or {}).items():
        if not zone.startswith("gmsh:"):
            for block, rows in enumerate(members):
                add(zone, block, rows if rows is not None else [])
    if not zones:
        groups = given.cell_data.get("gmsh:physical", [])
        for zone, (tag, zone_dim) in given.field_data.items():
            for block, tags in enumerate(groups):
                if zone_dim == dim - 1:
                    add(zone, block, numpy.flatnonzero(tags == tag))
    return given.points, cells, zones


def _vtk_arrays(mesh):
    """Returns (cells, types, points, numbers of the cells) of the owned part in the form of VTK."""
    cells, types, order = [], [], []
    for name, (chosen, nodes) in _cell_blocks(mesh).items():
        cells.append(numpy.column_stack([numpy.full(len(nodes), nodes.shape[1]), nodes]).ravel())
        types.append(numpy.full(len(nodes), _VTK[name], numpy.uint8))
        order.append(chosen)

    def joined(arrays, dtype):
        return numpy.concatenate([numpy.zeros(0, dtype), *arrays])

    return joined(cells, numpy.int64), joined(types, numpy.uint8), numpy.array(_points(mesh)), joined(order, numpy.int64)


def to_pyvista(self, cell_data=None):
    """Returns the owned part as a pyvista.UnstructuredGrid. Needs pyvista.

    cell_data: as of to_meshio
    """
    pyvista = needed("pyvista", "meshes")
    arrays = _of_owned_cells(self, cell_data)
    cells, types, points, order = _vtk_arrays(self)
    grid = pyvista.UnstructuredGrid(cells, types, points)
    for name, values in arrays.items():
        grid.cell_data[name] = values[order]
    return grid
