"""The notebooks of python/notebooks run, and are stored without output."""
import json

import pytest
from conftest import ENV, ROOT

NOTEBOOKS = sorted((ROOT / "python" / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks():
    asked = {"forward_step", "ghost_exchange", "kernel_on_gpu", "naca0012_polar", "parameter_study", "reading_results"}
    assert asked <= {path.stem for path in NOTEBOOKS}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(comm, path, tmp_path):
    if comm.size > 1:
        pytest.skip("a kernel is a process of its own")
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    cells = json.loads(path.read_text())["cells"]
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells), "stored with output"
    (tmp_path / "cases").symlink_to(ROOT / "cases")
    client = nbclient.NotebookClient(
        nbformat.read(path, as_version=4), timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    executed = client.execute(env=ENV | {"IPYTHONDIR": str(tmp_path)})
    outputs = [output for cell in executed.cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs), "draws nothing"
    if path.stem == "kernel_on_gpu":
        shown = "".join(output.get("text", "") for output in outputs)
        assert ("SKIPPED" in shown) != ("between the kernel and numpy" in shown)
        if "SKIPPED" in shown:
            pytest.skip(shown.partition("SKIPPED, ")[2].splitlines()[0] + " (its other cells ran)")
    if path.stem == "forward_step":  # notebooks show the bar of progress, too
        assert any("| 100 %" in output.get("text", "") for output in outputs)
