"""Wrong cases and calls of a simulation are refused with the key, the closest word and what to do."""
import numpy as np
import pytest

import weft


def test_all_errors_of_a_case_are_listed(vortex):
    wrong = dict(vortex, numerics={"limitr": "none", "cfl": -1.0}, stopp={"time": 1.0})
    with pytest.raises(weft.InputError) as info:
        weft.flow.Simulation(wrong)
    keys = {error.key for error in info.value.all}
    assert {"numerics.cfl", "numerics.limitr"} <= keys and len(keys) >= 3
    assert all(error.problem and error.suggestion is not None for error in info.value.all)


@pytest.mark.parametrize(
    "change, kind, text",
    [
        (dict(numerics={"flux": "hlc"}), weft.InputError, "hllc"),
        (dict(numerics={"cfl": "fast"}), weft.InputError, "numerics.cfl"),
        (dict(numerics={"cfl": float("nan")}), weft.InputError, "numerics.cfl"),
        (dict(numerics={"cfl": object()}), TypeError, "numerics.cfl"),
        (dict(numerics={3: 1}), TypeError, "keys"),
        (dict(initial={"kind": "vortx"}), weft.InputError, "vortex"),
        (dict(mesh=5), TypeError, "weft.Mesh"),
        (dict(mesh={"generator": "vortex_box", "n": -3}), weft.InputError, "n"),
        (dict(comm=3), TypeError, "communicator"),
        (dict(threads=0), weft.InputError, "threads"),
        (dict(device="gpu"), weft.InputError, "cuda"),
        (dict(nonsense=1), weft.InputError, "nonsense"),
        (dict(boundary={"nowhere": {"kind": "slip_wall"}}), weft.InputError, "nowhere"),
        (dict(forces={"wing": {"zones": ["wing"]}}), weft.InputError, "wing"),
        (dict(probes={"p": {"at": [99.0, 0.0]}}), weft.InputError, "outside|mesh"),
    ],
)
def test_wrong_cases_are_refused(vortex, change, kind, text):
    with pytest.raises(kind, match=text):
        weft.flow.Simulation(vortex, **change)


@pytest.mark.parametrize(
    "call, kind, text",
    [
        (lambda s: s.run(), weft.InputError, "nothing ends"),
        (lambda s: s.run(steps=-5) and None or s.run(until="end"), TypeError, "."),
        (lambda s: s.run(steps=1.5), TypeError, "."),
        (lambda s: s.run(steps=1, callback=3), TypeError, "callable"),
        (lambda s: s.run(steps=1, callback=print, every=0), ValueError, "every"),
        (lambda s: s.run(until=float("nan")), weft.InputError, "not a number"),
        (lambda s: s.step(0.0), weft.InputError, "above 0"),
        (lambda s: s.step(float("nan")), weft.InputError, "above 0"),
        (lambda s: s.step("long"), TypeError, "."),
        (lambda s: s["presure"], weft.InputError, "pressure"),
        (lambda s: s[3], TypeError, "."),
        (lambda s: s.restore(np.zeros((3, 4))), weft.InputError, "shape"),
        (lambda s: s.restore(np.zeros(s.conserved.size)), (TypeError, weft.InputError), "."),
        (lambda s: s.restore("state"), weft.IoError, "no such file"),
        (lambda s: s.restore([["state"]]), (TypeError, ValueError), "."),
        (lambda s: s.checkpoint("/nonexistent/state.h5"), weft.IoError, "nonexistent"),
        (lambda s: s.fields("/nonexistent/fields.hdf"), weft.IoError, "nonexistent"),
        (lambda s: s.restore(-s.conserved), weft.PhysicsError, "."),
        (lambda s: s.restore(s.conserved * np.nan), weft.PhysicsError, "."),
    ],
)
def test_wrong_calls_are_refused(vortex, call, kind, text):
    sim = weft.flow.Simulation(vortex)
    with pytest.raises(kind, match=text):
        call(sim)


def test_absent_case_file(comm):
    with pytest.raises(weft.IoError, match="absent.toml"):
        weft.flow.Simulation("absent.toml")
