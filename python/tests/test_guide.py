"""The examples of docs/guide/python.md run in its order."""
import os
import re

import pytest
from conftest import ROOT

import weft


def test_every_example_runs(comm, tmp_path, monkeypatch, capsys):
    if comm.size > 1:
        pytest.skip("prints what one rank prints")
    text = (ROOT / "docs" / "guide" / "python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.S | re.M)
    assert len(blocks) >= 7
    (tmp_path / "cases").symlink_to(ROOT / "cases")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks:
        exec(compile(block, "docs/guide/python.md", "exec"), names)  # noqa: S102
    shown = capsys.readouterr().out
    for part in ("largest Mach number: 3", "density changed by", "verdict: complete", "volume: 2.0", "numerics.cfl |"):
        assert part in shown, shown
    assert os.path.exists("results/sod_py/case.toml") and weft.world().size == 1
