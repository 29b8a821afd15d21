"""Simulations in memory and runs with results."""
import gc
import os
import subprocess
import sys

import numpy as np
import pytest

import weft

# Of a process that is no rank of the job of this one.
ENV = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_COMM", "OMPI_MCA", "OMPI_UNI", "PMIX_"))}
ENV |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def test_run_steps_and_time(vortex):
    sim = weft.flow.Simulation(vortex)
    assert sim.run(steps=3) == "steps" and sim.steps == 3
    assert sim.run(steps=2) == "steps" and sim.steps == 5
    assert sim.run(until=0.5) == "time" and sim.time == 0.5
    step = sim.step(1e-3)
    assert step.dt == 1e-3 and step.time == sim.time and step.retries == 0
    assert sim.run(steps=0) == "steps"


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
    before = sim.integrals()
    sim.run(steps=10)
    assert np.allclose(sim.integrals(), before, rtol=1e-13)
    assert list(sim.residuals["step"]) == [2, 4, 6, 8, 10]
    assert (sim.residuals["density"] > 0).all()


def test_restore_continues_bit_by_bit(vortex):
    sim = weft.flow.Simulation(vortex)
    sim.run(steps=4)
    state, time, step = sim.conserved.copy(), sim.time, sim.steps
    sim.run(steps=4)
    end = sim.conserved.copy()
    sim.restore(state, time, step)
    sim.run(steps=4)
    assert sim.steps == 8 and np.array_equal(sim.conserved, end)


def test_a_mesh_is_shared(vortex):
    first = weft.flow.Simulation(vortex)
    second = weft.flow.Simulation(vortex, mesh=first.mesh, numerics={"flux": "roe"})
    assert second.mesh is first.mesh and 'flux = "roe"' in second.case
    second.run(steps=1)


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


def test_results_are_those_of_the_command_line(comm, forward_step, shared_path):
    sim = weft.flow.Simulation(forward_step, mesh={"h": 0.1})
    sim.run(until=0.2)
    folder = shared_path / f"run{comm.size}"
    summary = weft.flow.run(
        forward_step, mesh={"h": 0.1}, stop={"time": 0.2}, output={"directory": str(folder), "integrals": True}, overwrite=True
    )
    assert summary["steps"] == sim.steps and summary["good"] and summary["folder"] == str(folder)
    rows = (folder / "integrals.csv").read_text().splitlines()
    names, values = rows[0].split(","), rows[-1].split(",")
    mass = float(values[[i for i, name in enumerate(names) if "mass" in name or "density" in name][0]])
    assert mass == pytest.approx(sim.integrals()[0], rel=1e-15)
    with pytest.raises(weft.InputError, match="overwrite|resume"):
        weft.flow.run(forward_step, mesh={"h": 0.1}, stop={"time": 0.2}, output={"directory": str(folder)})


def test_all_errors_of_a_case_are_listed(vortex):
    wrong = dict(vortex, numerics={"limitr": "none", "cfl": -1.0}, stopp={"time": 1.0})
    with pytest.raises(weft.InputError) as info:
        weft.flow.Simulation(wrong)
    keys = {error.key for error in info.value.all}
    assert {"numerics.cfl", "numerics.limitr"} <= keys and len(keys) >= 3
    assert all(error.problem and error.suggestion is not None for error in info.value.all)


