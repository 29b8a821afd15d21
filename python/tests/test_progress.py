"""The bar of progress of Simulation.run."""
import pytest

import weft


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


def test_no_bar_without_a_terminal(vortex, capsys):
    weft.flow.Simulation(vortex).run(steps=2)  # stderr is no terminal here
    assert capsys.readouterr().err == ""
