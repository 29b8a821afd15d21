"""weft.plot.scene: datasets of pyvista by their values, and a picture of them."""
import subprocess
import sys

import numpy as np
import pytest
from conftest import ENV, ROOT

import weft

pyvista = pytest.importorskip("pyvista", reason="pyvista is not installed: pip install weft[meshes]")
scene = weft.plot.scene

WALLS = {zone: {"kind": "slip_wall"} for zone in ("ymin", "ymax", "zmin", "zmax")}
CASE = {
    "mesh": {"generator": "box", "nx": 8, "ny": 5, "nz": 4, "xmax": 2.0},
    "boundary": {"x*": {"kind": "far_field"}, **WALLS},
    "free_stream": {"density": 1.4, "pressure": 1.0, "mach": 0.5},
}


def start(x):
    return {"density": 1 + x[:, 0], "velocity": (0.5, 0.0), "pressure": 1 + 0.1 * x[:, 1]}


@pytest.fixture(params=["hexahedra", "tetrahedra", "prisms"])
def sim(request):
    return weft.flow.Simulation(CASE, mesh={"elements": request.param}, initial=start)


def on_rank_0(comm, result):
    assert (result is None) == (comm.rank > 0)
    return result is not None


def test_cells_have_the_values_of_the_solver(comm, sim):
    mass = sim.totals()[0]
    cells = scene.field(sim, "density")
    if not on_rank_0(comm, cells):
        return
    assert cells.n_cells == sim.mesh.global_cells and cells.active_scalars_name == "density"
    volumes = cells.compute_cell_sizes()["Volume"]
    assert volumes.min() > 0 and volumes.sum() == pytest.approx(2, rel=1e-12)
    assert (volumes * cells["density"]).sum() == pytest.approx(mass, rel=1e-12)
    assert np.allclose(cells["density"], 1 + cells.cell_centers().points[:, 0], rtol=0.05)


def test_vectors_have_three_components(comm, sim):
    cells = scene.field(sim, "velocity")
    if on_rank_0(comm, cells):
        assert cells["velocity"].shape == (cells.n_cells, 3) and np.allclose(cells["velocity"], [0.5, 0, 0])


def test_a_plane_has_the_values_of_the_cells_that_it_cuts(comm, sim):
    plane = scene.slice(sim, "pressure", "x", 0.9)
    if on_rank_0(comm, plane):
        assert plane.area == pytest.approx(1, rel=1e-6) and np.allclose(plane.points[:, 0], 0.9)
        assert np.allclose(plane["pressure"], 1 + 0.1 * plane.cell_centers().points[:, 1], atol=0.02)
    with pytest.raises(weft.plot.PlotError, match="misses the mesh, which goes from 0 to 2"):
        scene.slice(sim, "pressure", "x", 2.5)
    with pytest.raises(weft.plot.PlotError, match="axis must be"):
        scene.slice(sim, "pressure", "w")


def test_walls_have_the_pressure_on_them(comm, sim):
    force = sum(
        float((sim.on_zone(zone)["pressure"] * sim.mesh.faces.area[sim.mesh.zones[zone]]).sum()) for zone in WALLS
    )
    force = comm.sum(force)
    walls = scene.surface(sim)
    if on_rank_0(comm, walls):
        areas = walls.compute_cell_sizes()["Area"]
        assert areas.sum() == pytest.approx(8, rel=1e-12) and {"pressure", "cp", "zone"} <= set(walls.array_names)
        assert (areas * walls["pressure"]).sum() == pytest.approx(force, rel=1e-12)


def test_contours_are_where_the_field_has_their_values(comm, sim):
    surfaces = scene.contours(sim, "density", levels=[1.8, 2.2])
    even = scene.contours(sim, "density", 4)
    if on_rank_0(comm, surfaces):
        inside = surfaces.points[np.all((surfaces.points[:, 1:] > 0.3) & (surfaces.points[:, 1:] < 0.7), axis=1)]
        assert len(inside) and np.allclose(np.abs(inside[:, 0] - 1.0), 0.2, atol=0.06)
        assert set(np.round(surfaces["density"], 12)) == {1.8, 2.2} and len(np.unique(np.round(even["density"], 9))) == 4


