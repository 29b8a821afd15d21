"""Meshes and their views."""
import gc
import re

import numpy as np
import pytest

import weft


def test_generated_mesh_has_the_geometry_of_its_box(comm):
    mesh = weft.Mesh.generate("box", nx=6, ny=4, xmax=3.0)
    cells, faces = mesh.cells, mesh.faces
    assert mesh.dim == 2 and mesh.global_cells == 24
    assert comm.sum(cells.volume[: cells.owned].sum()) == pytest.approx(3.0)
    assert cells.centroid.shape == (len(cells), 3) and cells.owned + cells.ghosts == len(cells)
    assert np.allclose(np.linalg.norm(faces.normal, axis=1), 1)
    assert set(mesh.zones) == {"xmin", "xmax", "ymin", "ymax"}
    assert comm.sum(faces.area[mesh.zones["ymin"]].sum()) == pytest.approx(3.0)
    assert (faces.right[mesh.zones["xmin"]] == -1).all()
    assert mesh.info()["cells_of_type"] == {"quad": 24} and "24 cells" in mesh.info()["text"]
    owned = np.unique(cells.global_id[: cells.owned])
    assert len(owned) == cells.owned and comm.sum(cells.owned) == 24


def test_lists_of_different_lengths_are_offsets_and_values(comm):
    mesh = weft.Mesh.generate("box", nx=4, ny=4, elements="mixed")
    offsets, nodes = mesh.cells.nodes
    count = np.diff(offsets)
    triangle = weft.CELL_TYPES.index("triangle")
    assert (count[mesh.cells.type == triangle] == 3).all() and set(count) <= {3, 4}
    i = mesh.cells.owned - 1
    if i >= 0:
        corners = mesh.nodes.coordinates[nodes[offsets[i] : offsets[i + 1]]]
        assert np.allclose(corners.mean(axis=0), mesh.cells.centroid[i])


def test_views_are_memory_of_the_mesh_and_keep_it_alive(comm):
    mesh = weft.Mesh.generate("box", nx=8, ny=8)
    first, second = mesh.cells.volume, mesh.cells.volume
    assert first.ctypes.data == second.ctypes.data and not first.flags.writeable
    with pytest.raises(ValueError):
        first[0] = 1
    total = first.sum()
    del mesh, second
    gc.collect()
    weft.Mesh.generate("box", nx=8, ny=8)  # would take the memory of the first one
    assert first.sum() == total


def test_files_are_read_as_the_command_line_reads_them(comm, shared_path):
    path = shared_path / "square.su2"
    if comm.rank == 0:
        path.write_text(
            "NDIME= 2\nNELEM= 2\n5 0 1 2 0\n5 0 2 3 1\nNPOIN= 4\n0 0 0\n1 0 1\n1 1 2\n0 1 3\n"
            "NMARK= 1\nMARKER_TAG= all\nMARKER_ELEMS= 4\n3 0 1\n3 1 2\n3 2 3\n3 3 0\n"
        )
    comm.barrier()
    mesh = weft.Mesh.read(path, scale=0.001)
    assert mesh.global_cells == 2 and list(mesh.zones) == ["all"]
    assert comm.sum(mesh.cells.volume[: mesh.cells.owned].sum()) == pytest.approx(1e-6)


def test_errors_say_where_and_what_to_do(comm, shared_path):
    with pytest.raises(weft.InputError, match="there is no mesh file"):
        weft.Mesh.read(shared_path / "absent.msh")
    path = shared_path / "bad.su2"
    if comm.rank == 0:
        path.write_text("NDIME= 2\nNELEM= 1\n5 0 1 9 0\nNPOIN= 3\n0 0\n1 0\n0 1\nNMARK= 0\n")
    comm.barrier()
    with pytest.raises(weft.MeshError) as info:
        weft.Mesh.read(path)
    assert info.value.file.endswith("bad.su2") and info.value.line is not None and info.value.problem


@pytest.mark.parametrize(
    "arguments, kind, text",
    [
        (dict(generator="boxx"), weft.InputError, "box"),
        (dict(generator="box", nxx=3), weft.InputError, "nx"),
        (dict(generator="box", nx=0), weft.InputError, "nx"),
        (dict(generator="box", nx="many"), weft.InputError, "nx"),
        (dict(generator="box", neighbours="corner"), weft.InputError, "face"),
        (dict(generator="box", partitioner="best"), weft.InputError, "metis"),
        (dict(generator="box", ordering="none"), weft.InputError, "hilbert"),
        (dict(generator="box", periodic=[("xmin", "top")]), weft.InputError, "top"),
        (dict(generator="box", comm="all"), TypeError, "communicator"),
        (dict(generator="box", nx=[1, 2]), TypeError, "nx: a parameter"),
        (dict(generator="box", nx=None), TypeError, "nx: a parameter"),
        (dict(generator=None), TypeError, "generator must be a name"),
        (dict(generator="box", periodic=["xmin"]), TypeError, "periodic must be pairs"),
        (dict(generator="box", periodic=[("xmin", 3)]), TypeError, "periodic must be pairs"),
    ],
)
def test_wrong_arguments_are_refused(arguments, kind, text):
    with pytest.raises(kind, match=text):
        weft.Mesh.generate(**arguments)


