"""Simulations in memory: steps, views, histories, callbacks."""
import gc
import threading

import numpy as np
import pytest

import weft


def test_run_steps_and_time(vortex):
    sim = weft.flow.Simulation(vortex)
    assert sim.run(steps=3) == "steps" and sim.steps == 3
    assert sim.run(steps=2) == "steps" and sim.steps == 5
    assert sim.run(until=0.5) == "time" and sim.time == 0.5
    step = sim.step(1e-3)
    assert step.dt == 1e-3 and step.time == sim.time and step.retries == 0
    assert sim.run(steps=0) == "steps"


def test_run_counts_the_steps_that_it_makes(vortex):
    """Also where a callback restores a state of an earlier step."""
    sim = weft.flow.Simulation(vortex)
    good = sim.conserved.copy()
    sim.run(steps=3)
    seen = []

    def once(s):
        seen.append(s.steps)
        if len(seen) == 1:
            s.restore(good)

    assert sim.run(steps=4, callback=once, every=1) == "steps"
    assert seen == [4, 1, 2, 3] and sim.steps == 3

    def always(s):
        seen.append(s.steps)
        assert len(seen) <= 6, "the run does not end"
        s.restore(good)

    assert sim.run(steps=2, callback=always, every=1) == "steps"
    assert seen[4:] == [4, 1] and sim.steps == 0
    assert sim.run(steps=3, callback=lambda s: s.restore(good, step=7) if s.steps == 2 else None, every=2) == "steps"
    assert sim.steps == 8
    sim = weft.flow.Simulation(vortex, stop={"steps": 5})  # the number of the last step
    sim.run(steps=2)
    assert sim.run() == "steps" and sim.steps == 5


def test_conserved_is_a_live_view_and_fields_follow(vortex):
    sim = weft.flow.Simulation(vortex)
    view, before = sim.conserved, sim.conserved.copy()
    sim.run(steps=5)
    assert view.ctypes.data == sim.conserved.ctypes.data and not view.flags.writeable
    assert view.shape == (sim.mesh.cells.owned, 5)
    if len(view):
        assert (view != before).any()
    rho, momentum, energy = sim["density"], sim["momentum"], sim["energy"]
    assert np.shares_memory(rho, view)
    pressure = 0.4 * (energy - 0.5 * (momentum**2).sum(axis=1) / rho)
    assert np.allclose(sim["pressure"], pressure, rtol=1e-13)
    assert np.allclose(sim["velocity"], momentum / rho[:, None], rtol=1e-13)
    for name in ("density", "momentum", "energy", "velocity", "pressure"):
        view, before = sim[name], sim[name].copy()
        sim.step()
        assert np.shares_memory(view, sim[name]) and np.array_equal(view, sim[name]) and not view.flags.writeable
        assert len(view) == 0 or name == "energy" or (view != before).any()
    for name in sim.fields:
        assert len(sim[name]) == sim.mesh.cells.owned
    assert "cp" not in sim.fields
    with pytest.raises(weft.InputError, match="free stream"):
        sim["cp"]


def test_a_view_outlives_its_simulation(vortex):
    sim = weft.flow.Simulation(vortex)
    view = sim.conserved
    total = view.sum()
    del sim
    gc.collect()
    weft.flow.Simulation(vortex)
    assert view.sum() == total


def test_mass_is_conserved_and_histories_grow(vortex):
    sim = weft.flow.Simulation(vortex, output={"history_steps": 2})
    before = sim.totals()
    sim.run(steps=10)
    assert np.allclose(sim.totals(), before, rtol=1e-13)
    assert list(sim.residuals["step"]) == [2, 4, 6, 8, 10]
    assert (sim.residuals["density"] > 0).all()


def test_a_thread_reads_histories_of_a_run(vortex):
    sim = weft.flow.Simulation(vortex, output={"history_steps": 1})
    run = threading.Thread(target=lambda: sim.run(steps=200))
    run.start()
    while run.is_alive():
        columns = sim.residuals
        assert {len(column) for column in columns.values()} == {len(columns["step"])}
        assert (columns["step"] == np.arange(1, len(columns["step"]) + 1)).all()
    run.join()
    assert len(sim.residuals["step"]) == 200


def test_monitors_integrals_and_scalars_have_histories(naca):
    sim = weft.flow.Simulation(
        naca,
        mesh={"around": 32, "radial": 12, "radius": 5.0},
        output={"history_steps": 2, "integrals": True},
        scalars={"dye": {"initial": "1"}},
        probes={"above": {"at": [0.5, 0.3]}},
        monitors={"skin": {"zones": ["*"], "quantities": ["mass_flow", "pressure"]}},
    )
    sim.run(steps=4)
    assert list(sim.integrals["step"]) == [2, 4] and set(sim.integrals) >= {"density", "energy", "density_dye"}
    assert sim.integrals["density"][-1] == pytest.approx(sim.totals()[0], rel=1e-14)
    assert list(sim.monitors["skin"]) == ["step", "time", "mass_flow", "pressure"] and (sim.monitors["skin"]["pressure"] > 0).all()
    assert sim.probes["above"]["dye"] == pytest.approx([1, 1], rel=1e-15)  # a quotient of rounded densities
    assert (sim.integrals["density_dye"] < sim.integrals["density"]).all()