def test_streamlines_follow_the_velocity(comm, sim):
    lines = scene.streamlines(sim, "density", [[1.0, 0.52, 0.48], [1.0, 0.22, 0.31]])
    seeded = scene.streamlines(sim, count=7)
    if on_rank_0(comm, lines):
        assert lines.n_cells >= 2 and np.allclose(lines["velocity"], [0.5, 0, 0])
        for y, z in ((0.52, 0.48), (0.22, 0.31)):
            along = lines.points[np.hypot(lines.points[:, 1] - y, lines.points[:, 2] - z) < 1e-6]
            assert along[:, 0].min() < 0.1 and along[:, 0].max() > 1.9  # but for a step
        assert seeded.n_points > 7 and "mach" in seeded.array_names


def test_grids_of_meshes_have_positive_volumes(comm, sim):
    """VTK has the order of prisms that the mesh has, as field files do."""
    grid = sim.mesh.to_pyvista({"density": sim["density"]})
    volumes = grid.compute_cell_sizes()["Volume"]
    assert volumes.min() > 0 and comm.sum(float(volumes.sum())) == pytest.approx(2, rel=1e-12)
    assert float((volumes * grid["density"]).sum()) == pytest.approx(
        float((sim["density"] * sim.mesh.cells.volume[: sim.mesh.cells.owned]).sum()), rel=1e-12)


def test_a_folder_gives_the_same_cells(comm, shared_path):
    if comm.size > 1:
        pytest.skip("compares with the ranks of one process")
    folder = shared_path / "scene"
    output = {"directory": str(folder), "precision": "double"}
    weft.flow.run(CASE, initial=start, stop={"steps": 2}, output=output, overwrite=True)
    sim = weft.flow.Simulation(CASE, initial=start)
    sim.run(steps=2)
    for one, other in ((scene.field(sim, "mach"), scene.field(folder, "mach")), (scene.surface(sim), scene.surface(folder))):
        assert one.n_cells == other.n_cells and np.allclose(np.sort(one.active_scalars), np.sort(other.active_scalars), rtol=1e-12)


def test_mistakes_are_named(comm, sim, vortex):
    for call, text in (
        (lambda: scene.field(sim, "presure"), 'did you mean "pressure"'),
        (lambda: scene.contours(sim, "velocity"), "velocity_x"),
        (lambda: scene.surface(weft.flow.Simulation(vortex)), "has no walls"),
        (lambda: scene.field(sim, step=3), "for results folders"),
    ):
        with pytest.raises(weft.plot.PlotError, match=text):
            call()
    cells = scene.field(sim, "mach")
    if on_rank_0(comm, cells):
        with pytest.raises(weft.plot.PlotError, match="no field 'density'"):
            scene.draw(cells, name="density")


def test_ranks_without_parts_draw_nothing():
    assert scene.draw(None, None) is None


DRAWS = """
import sys, numpy, pyvista
from weft.plot import scene
ball = pyvista.Sphere()
ball.point_data["height"] = ball.points[:, 2]
image = scene.draw(ball, range=(-0.5, 0.5), size=(200, 150)).screenshot(sys.argv[1], return_img=True)
print(image.shape, image.std() > 10)
"""


def test_a_picture(comm, tmp_path):
    if comm.size > 1:
        pytest.skip("drawn by one rank")
    command = [sys.executable, "-c", DRAWS, tmp_path / "ball.png"]
    environment = ENV | {"PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, env=environment)
    if done.returncode < 0 or "OpenGL" in done.stderr and done.returncode != 0:
        pytest.skip(f"VTK cannot draw on this machine: {done.stderr.strip()[-300:] or done.returncode}")
    assert done.returncode == 0 and "(150, 200, 3) True" in done.stdout, done.stderr
    assert (tmp_path / "ball.png").read_bytes()[1:4] == b"PNG"
