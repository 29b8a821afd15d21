"""weft.plot in scripts: what it draws of folders and of simulations in memory, and its errors."""
import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from conftest import ENV, ROOT

import weft

matplotlib.use("Agg")
WING = {"mesh": {"around": 32, "radial": 12, "radius": 5.0}, "output": {"history_steps": 5}}
SOLID = {"mesh": {"generator": "box", "nx": 6, "ny": 5, "nz": 4}, "initial": {"kind": "uniform"}, "free_stream": {"density": 1.4, "pressure": 1.0, "mach": 0.5}}
BOX_ZONES = ("xmin", "xmax", "ymin", "ymax", "zmin", "zmax")
FUNCTIONS = ("field", "contours", "streamlines", "cp", "residuals", "forces")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    matplotlib.pyplot.close("all")


@pytest.fixture
def one_rank(comm):
    if comm.size > 1:
        pytest.skip("drawn by one rank")


@pytest.fixture
def wing(one_rank, naca):
    sim = weft.flow.Simulation(naca, **WING)
    sim.run(steps=10)
    return sim


@pytest.fixture
def folder(one_rank, naca, tmp_path):
    output = WING["output"] | {"directory": str(tmp_path / "wing"), "field_steps": 5}
    weft.flow.run(naca, mesh=WING["mesh"], output=output, stop={"steps": 10})
    return tmp_path / "wing"


@pytest.fixture
def solid(one_rank):
    walls = {name: {"kind": "slip_wall" if name == "zmin" else "far_field"} for name in BOX_ZONES}
    sim = weft.flow.Simulation(SOLID | {"boundary": walls})
    sim.run(steps=2)
    return sim


def pixels(axes, path):
    axes.figure.savefig(path, dpi=60)
    return matplotlib.image.imread(path)[..., :3]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_memory_and_folder_give_the_same_picture(wing, folder, tmp_path, name):
    drawn = []
    for number, run in enumerate((wing, folder)):
        axes = getattr(weft.plot, name)(run, title="")
        axes = axes[0] if isinstance(axes, list) else axes
        if name == "forces":  # a folder has more columns, and so more panels
            drawn.append({tuple(line.get_ydata()) for line in axes.lines})
        else:
            drawn.append(pixels(axes, tmp_path / f"{number}.png"))
            assert drawn[-1].std() > 0.01
    if name == "forces":
        assert drawn[0] and len(weft.plot.forces(wing)) == 3
    else:
        # The folder has fields in single precision, so few pixels differ by one colour.
        assert drawn[0].shape == drawn[1].shape and np.abs(drawn[0] - drawn[1]).mean() < 1e-3


def test_values_are_those_of_the_solver(wing):
    grid = weft.plot.in_memory.RunInMemory(wing).grid()
    assert np.array_equal(grid.field("mach"), wing["mach"])
    assert np.allclose(grid.centres()[:, 0], wing.mesh.cells.centroid[: wing.mesh.cells.owned, 0], atol=0.1)
    before = grid.field("density").copy()
    wing.run(steps=1)
    assert np.array_equal(grid.field("density"), before) and not np.array_equal(wing["density"], before)
    line = weft.plot.cp(wing).lines[0]
    cp = wing.on_zone("airfoil")["cp"]
    assert np.isin(line.get_ydata(), cp).all()


def test_pressure_on_a_zone_gives_the_force(comm, naca):
    sim = weft.flow.Simulation(naca, **WING)
    sim.run(steps=5)
    zone = sim.mesh.zones["airfoil"]
    force = (sim.on_zone("airfoil")["pressure"] * sim.mesh.faces.area[zone]) @ sim.mesh.faces.normal[zone]
    assert comm.sum(force[1]) == pytest.approx(sim.forces["airfoil"]["force_y"][-1], rel=1e-12)
    with pytest.raises(weft.InputError, match='did you mean "airfoil"'):
        sim.on_zone("aerofoil")


def test_three_dimensions(solid, tmp_path):
    assert pixels(weft.plot.slice(solid, "mach", "y", 0.4), tmp_path / "a.png").std() > 0.01
    assert "z = 0.5" in weft.plot.slice(solid, "pressure", "z").get_title()
    assert len(weft.plot.surface(solid)) == 1  # seen from one side
    assert weft.plot.cp(solid, ("y", 0.4)).lines
    with pytest.raises(weft.plot.PlotError, match="misses"):
        weft.plot.slice(solid, "mach", "y", 9.0)


