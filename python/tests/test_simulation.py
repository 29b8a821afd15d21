"""Simulations in memory and runs with results."""
import gc
import json
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from conftest import ENV

import weft


def test_run_steps_and_time(vortex):
    sim = weft.flow.Simulation(vortex)
    assert sim.run(steps=3) == "steps" and sim.steps == 3
    assert sim.run(steps=2) == "steps" and sim.steps == 5
    assert sim.run(until=0.5) == "time" and sim.time == 0.5
    step = sim.step(1e-3)
    assert step.dt == 1e-3 and step.time == sim.time and step.retries == 0
    assert sim.run(steps=0) == "steps"


def spans(path):
    return [event for event in json.loads(path.read_text())["traceEvents"] if event["ph"] == "X"]


def test_a_run_leaves_a_trace(vortex, comm, shared_path):
    sim = weft.flow.Simulation(vortex)
    path = shared_path / "trace.json"
    assert sim.run(steps=6, trace=path) == "steps"
    traced = spans(path)
    for rank in range(comm.size):
        assert sum(event["name"] == "step" and event["pid"] == rank for event in traced) == 6
    comm.barrier()
    sim.run(steps=1)  # not recorded
    assert len(spans(path)) == len(traced)
    calls = []

    def stop(sim):
        calls.append(sim.steps)
        raise ValueError("stop")

    with pytest.raises((ValueError, InterruptedError) if comm.size == 1 else Exception, match="stop|another rank"):
        sim.run(steps=5, callback=stop, trace=str(path))
    assert calls == [8]
    assert {event["args"]["step"] for event in spans(path) if event["name"] == "step"} == {0}


def test_a_trace_that_cannot_be_written_is_an_error_before_the_first_step(vortex, comm, shared_path):
    sim = weft.flow.Simulation(vortex)
    for path in ("/no/such/folder/trace.json", shared_path):
        with pytest.raises(weft.IoError, match="trace"):
            sim.run(steps=1, trace=path)
    assert sim.steps == 0
    assert sim.run(steps=1) == "steps"


def test_runs_with_results_have_traces(vortex, comm, shared_path):
    results = shared_path / "results"
    weft.flow.run({**vortex, "stop": {"steps": 3}}, output={"directory": str(results)}, overwrite=True, trace=shared_path / "trace.json")
    names = {event["name"] for event in spans(shared_path / "trace.json")}
    assert {"run", "build mesh", "step", "write fields"} <= names


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


def test_restore_continues_bit_by_bit(vortex):
    sim = weft.flow.Simulation(vortex)
    sim.run(steps=4)
    state, time, step = sim.conserved.copy(), sim.time, sim.steps
    sim.run(steps=4)
    end = sim.conserved.copy()
    sim.restore(state, time, step)
    sim.run(steps=4)
    assert sim.steps == 8 and np.array_equal(sim.conserved, end)


def test_a_checkpoint_continues_bit_by_bit(comm, vortex, shared_path):
    carried = dict(vortex, scalars={"dye": {"initial": "0.5 + 0.1*x"}})
    sim = weft.flow.Simulation(carried)
    sim.run(steps=4)
    path = shared_path / f"state{comm.size}.h5"
    sim.checkpoint(path)
    sim.run(steps=4)
    other = weft.flow.Simulation(carried)
    other.restore(path)
    assert other.steps == 4 and len(other.residuals["step"]) == 0
    other.run(steps=4)
    assert other.time == sim.time and np.array_equal(other.conserved, sim.conserved) and np.array_equal(other["dye"], sim["dye"])
    with pytest.raises(weft.IoError, match="mesh"):
        weft.flow.Simulation(carried, mesh={"n": 8}).restore(path)
    with pytest.raises(weft.InputError, match="scalars"):
        weft.flow.Simulation(vortex).restore(path)


