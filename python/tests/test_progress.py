"""The bar of progress of Simulation.run."""
import io
import sys
import types

import pytest

import weft
from weft import _progress


@pytest.mark.parametrize("end", [{"steps": 12}, {"until": 0.2}])
def test_the_bar_reaches_its_end(comm, vortex, capsys, end):
    sim = weft.flow.Simulation(vortex)
    seen = []
    sim.run(**end, progress=True, callback=lambda s: seen.append(s.steps), every=5)
    shown = capsys.readouterr().err
    assert seen == list(range(5, sim.steps + 1, 5))  # the bar does not change when the callback is called
    if comm.rank > 0:
        assert shown == ""
        return
    last = shown.rstrip("\n").split("\r")[-1]
    assert last.startswith("|####################| 100 %") and f"step {sim.steps} " in last and shown.endswith("\n")


def test_a_run_with_results_shows_its_last_step(comm, vortex, capsys, shared_path):
    output = {"directory": str(shared_path / "run")}
    weft.flow.run({**vortex, "stop": {"steps": 12}}, output=output, overwrite=True, progress=True)
    shown = capsys.readouterr().err
    if comm.rank > 0:
        assert shown == ""
        return
    last = shown.rstrip("\n").split("\r")[-1]
    assert last.startswith("100 %  step 12 ") and shown.endswith("\n") and shown.count("\r") < 12


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("columns", "last"),
    [
        (120, "|####################| 100 %  step 12000  time 0.123456  residual 1.00e-05  0 s left"),
        (80, "100 %  step 12000  time 0.123456  residual 1.00e-05  0 s left"),
        (40, "100 %  step 12000  0 s left"),
        (4, "100"),
    ],
)
def test_no_line_is_wider_than_the_terminal(monkeypatch, columns, last):
    """The line leaves out its least important parts; the whole one is written where there is no terminal."""
    monkeypatch.setenv("COLUMNS", str(columns))
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", stream)
        sim = types.SimpleNamespace(steps=0, time=0.0, residual=1.0)
        bar = _progress.Bar(sim, None, 12000)
        bar.show()
        sim.steps, sim.time, sim.residual = 12000, 0.123456, 1e-5
        bar.end()
        lines = stream.getvalue().rstrip("\n").split("\r")[1:]
        assert len(lines) > 1 and lines[0].startswith("step 0"[: columns - 1])
        if stream.isatty():
            assert lines[-1].rstrip() == last and max(map(len, lines)) < columns
        else:
            assert lines[-1].startswith("|####################| 100 %  step 12000  time")


def test_no_bar_without_a_terminal(vortex, capsys):
    weft.flow.Simulation(vortex).run(steps=2)  # stderr is no terminal here
    assert capsys.readouterr().err == ""