@pytest.mark.parametrize("argument", ["neighbours", "partitioner", "ordering"])
def test_documentation_lists_the_names_that_errors_list(argument):
    with pytest.raises(weft.InputError) as info:
        weft.Mesh.generate("box", **{argument: "best"})
    names = str(info.value).rpartition("use one of ")[2].split(", ")
    line = next(line for line in weft.Mesh.read.__doc__.splitlines() if line.strip().startswith(argument + ":"))
    assert re.findall('"(.*?)"', line) == names


def test_no_public_constructor():
    with pytest.raises(TypeError):
        weft.Mesh()


def two_squares():
    """Two unit squares side by side, the right one of two triangles."""
    points = [[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]]
    cells = {"quad": [[0, 1, 4, 3]], "triangle": [[1, 2, 5], [1, 5, 4]]}
    zones = {"wall": [[0, 1], [1, 2], [5, 4], [4, 3]], "in": [[3, 0]], "out": [[2, 5]]}
    return points, cells, zones


def test_a_mesh_of_arrays(comm):
    points, cells, zones = two_squares()
    mesh = weft.Mesh.from_arrays(points, cells, zones, volumes={"left": [0]})
    assert mesh.dim == 2 and mesh.global_cells == 3 and set(mesh.zones) == {"wall", "in", "out"}
    assert comm.sum(mesh.cells.volume[: mesh.cells.owned].sum()) == pytest.approx(2.0)
    assert comm.sum(mesh.faces.area[mesh.zones["wall"]].sum()) == pytest.approx(4.0)
    zone = mesh.cells.zone[: mesh.cells.owned]
    assert comm.sum(float((zone >= 0).sum())) == 1 and all(mesh.zone_names[i] == "left" for i in zone[zone >= 0])
    file_id = mesh.cells.file_id[: mesh.cells.owned]
    assert (mesh.cells.type[: mesh.cells.owned][file_id == 0] == weft.CELL_TYPES.index("quad")).all()
    faces = mesh.faces
    owned = mesh.cells.owned
    assert ((0 <= faces.right[faces.inner]) & (faces.right[faces.inner] < owned)).all()
    assert (faces.right[faces.interface] >= owned).all()
    assert mesh.periodic == () and not mesh.axisymmetric
    assert mesh.info()["cells_of_type"] == {"quad": 1, "triangle": 2}


def test_a_mesh_of_arrays_equals_that_of_rank_0_alone_and_of_parts(comm):
    n = 12
    x, y = np.meshgrid(np.linspace(0, 3, n + 1), np.linspace(0, 1, n + 1))
    points = np.column_stack([x.ravel(), y.ravel()])
    first = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    quads = np.column_stack([first, first + 1, first + n + 2, first + n + 1])
    side = np.arange(n)
    low = np.column_stack([side, side + 1])
    left = np.column_stack([side * (n + 1), (side + 1) * (n + 1)])
    zones = {"low": low, "high": low + n * (n + 1), "left": left, "right": left + n}
    alone = weft.Mesh.from_arrays(points, {"quad": quads}, zones) if comm.rank == 0 else weft.Mesh.from_arrays(None, None)

    def part(array):
        return np.array_split(np.asarray(array), comm.size)[comm.rank]

    parts = weft.Mesh.from_arrays(
        part(points), [("quad", part(quads))], {name: part(faces) for name, faces in zones.items()}, parts=True
    )
    generated = weft.Mesh.generate("box", nx=n, ny=n, xmax=3.0)
    for mesh in (alone, parts):
        assert mesh.global_cells == n * n and mesh.cells.owned == alone.cells.owned
        assert np.array_equal(mesh.cells.centroid, alone.cells.centroid)
        assert comm.sum(mesh.faces.area[mesh.zones["right"]].sum()) == pytest.approx(1.0)
        # Rounding makes the same cells different in the last digits only.
        assert np.allclose(np.sort(mesh.cells.volume), 3 / n**2) and generated.global_cells == mesh.global_cells
    assert alone.info()["boundary_faces"] == generated.info()["boundary_faces"]