def test_a_run_with_results_continues_in_memory_and_its_fields_are_read(comm, vortex, shared_path):
    folder = shared_path / f"run{comm.size}"
    output = {"directory": str(folder), "fields": ["density", "velocity", "mach"]}
    weft.flow.run(vortex, stop={"steps": 6}, output=output, overwrite=True)
    sim = weft.flow.Simulation(vortex)
    sim.restore(folder)
    assert sim.steps == 6
    fields = sim.fields(folder / "fields_00000006.hdf")
    for name in ("density", "velocity", "mach"):
        assert fields[name].shape == sim[name].shape and np.array_equal(fields[name], sim[name])
    assert (fields["rank"] == comm.rank).all() and fields["cell_id"].dtype == np.int64
    with pytest.raises(weft.IoError, match="mesh"):
        weft.flow.Simulation(vortex, mesh={"n": 8}).fields(folder / "fields_00000006.hdf")


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
    assert mass == pytest.approx(sim.totals()[0], rel=1e-15)
    with pytest.raises(weft.InputError, match="overwrite|resume"):
        weft.flow.run(forward_step, mesh={"h": 0.1}, stop={"time": 0.2}, output={"directory": str(folder)})


def test_digits_are_those_of_the_command_line(comm, forward_step, shared_path):
    """The program computes the same case on as many ranks; every digit of the fields is equal."""
    program = Path(weft._weft.__file__).parents[2] / "bin" / "weft"
    if not program.exists():
        pytest.skip(f"{program} is not built")
    folder = shared_path / f"program{comm.size}"
    settings = ["mesh.h=0.1", "stop.time=0.3", f'output.directory="{folder}"', 'output.precision="double"']
    command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(comm.size), program, "run", forward_step, "--overwrite"]
    if comm.rank == 0:
        command += [part for each in settings for part in ("--set", each)]
        subprocess.run(command, check=True, timeout=100, env=ENV, stdout=subprocess.DEVNULL)
    comm.barrier()
    sim = weft.flow.Simulation(forward_step, mesh={"h": 0.1})
    sim.run(until=0.3)
    written = sim.fields(folder / f"fields_{sim.steps:08d}.hdf")
    for name in ("density", "velocity", "pressure"):
        assert np.array_equal(written[name], sim[name])


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
        (lambda s: s.run(until=float("nan")), weft.InputError, "not a number"),
        (lambda s: s.step(0.0), weft.InputError, "above 0"),
        (lambda s: s.step(float("nan")), weft.InputError, "above 0"),
        (lambda s: s.step("long"), TypeError, "."),
        (lambda s: s["presure"], weft.InputError, "pressure"),
        (lambda s: s[3], TypeError, "."),
        (lambda s: s.restore(np.zeros((3, 4))), weft.InputError, "shape"),
        (lambda s: s.restore(np.zeros(s.conserved.size)), (TypeError, weft.InputError), "."),
        (lambda s: s.restore("state"), weft.IoError, "no such file"),
        (lambda s: s.restore([["state"]]), (TypeError, ValueError), "."),
        (lambda s: s.checkpoint("/nonexistent/state.h5"), weft.IoError, "nonexistent"),
        (lambda s: s.fields("/nonexistent/fields.hdf"), weft.IoError, "nonexistent"),
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


INTERRUPTED = """
import os, signal, sys, weft
rank, last = weft.world().rank, weft.world().size - 1
calls = [0]
def source(x, t, state):  # Ctrl-C arrives while the function runs
    calls[0] += 1
    if calls[0] == 30 and rank == last:
        os.kill(os.getpid(), signal.SIGINT)
    return {}
functions = {"source": source} if sys.argv[2] == "function" else {}
if not functions and rank == last:
    signal.setitimer(signal.ITIMER_REAL, 2.0)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
case, output = %r, {"directory": sys.argv[1]}
try:
    reason = weft.flow.run(case, stop={"wall_time": 60}, output=output, **functions)["reason"]
except KeyboardInterrupt:
    reason = "KeyboardInterrupt"
again = weft.flow.run(case, stop={"steps": 1000000, "wall_time": 0.1}, output=output, resume=True, **functions)
sys.stdout.write(f"{rank} {reason}, {again['steps'] > 1}\\n")
"""


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("where", ["function", "step"])
def test_ctrl_c_in_a_run_with_results_leaves_a_checkpoint(comm, vortex, tmp_path, ranks, where):
    if comm.size > 1:
        pytest.skip("starts jobs of its own")
    program = [sys.executable, "-c", INTERRUPTED % vortex, str(tmp_path / "run"), where]
    command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), *program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, env=ENV)
    lines = sorted(done.stdout.splitlines())
    assert len(lines) == ranks and lines[-1] == f"{ranks - 1} KeyboardInterrupt, True", done.stderr
    assert (tmp_path / "run" / "checkpoint.h5").exists()


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
