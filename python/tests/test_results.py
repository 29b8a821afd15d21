"""Files of simulations: checkpoints, results of runs, traces; and the digits of the command line."""
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import ENV

import weft


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
