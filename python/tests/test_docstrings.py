"""Every public name has a docstring, and the examples in docstrings run."""
import doctest
import inspect
from importlib import import_module

import matplotlib
import pytest
from conftest import ROOT

import weft

MODULES = (weft, weft.bench, weft.errors, weft.flow, weft.plot, weft.plot.scene, weft.task)
WITH_EXAMPLES = (weft, weft.flow, weft.plot, weft.plot.scene, weft.task, import_module("weft.plot.scripts"))


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_public_names_have_docstrings(comm, module):
    assert module.__doc__
    for name in getattr(module, "__all__", [each for each in vars(module) if not each.startswith("_")]):
        thing = getattr(module, name)
        if not (inspect.isclass(thing) or callable(thing)):
            continue
        assert thing.__doc__, f"{module.__name__}.{name}"
        for member, value in vars(thing).items() if inspect.isclass(thing) else ():
            if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                assert value.__doc__, f"{module.__name__}.{name}.{member}"


@pytest.mark.parametrize("module", WITH_EXAMPLES, ids=lambda module: module.__name__)
def test_examples(comm, module, tmp_path, monkeypatch):
    if comm.size > 1:
        pytest.skip("examples are of one rank")
    if module is weft.plot.scene:
        pytest.importorskip("pyvista", reason="pyvista is not installed: pip install weft[meshes]")
    (tmp_path / "cases").symlink_to(ROOT / "cases")
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    run = doctest.testmod(module, extraglobs={"weft": weft}, optionflags=doctest.ELLIPSIS)
    assert run.failed == 0 and run.attempted > 0