def test_a_line_is_drawn_as_a_profile(one_rank):
    sim = weft.flow.Simulation(ROOT / "cases" / "sod.toml")
    assert len(weft.plot.field(sim, "density").lines[0].get_xdata()) == 400


def test_an_animation(folder):
    path = weft.plot.animation(folder, "mach", dpi=40, fps=5)
    assert path == folder / "fields_mach.gif" and path.read_bytes()[:3] == b"GIF"


def test_the_style_of_the_caller_stays(wing):
    before = dict(matplotlib.rcParams)
    weft.plot.field(wing, "mach")
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize(
    "call, kind, text",
    [
        (lambda s, f: weft.plot.field(3), TypeError, "run must be"),
        (lambda s, f: weft.plot.field(f / "none"), weft.plot.PlotError, "no such file or folder"),
        (lambda s, f: weft.plot.field(f.parent), weft.plot.PlotError, "1 folder with results"),
        (lambda s, f: weft.plot.field(s, "presure"), weft.plot.PlotError, 'did you mean "pressure"'),
        (lambda s, f: weft.plot.field(f, "presure"), weft.plot.PlotError, 'did you mean "pressure"'),
        (lambda s, f: weft.plot.field(s, step=3), weft.plot.PlotError, "for results folders"),
        (lambda s, f: weft.plot.field(f, step=3), weft.plot.PlotError, "has no fields of step 3"),
        (lambda s, f: weft.plot.field(s, colour="red"), TypeError, "colour"),
        (lambda s, f: weft.plot.field(s, window=(90, 91, 90, 91)), weft.plot.PlotError, "shows no cell"),
        (lambda s, f: weft.plot.slice(s, "mach"), weft.plot.PlotError, "is one of 2-D"),
        (lambda s, f: weft.plot.slice(s, "mach", "w"), weft.plot.PlotError, "axis must be"),
        (lambda s, f: weft.plot.surface(s), weft.plot.PlotError, "use weft.plot.cp"),
        (lambda s, f: weft.plot.cp(f, step=3), weft.plot.PlotError, "has no walls of step 3"),
        (lambda s, f: weft.plot.animation(s), weft.plot.PlotError, "several steps"),
        (lambda s, f: weft.plot.animation(f, "mach", "a.avi"), weft.plot.PlotError, "gif and .mp4"),
        (lambda s, f: weft.plot.residuals(f / "case.toml"), weft.plot.PlotError, "."),
        (lambda s, f: weft.plot.forces(f / "forces.csv", levels=3), TypeError, "iterable"),
    ],
)
def test_mistakes_are_named(wing, folder, call, kind, text):
    with pytest.raises(kind, match=text):
        call(wing, folder)


def test_cases_without_walls_forces_or_history(one_rank, vortex):
    sim = weft.flow.Simulation(vortex)
    for call, text in ((weft.plot.cp, "has no walls"), (weft.plot.forces, "has no forces"), (weft.plot.residuals, "no history yet")):
        with pytest.raises(weft.plot.PlotError, match=text):
            call(sim)


def alone(comm, case, steps, **options):
    """Returns the same simulation computed by rank 0 alone; None on other ranks."""
    if comm.rank > 0:
        return None
    sim = weft.flow.Simulation(case, comm=weft._weft.communicator_self(), **options)
    sim.run(steps=steps)
    return sim


@pytest.mark.parametrize("name", FUNCTIONS)
def test_several_ranks_give_the_picture_of_one(comm, naca, tmp_path, name):
    """Rank 0 draws what the ranks gather; other ranks get None."""
    one = alone(comm, naca, 10, **WING)
    sim = weft.flow.Simulation(naca, **WING)
    sim.run(steps=10)
    axes = getattr(weft.plot, name)(sim, title="")
    assert (axes is None) == (comm.rank > 0)
    if axes is not None:
        first, second = (each[0] if isinstance(each, list) else each for each in (axes, getattr(weft.plot, name)(one, title="")))
        pictures = [pixels(each, tmp_path / f"{number}.png") for number, each in enumerate((first, second))]
        assert pictures[0].shape == pictures[1].shape and np.abs(pictures[0] - pictures[1]).mean() < 1e-3
        for line, other in zip(first.lines, second.lines):  # curves of walls and histories
            assert np.allclose(np.sort(line.get_ydata()), np.sort(other.get_ydata()), rtol=1e-9, atol=1e-12)


