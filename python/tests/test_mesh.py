"""Meshes and their views."""
import gc

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
        (dict(generator="box", nx=[1, 2]), TypeError, "."),
    ],
)
def test_wrong_arguments_are_refused(arguments, kind, text):
    with pytest.raises(kind, match=text):
        weft.Mesh.generate(**arguments)


def test_no_public_constructor():
    with pytest.raises(TypeError):
        weft.Mesh()


def test_views_do_not_leak(comm):
    mesh = weft.Mesh.generate("box", nx=8, ny=8)

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    def use():
        for _ in range(10000):
            mesh.cells.volume, mesh.faces.normal, mesh.cells.nodes  # noqa: B018

    use()
    gc.collect()
    before = resident()
    use()
    gc.collect()
    assert resident() - before < 1 << 20