def test_all_cell_types_of_arrays():
    cube = [[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)]
    hexahedron = [0, 1, 3, 2, 4, 5, 7, 6]
    sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    mesh = weft.Mesh.from_arrays(cube, {"hexahedron": [hexahedron]}, {"all": sides})
    assert mesh.dim == 3 and mesh.info()["volume"] == pytest.approx(1.0)
    prisms = {"wedge": [[0, 1, 3, 4, 5, 7], [0, 3, 2, 4, 7, 6]]}
    faces = [np.array(sides[2:]), np.array([[0, 1, 3], [0, 3, 2], [4, 5, 7], [4, 7, 6]])]
    mesh = weft.Mesh.from_arrays(cube, prisms, {"all": faces})
    assert mesh.info()["cells_of_type"] == {"prism": 2} and mesh.info()["volume"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    "change, text",
    [
        (dict(cells={"quads": [[0, 1, 4, 3]]}), "quad"),
        (dict(cells={"quad": [[0, 1, 4]]}), "shape"),
        (dict(cells={"quad": [[0.5, 1, 4, 3]]}), "whole numbers"),
        (dict(cells={"quad": [[0, 1, 4, 9]]}), "node"),
        (dict(cells={"quad": [[0, 1, 4, -1]]}), "node"),
        (dict(cells={"quad": [[0, 1, 1, 3]]}), "twice"),
        (dict(cells={}), "no cells"),
        (dict(cells=[3]), "pairs"),
        (dict(points=[[0, 0, 0, 0]]), "shape"),
        (dict(points=[[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [np.nan, 1]]), "finite"),
        (dict(zones={"wall": [[0, 1]]}), "."),
        (dict(zones={"wall": [[0, 1, 2]]}), "shape"),
        (dict(zones={"wall": [[0, 4]]}), "."),
        (dict(volumes={"left": [7]}), "cell number"),
        (dict(periodic=[("in", "nowhere")]), "nowhere"),
        (dict(neighbours="corner"), "face"),
    ],
)
def test_wrong_arrays_are_refused(change, text):
    points, cells, zones = two_squares()
    arguments = {"points": points, "cells": cells, "zones": zones, **change}
    with pytest.raises((weft.InputError, weft.MeshError), match=text):
        weft.Mesh.from_arrays(**arguments)


def test_meshio_both_ways(comm):
    meshio = pytest.importorskip("meshio")
    points, cells, zones = two_squares()
    theirs = meshio.Mesh(
        np.array(points, dtype=float),
        [("quad", cells["quad"]), ("triangle", cells["triangle"]), ("line", sum(zones.values(), []))],
        cell_sets={name: [[], [], [i]] for name, i in (("in", 4), ("out", 5))} | {"wall": [[], [], [0, 1, 2, 3]]},
    )
    mesh = weft.Mesh.from_meshio(theirs)
    assert mesh.global_cells == 3 and set(mesh.zones) == {"in", "out", "wall"}
    back = mesh.to_meshio({"volume": mesh.cells.volume[: mesh.cells.owned]})
    owned = [block for block in back.cells if block.type != "line"]
    assert sum(len(block) for block in owned) == mesh.cells.owned
    volumes = np.concatenate([np.zeros(0), *back.cell_data["volume"]])
    assert comm.sum(np.nansum(volumes)) == pytest.approx(2.0)
    again = weft.Mesh.from_meshio(back) if comm.size == 1 else mesh
    assert again.global_cells == 3 and comm.sum(again.faces.area[again.zones["wall"]].sum()) == pytest.approx(4.0)


def test_groups_of_gmsh_in_meshio_are_zones():
    meshio = pytest.importorskip("meshio")
    points, cells, zones = two_squares()
    theirs = meshio.Mesh(
        np.array(points, dtype=float),
        [("quad", cells["quad"]), ("triangle", cells["triangle"]), ("line", zones["wall"]), ("line", zones["in"] + zones["out"])],
        cell_data={"gmsh:physical": [np.array([9]), np.array([9, 9]), np.array([1, 1, 1, 1]), np.array([2, 3])]},
        field_data={"wall": np.array([1, 1]), "in": np.array([2, 1]), "out": np.array([3, 1]), "gas": np.array([9, 2])},
    )
    assert set(weft.Mesh.from_meshio(theirs).zones) == {"wall", "in", "out"}


def test_arrays_of_vtk(comm):
    from weft import _mesh

    mesh = weft.Mesh.generate("box", nx=3, ny=2, elements="mixed")
    cells, types, points, order = _mesh._vtk_arrays(mesh)
    assert len(types) == len(order) == mesh.cells.owned and sorted(order) == list(range(mesh.cells.owned))
    assert set(types) <= {5, 9} and len(cells) == sum(4 if kind == 5 else 5 for kind in types)
    assert len(points) <= len(mesh.nodes) and (len(cells) == 0 or cells.max() < max(len(points), 5))


def test_pyvista_has_the_owned_part():
    pyvista = pytest.importorskip("pyvista")
    mesh = weft.Mesh.generate("box", nx=3, ny=2, elements="mixed")
    grid = mesh.to_pyvista({"volume": mesh.cells.volume[: mesh.cells.owned]})
    assert isinstance(grid, pyvista.UnstructuredGrid) and grid.n_cells == mesh.cells.owned
    assert np.allclose(np.abs(grid.compute_cell_sizes()["Area"]), grid["volume"])