@pytest.mark.parametrize(
    "change, kind, text",
    [
        (dict(numerics={"flux": "hlc"}), weft.InputError, "hllc"),
        (dict(numerics={"cfl": "fast"}), weft.InputError, "numerics.cfl"),
        (dict(numerics={"cfl": float("nan")}), weft.InputError, "numerics.cfl"),
        (dict(numerics={"cfl": object()}), TypeError, "numerics.cfl"),
        (dict(numerics={3: 1}), TypeError, "keys"),
        (dict(initial={"kind": "vortx"}), weft.InputError, "vortex"),
        (dict(mesh=5), TypeError, "weft.Mesh"),
        (dict(mesh={"generator": "vortex_box", "n": -3}), weft.InputError, "n"),
        (dict(comm=3), TypeError, "communicator"),
        (dict(threads=0), weft.InputError, "threads"),
        (dict(device="gpu"), weft.InputError, "cuda"),
        (dict(nonsense=1), weft.InputError, "nonsense"),
        (dict(boundary={"nowhere": {"kind": "slip_wall"}}), weft.InputError, "nowhere"),
        (dict(forces={"wing": {"zones": ["wing"]}}), weft.InputError, "wing"),
        (dict(probes={"p": {"at": [99.0, 0.0]}}), weft.InputError, "outside|mesh"),
    ],
)
def test_wrong_cases_are_refused(vortex, change, kind, text):
    with pytest.raises(kind, match=text):
        weft.flow.Simulation(vortex, **change)


@pytest.mark.parametrize(
    "call, kind, text",
    [
        (lambda s: s.run(), weft.InputError, "nothing ends"),
        (lambda s: s.run(steps=-5) and None or s.run(until="end"), TypeError, "."),
        (lambda s: s.run(steps=1.5), TypeError, "."),
        (lambda s: s.run(steps=1, callback=3), TypeError, "callable"),
        (lambda s: s.run(steps=1, callback=print, every=0), ValueError, "every"),
        (lambda s: s.step(0.0), weft.InputError, "above 0"),
        (lambda s: s.step(float("nan")), weft.InputError, "above 0"),
        (lambda s: s.step("long"), TypeError, "."),
        (lambda s: s["presure"], weft.InputError, "pressure"),
        (lambda s: s[3], TypeError, "."),
        (lambda s: s.restore(np.zeros((3, 4))), weft.InputError, "shape"),
        (lambda s: s.restore(np.zeros(s.conserved.size)), (TypeError, weft.InputError), "."),
        (lambda s: s.restore("state"), ValueError, "."),
        (lambda s: s.restore(-s.conserved), weft.PhysicsError, "."),
        (lambda s: s.restore(s.conserved * np.nan), weft.PhysicsError, "."),
    ],
)
def test_wrong_calls_are_refused(vortex, call, kind, text):
    sim = weft.flow.Simulation(vortex)
    with pytest.raises(kind, match=text):
        call(sim)


def test_absent_case_file(comm):
    with pytest.raises(weft.IoError, match="absent.toml"):
        weft.flow.Simulation("absent.toml")


def test_simulations_do_not_leak(vortex):
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    def use(count):
        for _ in range(count):
            weft.flow.Simulation(vortex).run(steps=1)
        gc.collect()

    use(10)
    before = resident()
    use(30)
    assert resident() - before < 8 << 20


def test_ctrl_c_ends_a_run(comm, vortex):
    if comm.size > 1:
        pytest.skip("one process is enough")
    script = (
        "import os, signal, threading, weft\n"
        "sim = weft.flow.Simulation(%r)\n"
        "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "try:\n    sim.run(wall_time=60)\nexcept KeyboardInterrupt:\n    print('interrupted', sim.steps > 0)\n" % vortex
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50, env=ENV)
    assert done.stdout.strip() == "interrupted True", done.stderr


def test_a_rank_that_fails_alone_ends_the_job(comm):
    if comm.size > 1:
        pytest.skip("starts a job of its own")
    script = "import weft\nworld = weft.world()\nif world.rank == 1: raise KeyError('mine')\nworld.barrier()\n"
    done = subprocess.run(
        ["mpirun", "--oversubscribe", "-n", "2", sys.executable, "-c", script], capture_output=True, text=True, timeout=50, env=ENV
    )
    assert done.returncode != 0 and "KeyError" in done.stderr and "failed alone" in done.stderr


def test_an_mpi4py_communicator_is_taken(vortex):
    mpi = pytest.importorskip("mpi4py.MPI")
    alone = mpi.COMM_WORLD.Split(mpi.COMM_WORLD.rank)
    sim = weft.flow.Simulation(vortex, comm=alone)
    assert sim.mesh.comm.size == 1 and sim.mesh.cells.owned == 256
    sim.run(steps=2)
