"""The examples of docs/guide/python.md run in its order, and the five lines of the README make its picture."""
import os
import re

import matplotlib
import numpy as np
import pytest
from conftest import ROOT

import weft


def test_five_lines_make_the_picture_of_the_readme(comm, tmp_path, monkeypatch):
    if comm.size > 1:
        pytest.skip("draws with one rank")
    matplotlib.use("Agg")
    (block,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.S | re.M)
    assert len(block.splitlines()) == 5
    (tmp_path / "cases").symlink_to(ROOT / "cases")
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "README.md", "exec"), {})  # noqa: S102
    drawn, shown = (matplotlib.image.imread(path) for path in ("forward_step.png", ROOT / "docs" / "pictures" / "forward_step.png"))
    assert drawn.shape == shown.shape and np.abs(drawn - shown).mean() < 0.01


def test_a_block_follows_the_reason_why_it_is_not_run_and_no_paragraph_is_there_twice():
    text = (ROOT / "docs" / "guide" / "python.md").read_text()
    for reason, after in re.findall(r"^(<!-- not run: .* -->)\n(.*)$", text, re.M):
        assert after.startswith("```"), reason
    prose = re.sub(r"^```.*?^```|^<!--.*?-->$", "", text, flags=re.S | re.M)
    begins = [" ".join(paragraph.split())[:40] for paragraph in prose.split("\n\n") if len(paragraph) > 40]
    assert not [begin for begin in begins if begins.count(begin) > 1]


def test_the_pictures_of_the_page_are_drawn_on_any_number_of_ranks(comm, shared_path, monkeypatch, capsys):
    (block,) = [b for b in re.findall(r"^```python\n(.*?)^```", (ROOT / "docs" / "guide" / "python.md").read_text(), re.S | re.M) if "savefig" in b]
    monkeypatch.chdir(shared_path)
    matplotlib.use("Agg")
    sections = {"mesh": {"around": 32, "radial": 12}, "output": {"directory": str(shared_path / "run")}, "stop": {"steps": 2}}
    summary = weft.flow.run(ROOT / "cases" / "naca0012.toml", overwrite=True, **sections)
    names = {"weft": weft, "other": weft.flow.Simulation(ROOT / "cases" / "naca0012.toml", mesh=sections["mesh"]), "summary": summary}
    exec(compile(block, "docs/guide/python.md", "exec"), names)  # noqa: S102
    assert (capsys.readouterr().out == "") == (comm.rank > 0)
    comm.barrier()
    assert (shared_path / "mach.pdf").exists()


def test_every_example_runs(comm, tmp_path, monkeypatch, capsys):
    if comm.size > 1:
        pytest.skip("prints what one rank prints")
    text = (ROOT / "docs" / "guide" / "python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.S | re.M)
    assert len(blocks) >= 7
    (tmp_path / "cases").symlink_to(ROOT / "cases")
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    names = {}
    for block in blocks:
        exec(compile(block, "docs/guide/python.md", "exec"), names)  # noqa: S102
    shown = capsys.readouterr().out
    for part in (
        "largest Mach number: 3",
        "density changed by",
        "continues at step 100",
        "verdict: complete",
        "x / c, c = 1",
        "Density",
        "mass in the box: ",
        "'quad': 1",
        "volume: 2.0",
        "numerics.cfl |",
        "row after the last: ",
        "in the memory of numpy: [7. 7.] [7. 7.]",
        "last change: ",
        "maximum of change over ranks",
        "10 iterations on 1 ranks",
        "as one of 4096 ranks: 2 messages, 48 bytes per iteration",
        "written in iterations [5, 10]",
        "the host side is stale",
        "on the host: 2.0",
        "sum of the task of the host: 400.0",
    ):
        assert part in shown, shown
    assert os.path.exists("results/sod_py/case.toml") and weft.world().size == 1
