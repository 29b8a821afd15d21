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
        (dict(case=[1]), TypeError, "case must be the path of a case file or a dictionary"),
        (dict(case=b"cases/sod.toml"), TypeError, "case must be the path of a case file or a dictionary"),
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
        weft.flow.Simulation(change.pop("case", vortex), **change)


@pytest.mark.parametrize(
    "call, kind, text",
    [
        (lambda s: s.run(), weft.InputError, "nothing ends"),
        (lambda s: s.run(until="end"), TypeError, "until must be a number, not 'end'"),
        (lambda s: s.run(steps=1.5), TypeError, "steps must be a whole number"),
        (lambda s: s.run(steps=True), TypeError, "steps must be a whole number"),
        (lambda s: s.run(steps=-5), weft.InputError, "-5 steps"),
        (lambda s: s.run(steps=1, wall_time="1 h"), TypeError, "wall_time must be a number"),
        (lambda s: s.run(steps=1, callback=3), TypeError, "callable"),
        (lambda s: s.run(steps=1, callback=print, every=0), ValueError, "every"),
        (lambda s: s.run(until=float("nan")), weft.InputError, "not a number"),
        (lambda s: s.step(0.0), weft.InputError, "above 0"),
        (lambda s: s.step(float("nan")), weft.InputError, "above 0"),
        (lambda s: s.step("long"), TypeError, "."),
        (lambda s: s["presure"], weft.InputError, "pressure"),
        (lambda s: s[3], TypeError, "a field has a name"),
        (lambda s: list(s), TypeError, "not iterable"),
        (lambda s: setattr(s, "cfl", 0.1), AttributeError, "cfl"),
        (lambda s: s.restore(s.conserved, time=float("nan")), weft.InputError, "the time nan"),
        (lambda s: s.restore(s.conserved, step=-1), weft.InputError, "number of steps -1"),
        (lambda s: s.restore(s.conserved, step=1.5), TypeError, "step"),
        (lambda s: s.restore(None), TypeError, "a path or an array of numbers"),
        (lambda s: s.restore(np.zeros((3, 4))), weft.InputError, "shape"),
        (lambda s: s.restore(np.zeros(s.conserved.size + 1)), weft.InputError, r"the shape \(\d+\)"),
        (lambda s: s.restore("state"), weft.IoError, "no such file"),
        (lambda s: s.restore([["state"]]), (TypeError, ValueError), "."),
        (lambda s: s.checkpoint("/nonexistent/state.h5"), weft.IoError, "nonexistent"),
        (lambda s: s.fields("/nonexistent/fields.hdf"), weft.IoError, "nonexistent"),
        (lambda s: s.restore(-s.conserved), weft.PhysicsError, "the state to restore is not physical"),
        (lambda s: s.restore(s.conserved * np.nan), weft.PhysicsError, "density nan"),
    ],
)
def test_wrong_calls_are_refused(vortex, call, kind, text):
    sim = weft.flow.Simulation(vortex)
    with pytest.raises(kind, match=text):
        call(sim)


def test_absent_case_file(comm):
    with pytest.raises(weft.IoError, match="absent.toml"):
        weft.flow.Simulation("absent.toml")


ARRAYS = {
    "Fortran order": np.asfortranarray,
    "strided": lambda a: np.repeat(a, 2, axis=0)[::2],
    "negative strides": lambda a: a[::-1][::-1],
    "float32": lambda a: a.astype(np.float32),
    "the byte order of other machines": lambda a: a.astype(">f8"),
    "a list": lambda a: a.tolist() or np.zeros((0, 5)),
    "masked": np.ma.array,
}


@pytest.mark.parametrize("form", ARRAYS)
def test_states_of_any_array_are_taken(vortex, form):
    sim = weft.flow.Simulation(vortex)
    state = sim.conserved.copy()
    sim.run(steps=2)
    sim.restore(ARRAYS[form](state), 0.25, np.int64(7))
    assert np.allclose(sim.conserved, state, rtol=1e-6) and sim.time == 0.25 and sim.steps == 7


def test_numbers_of_numpy_are_numbers(vortex):
    sim = weft.flow.Simulation(vortex, mesh={"n": np.int32(8)}, numerics={"cfl": np.float32(0.5)})
    assert sim.run(steps=np.int64(2), callback=lambda s: None, every=np.int16(2)) == "steps"
    assert sim.run(until=np.float32(0.25)) == "time" and "pressure" in sim and "presure" not in sim


def different(comm, one, other):
    """Returns `other` on the last rank, and `one` on the others."""
    return other if comm.rank == comm.size - 1 else one


DIFFERENT = {
    "a value": (lambda comm, case: weft.flow.Simulation(case, numerics={"cfl": different(comm, 0.5, 0.4)}), "cfl=0.5, rank . has numerics.cfl=0.4"),
    "a key": (lambda comm, case: weft.flow.Simulation(case, numerics={different(comm, "cfl", "clf"): 0.5}), "cfl=0.5, rank . has numerics.clf"),
    "a file": (lambda comm, case: weft.flow.Simulation(different(comm, "a.toml", "b.toml")), "a.toml, rank . has the file b.toml"),
    "a file and a dictionary": (lambda comm, case: weft.flow.Simulation(different(comm, "a.toml", case)), "the file a.toml"),
    "a generated mesh": (lambda comm, case: weft.Mesh.generate("box", nx=different(comm, 4, 5)), "nx=4, rank . has nx=5"),
    "a file of a mesh": (lambda comm, case: weft.Mesh.read(different(comm, "a.msh", "b.msh")), "a.msh, rank . has b.msh"),
    "steps": (lambda comm, case: weft.flow.Simulation(case).run(steps=different(comm, 2, 3)), "steps=2, rank . has steps=3"),
    "a callback": (lambda comm, case: weft.flow.Simulation(case).run(steps=2, callback=different(comm, None, print)), "callback=False"),
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_arguments_that_differ_between_ranks_are_an_error_on_all(comm, vortex, what):
    if comm.size == 1:
        pytest.skip("one rank agrees with itself")
    call, text = DIFFERENT[what]
    with pytest.raises(weft.InputError, match=f"differs between ranks: .*{text}"):
        call(comm, vortex)


def test_the_smallest_length_of_a_step_counts(comm, vortex):
    sim = weft.flow.Simulation(vortex)
    assert sim.step(different(comm, 2e-3, 1e-3)).dt == 1e-3
    with pytest.raises(weft.InputError, match="above 0"):
        sim.step(different(comm, 1e-3, -1.0))
    assert sim.steps == 1


def test_errors_have_a_problem_and_a_suggestion(comm):
    for wrong in (lambda: weft.Mesh.generate("bxo"), lambda: weft.Mesh.from_arrays([[0, 0]], {"tringle": [[0, 1, 2]]}), lambda: weft.plot.field("/no")):
        with pytest.raises(weft.Error) as info:
            wrong()
        assert info.value.problem and info.value.suggestion and info.value.suggestion in str(info.value)