def test_forces_and_probes_have_histories(naca):
    sim = weft.flow.Simulation(
        naca,
        mesh={"around": 32, "radial": 12, "radius": 5.0},
        output={"history_steps": 5},
        probes={"above": {"at": [0.5, 0.3]}},
    )
    sim.run(steps=20)
    (force,) = sim.forces.values()
    assert list(force["step"]) == [5, 10, 15, 20] and np.isfinite(force["lift"]).all() and (force["drag"] != 0).all()
    assert list(sim.probes["above"]["step"]) == [5, 10, 15, 20] and (sim.probes["above"]["pressure"] > 0).all()


def test_a_mesh_is_shared(vortex):
    first = weft.flow.Simulation(vortex)
    second = weft.flow.Simulation(vortex, mesh=first.mesh, numerics={"flux": "roe"})
    assert second.mesh is first.mesh and 'flux = "roe"' in second.case
    second.run(steps=1)


def test_more_ranks_than_cells(comm, shared_path):
    """Ranks without cells take part in everything."""
    walls = {"*": {"kind": "slip_wall"}}
    case = {"mesh": {"generator": "box", "nx": 2, "ny": 1}, "boundary": walls, "free_stream": {"density": 1.0, "pressure": 1.0}}
    sim = weft.flow.Simulation(case, source=lambda x, t, state: {"energy": np.ones(len(x))}, initial=lambda x: {"density": 1.0, "pressure": 1.0})
    assert sim.run(steps=2) == "steps" and comm.sum(sim.mesh.cells.owned) == 2
    assert comm.sum(float(sim["pressure"].sum())) == pytest.approx(2 + 0.8 * sim.time) and sim.totals()[0] == pytest.approx(1)
    for name in sim.fields:
        assert len(sim[name]) == sim.mesh.cells.owned
    assert comm.sum(len(sim.on_zone("ymin")["pressure"])) == 2
    sim.checkpoint(shared_path / "state.h5")
    sim.restore(shared_path / "state.h5")
    sim.restore(sim.conserved)
    mesh = sim.mesh
    u = weft.Array(mesh.plan, width=3)
    u.owned[:] = comm.rank
    weft.Exchange(mesh.plan, u).pull()
    weft.write_arrays(shared_path / "u.h5", u=u)
    assert np.array_equal(weft.read_array(shared_path / "u.h5", "u", mesh.plan).owned, u.owned)
    summary = weft.flow.run(case, stop={"steps": 3}, output={"directory": str(shared_path / "run")}, overwrite=True)
    assert summary["steps"] == 3 and mesh.info()["cells_of_type"]["quad"] == 2
    assert (weft.plot.field(sim, "density") is None) == (comm.rank > 0)


def test_callbacks(vortex):
    sim = weft.flow.Simulation(vortex)
    seen = []
    sim.run(steps=6, callback=lambda s: seen.append((s.steps, s.time)), every=2)
    assert [step for step, _ in seen] == [2, 4, 6] and seen[-1][1] == sim.time


def test_an_exception_of_a_callback_on_one_rank_ends_the_run_on_all(comm, vortex):
    sim = weft.flow.Simulation(vortex)

    def fail(_):
        if comm.rank == comm.size - 1:
            raise KeyError("mine")

    with pytest.raises(KeyError if comm.rank == comm.size - 1 else weft.InterruptedError):
        sim.run(steps=5, callback=fail)
    assert sim.steps == 1
    sim.run(steps=1)


def test_a_run_releases_the_lock_of_python(comm, vortex):
    """Another thread of Python counts while steps of about 50 ms are computed."""
    sim = weft.flow.Simulation(vortex, mesh={"n": 160}, comm=weft._weft.communicator_self())
    counts, stop = [0], threading.Event()

    def count():
        while not stop.wait(0.001):
            counts[0] += 1

    counter = threading.Thread(target=count)
    counter.start()
    sim.run(steps=10)
    stop.set()
    counter.join()
    assert counts[0] > 10, counts


def test_an_mpi4py_communicator_is_taken(vortex):
    mpi = pytest.importorskip("mpi4py.MPI")
    alone = mpi.COMM_WORLD.Split(mpi.COMM_WORLD.rank)
    sim = weft.flow.Simulation(vortex, comm=alone)
    assert sim.mesh.comm.size == 1 and sim.mesh.cells.owned == 256
    sim.run(steps=2)
