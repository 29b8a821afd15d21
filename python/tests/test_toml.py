"""Dictionaries as TOML."""
from pathlib import Path

import numpy as np
import pytest

from weft import _toml

tomllib = pytest.importorskip("tomllib")


def test_documents_read_back_as_they_were():
    case = {
        "title": 'quotes " and \\ and \n and é',
        "numerics": {"cfl": 0.5, "well_balanced": True, "tiny": 1e-300},
        "mesh": {"n": 3, "periodic": [{"from": "a", "to": "b", "translation": [1.0, 0.0]}]},
        "boundary": {"far field": {"kind": "far_field"}, "wall*": {"kind": "slip_wall"}},
        "empty": {},
    }
    assert tomllib.loads(_toml.document(case)) == case


def test_numpy_paths_and_none():
    text = _toml.document({"a": {"x": np.float64(0.1), "n": np.int32(3), "v": np.array([1.0, 2.0]), "p": Path("/tmp/x"), "no": None}})
    assert tomllib.loads(text) == {"a": {"x": 0.1, "n": 3, "v": [1.0, 2.0], "p": "/tmp/x"}}


def test_infinities():
    assert tomllib.loads(_toml.document({"x": float("inf"), "y": -float("inf")})) == {"x": float("inf"), "y": -float("inf")}


def test_overrides():
    assert _toml.overrides({"numerics": {"cfl": 0.5}, "threads": 2}) == ["numerics.cfl=0.5", "threads=2"]


@pytest.mark.parametrize("bad", [object(), {1, 2}, 1j, b"bytes"])
def test_other_types_are_refused(bad):
    with pytest.raises(TypeError, match="numerics.cfl"):
        _toml.document({"numerics": {"cfl": bad}})
