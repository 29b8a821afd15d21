"""The examples of weft.task."""
import re
import subprocess
import sys

import pytest
from conftest import ENV, ROOT


@pytest.mark.parametrize("example", ["task_graph.py", "task_graph_gpu.py"])
def test_the_examples_run_on_any_number_of_ranks(comm, example):
    if comm.size > 1:
        pytest.skip("starts jobs of its own")
    path = ROOT / "examples" / "python" / example
    assert len(path.read_text().splitlines()) < 80
    for ranks in (1, 2, 3):
        run = subprocess.run(["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), sys.executable, str(path)],
                             capture_output=True, text=True, timeout=120, env=ENV)
        assert run.returncode == 0, run.stderr
        before, after = map(float, re.search(r"heat (\S+) before and (\S+) after", run.stdout).groups())
        assert abs(before - after) < 1e-9 * before
        assert example != "task_graph.py" or "diffuse (inner)" in run.stdout


@pytest.mark.parametrize("example, inserted, verdict", [
    ("task_coupled.py", ["pull level", "neutralize ghosts of gain", "push sum gain"], "the levels are those of a serial loop"),
    ("task_a2b.py", ["pull a", "sum of sum over ranks"], "the results are the same to the last bit"),
])
def test_the_examples_of_coupled_arrays_print_what_is_inserted(comm, example, inserted, verdict):
    if comm.size > 1:
        pytest.skip("starts jobs of its own")
    path = ROOT / "examples" / "python" / example
    assert len(path.read_text().splitlines()) < 100
    for ranks in (1, 2, 3):
        run = subprocess.run(["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), sys.executable, str(path)],
                             capture_output=True, text=True, timeout=120, env=ENV)
        assert run.returncode == 0, run.stderr
        assert verdict in run.stdout
        if ranks > 1:
            assert [text for text in inserted if text not in run.stdout] == []
