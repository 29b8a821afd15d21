"""Every key of a case from Python: the types that editors complete, and the checks."""
import inspect
import subprocess
import sys
import typing

import pytest
from conftest import ENV, ROOT

import weft
from weft import case


def test_types_are_those_of_the_declarations(comm):
    if comm.size > 1:
        pytest.skip("one process is enough")
    done = subprocess.run([sys.executable, ROOT / "tools" / "case-types", "--check"], capture_output=True, text=True, timeout=50)
    assert done.returncode == 0, done.stdout + done.stderr


def test_signatures_name_every_section():
    for function in (weft.flow.Simulation, weft.flow.run):
        names = set(inspect.signature(function).parameters)
        assert {"mesh", "numerics", "boundary", "initial", "output", "sections"} <= names
        assert set(case.CaseSections.__annotations__) <= names


def test_types_can_be_evaluated():
    """Editors evaluate them; the annotations are texts."""
    for name in case.__all__:
        thing = getattr(case, name)
        if typing.is_typeddict(thing):
            assert typing.get_type_hints(thing)
    assert "hllc" in typing.get_args(typing.get_type_hints(case.Numerics)["flux"])


RIGHT = """
import weft
from weft.case import Case

case: Case = {"mesh": {"generator": "box", "nx": 8}, "numerics": {"cfl": 0.5}}
sim = weft.flow.Simulation(case, numerics={"limiter": "none"}, initial=lambda x: {"density": 1.0}, stop={"steps": 3})
mass = sim.integrals["density"][-1] + sim.totals()[0] + sim.forces["wall"]["drag"].max()
plan = weft.Mesh.generate("box", nx=4).plan
with weft.Exchange(plan, weft.Array(plan, width=3)) as exchange:
    messages, size = exchange.sent
summary = weft.flow.run("case.toml", output={"directory": "results"}, overwrite=True)
"""
WRONG = {  # line: what mypy says of it
    'weft.flow.Simulation("a.toml", numerics={"clf": 0.5})': 'Extra key "clf"',
    'weft.flow.Simulation("a.toml", numeric={"cfl": 0.5})': 'did you mean "numerics"',
    'weft.flow.Simulation("a.toml", numerics={"limiter": "nome"})': "has type \"Literal['none', 'barth",
    'weft.flow.run("a.toml", stop={"steps": "many"})': '"steps" has type "int"',
    'weft.flow.Simulation("a.toml").pressur': 'no attribute "pressur"',
    'weft.Mesh.read("a.msh").zone': 'no attribute "zone"',
    "weft.Array(3)": 'expected "GhostPlan"',
}


def test_a_type_checker_knows_every_key(comm, tmp_path):
    """As editors do: a right script passes, and each wrong line is an error that names the closest word or the type."""
    if comm.size > 1:
        pytest.skip("one process is enough")
    pytest.importorskip("mypy", reason="mypy is not installed")
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text("\n".join(["import weft", *WRONG]))
    command = [sys.executable, "-m", "mypy", "--cache-dir", tmp_path / "cache", "--config-file", ROOT / "pyproject.toml"]
    done = subprocess.run([*command, "right.py", "wrong.py"], cwd=tmp_path, env=ENV, capture_output=True, text=True, timeout=200)
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert not any(line.startswith("right.py") for line in errors), done.stdout + done.stderr
    for number, (line, text) in enumerate(WRONG.items(), 2):
        assert any(error.startswith(f"wrong.py:{number}:") and text in error for error in errors), (line, done.stdout, done.stderr)


def keys():
    """Every key of the sections whose keys do not depend on a choice: (section, key)."""
    for name in case.CaseSections.__annotations__:
        section = getattr(case, name.title().replace("_", ""), None)
        if typing.is_typeddict(section) and name in ("gas", "free_stream", "numerics", "body_force", "stop", "output"):
            yield from ((name, key) for key in section.__annotations__)


@pytest.mark.parametrize("section, key", list(keys()))
def test_every_key_is_known_and_checked(vortex, section, key):
    """A value of a wrong type names the key; a misspelt key gets the closest one."""
    good = dict(vortex, free_stream={"density": 1.0, "pressure": 1.0, "velocity": [1.0, 0.0]})
    with pytest.raises(weft.InputError) as info:
        weft.flow.Simulation(good, **{section: {key: [[1], [2]]}})
    assert any(error.key and error.key.startswith(f"{section}.") for error in info.value.all), info.value
    wrong = key + "q"
    with pytest.raises(weft.InputError) as info:
        weft.flow.Simulation(good, **{section: {wrong: 1}})
    unknown = [error for error in info.value.all if error.key == f"{section}.{wrong}"]
    assert unknown and "unknown" in unknown[0].problem and unknown[0].suggestion
