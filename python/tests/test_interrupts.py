"""Ctrl-C and other signals, and ranks that fail alone."""
import signal
import subprocess
import sys
import time

import pytest
from conftest import ENV

import weft


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


SIGNALLED = """
import sys, weft
case, output = %r, {"directory": sys.argv[1]}
if len(sys.argv) > 2:
    print(weft.flow.run(case, stop={"steps": 1000000, "wall_time": 0.1}, output=output, resume=True)["steps"] > 1)
else:
    weft.flow.run(case, stop={"wall_time": 60}, output=output)
    print("not interrupted")
"""


@pytest.mark.parametrize("launch, number", [("mpirun", signal.SIGINT), ("", signal.SIGTERM), ("", signal.SIGUSR1)])
def test_signals_of_mpirun_and_batch_systems_leave_a_checkpoint(comm, vortex, tmp_path, launch, number):
    """When mpirun gets Ctrl-C, it sends SIGTERM to its ranks, and always waits for its timeout before it kills them."""
    if comm.size > 1:
        pytest.skip("starts jobs of its own")
    program = [sys.executable, "-c", SIGNALLED % vortex, str(tmp_path / "run")]
    if launch:
        program = ["mpirun", "--oversubscribe", "--bind-to", "none", "--mca", "odls_base_sigkill_timeout", "6", "-n", "2", *program]
    job = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENV)
    history = tmp_path / "run" / "residuals.csv"
    deadline = time.monotonic() + 60
    while not (history.exists() and len(history.read_text().splitlines()) > 2):
        assert job.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    job.send_signal(number)
    out, err = job.communicate(timeout=60)
    assert job.returncode != 0 and "not interrupted" not in out, err
    assert (tmp_path / "run" / "checkpoint.h5").exists(), err
    again = subprocess.run([*program, "again"], capture_output=True, text=True, timeout=100, env=ENV)
    assert "True" in again.stdout, again.stderr


def test_a_rank_that_fails_alone_ends_the_job(comm):
    if comm.size > 1:
        pytest.skip("starts a job of its own")
    script = "import weft\nworld = weft.world()\nif world.rank == 1: raise KeyError('mine')\nworld.barrier()\n"
    done = subprocess.run(
        ["mpirun", "--oversubscribe", "-n", "2", sys.executable, "-c", script], capture_output=True, text=True, timeout=50, env=ENV
    )
    assert done.returncode != 0 and "KeyError" in done.stderr and "failed alone" in done.stderr