def test_gathered_fields_are_those_of_the_ranks(comm, naca):
    sim = weft.flow.Simulation(naca, **WING)
    sim.run(steps=3)
    whole = weft.plot.scripts._on_rank_0(sim, lambda whole: whole, ["velocity", "mach"])
    mass = comm.sum(float((sim["mach"] * sim.mesh.cells.volume[: sim.mesh.cells.owned]).sum()))
    assert (whole is None) == (comm.rank > 0 and comm.size > 1)
    if whole is None:
        return
    grid = weft.plot.in_memory.RunInMemory(whole).grid()
    assert len(grid.types) == sim.mesh.global_cells and grid.field("velocity_x").shape == grid.field("mach").shape
    x, y = np.moveaxis(grid.points[grid.nodes(grid.types[0])[1]][..., :2], -1, 0)
    areas = 0.5 * np.abs((x * np.roll(y, -1, axis=1) - np.roll(x, -1, axis=1) * y).sum(axis=1))
    assert float((areas * grid.field("mach")).sum()) == pytest.approx(mass, rel=1e-10)


def test_pictures_of_solids_on_several_ranks(comm, tmp_path):
    walls = {name: {"kind": "slip_wall" if name == "zmin" else "far_field"} for name in BOX_ZONES}
    sim = weft.flow.Simulation(SOLID | {"boundary": walls})
    sim.run(steps=2)
    axes, sides = weft.plot.slice(sim, "mach", "y", 0.4), weft.plot.surface(sim)
    assert (axes is None) == (sides is None) == (comm.rank > 0)
    if axes is not None:
        assert pixels(axes, tmp_path / "a.png").std() > 0.01 and len(sides) == 1


@pytest.mark.parametrize(
    "call, kind, text",
    [
        (lambda s: weft.plot.field(s, "presure"), weft.plot.PlotError, 'did you mean "pressure"'),
        (lambda s: weft.plot.field(s, colour="red"), TypeError, "colour"),
        (lambda s: weft.plot.cp(s), weft.plot.PlotError, "has no walls"),
        (lambda s: weft.plot.residuals(s), weft.plot.PlotError, "no history yet"),
    ],
)
def test_all_ranks_raise_the_errors_of_a_picture(vortex, call, kind, text):
    with pytest.raises(kind, match=text):
        call(weft.flow.Simulation(vortex))


def test_drawing_and_import_need_no_compiled_module(one_rank):
    script = "import sys, weft, weft.plot; sys.exit('weft._weft' in sys.modules)"
    environment = ENV | {"PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)
    done = subprocess.run([sys.executable, "-c", "import weft; weft.Mesh"], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 1 and "ImportError: the compiled module weft._weft is not there; install" in done.stderr


def test_the_import_takes_less_than_0_3_s(one_rank):
    """Counts processor time, because other processes may run."""
    clock = "import time; began = time.process_time(); import weft; weft.Mesh, weft.flow.Simulation; print(time.process_time() - began)"
    seconds = [float(subprocess.run([sys.executable, "-c", clock], capture_output=True, check=True, env=ENV).stdout) for _ in range(3)]
    assert min(seconds) < 0.3, seconds


@pytest.mark.parametrize(
    "module, call, extra",
    [
        ("pyvista", "weft.plot.scene.draw()", "meshes"),
        ("pyvista", "weft.Mesh.generate('box', nx=2, ny=2).to_pyvista()", "meshes"),
        ("meshio", "weft.Mesh.generate('box', nx=2, ny=2).to_meshio()", "meshes"),
        ("numba", "weft.for_cells(weft.Mesh.generate('box', nx=2, ny=2))(print)", "loops"),
    ],
)
def test_libraries_that_are_not_installed_are_named(one_rank, module, call, extra):
    script = f"import sys; sys.modules[{module!r}] = None\nimport weft, weft.plot\n{call}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, env=ENV)
    assert done.returncode == 1 and f"ImportError: this needs {module}, " in done.stderr and f"weft[{extra}]" in done.stderr, done.stderr


def test_names_of_the_package():
    with pytest.raises(AttributeError, match="did you mean 'Mesh'"):
        _ = weft.Mehs
    assert {"Mesh", "flow", "plot", "world"} <= set(dir(weft)) and "Mesh" in weft.__all__
    assert len(dir(weft)) == len(set(dir(weft)))
