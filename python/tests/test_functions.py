"""Initial states, boundary states and sources as functions of numpy arrays."""
import gc
import weakref

import numpy as np
import pytest
from conftest import needs_gpu

import weft

BOX = {
    "mesh": {"generator": "box", "nx": 12, "ny": 6, "xmax": 2.0},
    "boundary": {
        "xmin": {"kind": "far_field"},
        "xmax": {"kind": "far_field"},
        "ymin": {"kind": "slip_wall"},
        "ymax": {"kind": "slip_wall"},
    },
    "free_stream": {"density": 1.0, "pressure": 1.0, "velocity": [0.5, 0.0]},
    "numerics": {"limiter": "none", "cfl": 0.5},
}
FORMULA = {
    "kind": "expression",
    "density_expression": "1 + 0.1*x*y",
    "velocity_x_expression": "0.5 - 0.125*y",
    "pressure_expression": "1 + 0.25*x",
}
INLET = {
    "kind": "prescribed",
    "state": "expression",
    "density_expression": "1 + 0.5*t",
    "velocity_x_expression": "0.5 + y*t",
    "pressure_expression": "1",
}


def start(x):
    velocity = np.stack([0.5 - 0.125 * x[:, 1], 0 * x[:, 0]], axis=1)
    return {"density": 1 + 0.1 * x[:, 0] * x[:, 1], "velocity": velocity, "pressure": 1 + 0.25 * x[:, 0]}


def inlet(x, t):
    velocity = np.zeros(x.shape)
    velocity[:, 0] = 0.5 + x[:, 1] * t
    return {"density": 1 + 0.5 * t, "velocity": velocity, "pressure": np.ones(len(x))}


def test_functions_give_the_digits_of_formulas():
    formulas = weft.flow.Simulation(BOX, initial=FORMULA, boundary={"xmin": INLET})
    functions = weft.flow.Simulation(BOX, initial=start, boundary={"xmin": inlet})
    assert np.array_equal(formulas.conserved, functions.conserved)
    for sim in (formulas, functions):
        sim.run(steps=10)
    assert formulas.time == functions.time and np.array_equal(formulas.conserved, functions.conserved)
    assert 'state = "function"' in functions.case and 'kind = "function"' in functions.case


def test_results_are_those_of_the_command_line(comm, shared_path):
    """weft.flow.run is `weft run`; with functions it gives the digits of formulas, in the files too."""
    rows = []
    for name, start_, inlet_ in (("formulas", FORMULA, INLET), ("functions", start, inlet)):
        folder = shared_path / f"{name}{comm.size}"
        options = dict(stop={"steps": 10}, output={"directory": str(folder), "integrals": True}, overwrite=True)
        summary = weft.flow.run(BOX, initial=start_, boundary={"xmin": inlet_}, **options)
        assert summary["steps"] == 10
        rows.append((folder / "integrals.csv").read_text())
    assert rows[0] == rows[1]


def test_arrays_of_five_columns_are_states():
    sim = weft.flow.Simulation(BOX, initial=lambda x: np.tile([2.0, 0.1, 0.2, 0.0, 3.0], (len(x), 1)))
    assert np.allclose(sim["velocity"], [0.1, 0.2, 0]) and np.allclose(sim["pressure"], 3.0) and (sim["density"] == 2).all()


def test_constant_states_are_evaluated_once(comm):
    calls = []

    def constant(x):
        calls.append(len(x))
        return {"density": 1.0, "velocity": (0.5, 0.0), "pressure": 1.0}

    sim = weft.flow.Simulation(BOX, boundary={"xmin": constant})
    sim.step()
    before = len(calls)
    sim.run(steps=4)
    faces = sim.mesh.zones["xmin"]
    assert len(calls) == before and set(calls) <= {faces.stop - faces.start}


def test_sources_add_what_they_say(comm):
    """The box is closed, so that mass, momentum and energy change by the sources alone."""
    closed = {zone: {"kind": "slip_wall"} for zone in BOX["boundary"]}
    seen = []

    def heat(x, t, state):
        assert state["density"].shape == (len(x),) and state["velocity"].shape == x.shape and not x.flags.writeable
        seen.append(t)
        return {"density": 0.1 * np.ones(len(x)), "energy": 2.0 * state["density"] / state["density"]}

    still = {"density": 1.0, "pressure": 1.0}
    sim = weft.flow.Simulation(BOX, boundary=closed, free_stream=still, source=heat)
    before = sim.totals()
    sim.run(until=0.05)
    area = 2.0
    assert sim.totals()[0] - before[0] == pytest.approx(0.1 * area * 0.05, rel=1e-12)
    assert sim.totals()[4] - before[4] == pytest.approx(2.0 * area * 0.05, rel=1e-12)
    assert comm.max(float(len(seen))) >= 2 * sim.steps


def test_functions_may_be_in_a_dictionary_of_a_case_and_replace_its_states():
    sim = weft.flow.Simulation({**BOX, "initial": start})
    other = weft.flow.Simulation({**BOX, "initial": FORMULA})
    assert np.array_equal(sim.conserved, other.conserved)
    replaced = weft.flow.Simulation({**BOX, "initial": start}, initial=FORMULA)
    assert np.array_equal(replaced.conserved, other.conserved) and 'kind = "expression"' in replaced.case


def test_a_function_replaces_the_state_of_a_file(forward_step):
    wind = lambda x: {"density": np.ones(len(x)), "velocity": (1.0, 0.0), "pressure": np.ones(len(x))}  # noqa: E731
    sim = weft.flow.Simulation(forward_step, mesh={"h": 0.2}, initial=wind)
    assert (sim["density"] == 1).all() and np.allclose(sim["velocity"][:, 0], 1)




GOOD = {"density": 1.0, "pressure": 1.0}


@pytest.mark.parametrize(
    "result, text",
    [
        ({"density": 1.0}, "no 'pressure'"),
        ({**GOOD, "velocty": 1.0}, "velocty"),
        ({**GOOD, "velocity": 1.0}, "velocity of shape"),
        ({**GOOD, "density": np.ones(3000)}, "density of shape"),
        ({**GOOD, "density": float("nan")}, "not finite"),
        ({**GOOD, "pressure": -1.0}, "not positive"),
        ({**GOOD, "pressure": "high"}, "no array"),
        ({**GOOD, "velocity": np.ones((3000, 3))}, "velocity of shape"),
        (np.ones((2, 3)), "shape"),
        (None, "shape|no array"),
        (7, "shape"),
    ],
)
@pytest.mark.parametrize("place", ["initial", "xmin"])
def test_wrong_results_are_refused_with_zone_and_function(comm, place, result, text):
    def mine(x):
        return result

    change = {"initial": mine} if place == "initial" else {"boundary": {"xmin": mine}}
    with pytest.raises(weft.InputError, match=text) as info:
        weft.flow.Simulation(BOX, **change)
    assert "mine" in str(info.value) and place in str(info.value)


def test_functions_of_other_signatures_are_refused():
    with pytest.raises(weft.InputError, match="takes 0 arguments"):
        weft.flow.Simulation(BOX, initial=lambda: None)
    with pytest.raises(weft.InputError, match="takes 2 arguments"):
        weft.flow.Simulation(BOX, initial=lambda x, t: None)
    with pytest.raises(weft.InputError, match="takes 4 arguments"):
        weft.flow.Simulation(BOX, source=lambda x, t, state, more: None)


@pytest.mark.parametrize("kind", ["boundary", "source"])
def test_an_exception_on_one_rank_ends_the_step_on_all_and_leaves_the_state(comm, kind):
    def late(x, t, state=None):
        if t > 0.05 and x[:, 0].min() < 0.2:
            raise KeyError("mine")
        return {} if kind == "source" else {"density": 1.0, "velocity": (0.5, 0.0), "pressure": 1.0}

    change = {"source": lambda x, t, state: late(x, t)} if kind == "source" else {"boundary": {"xmin": late}}
    sim = weft.flow.Simulation(BOX, **change)
    with pytest.raises(weft.InputError, match="KeyError: 'mine'") as info:
        sim.run(until=1.0)
    assert sim.time <= 0.05 or sim.steps > 0
    cause = info.value.__cause__
    assert comm.sum(float(isinstance(cause, KeyError))) >= 1 and (cause is None or info.value.key is not None)
    assert np.isfinite(sim.conserved).all()
    before, time = sim.conserved.copy(), sim.time
    with pytest.raises(weft.InputError):
        sim.run(until=1.0)
    assert sim.time == time and np.array_equal(sim.conserved, before)


def test_the_first_exception_of_a_run_with_results_is_raised(comm, shared_path):
    def late(x, t):
        if t > 0.02:
            raise ValueError("no wind")
        return inlet(x, t)

    output = {"directory": str(shared_path / f"late{comm.size}")}
    with pytest.raises(weft.InputError, match="no wind"):
        weft.flow.run(BOX, boundary={"xmin": late}, stop={"steps": 50}, output=output, overwrite=True)


def test_a_case_file_cannot_hold_a_function(shared_path):
    with pytest.raises(weft.InputError, match="function of the program"):
        weft.flow.Simulation(BOX, initial={"kind": "function"})
    with pytest.raises(weft.InputError, match="function of the program"):
        weft.flow.Simulation(BOX, boundary={"xmin": {"kind": "prescribed", "state": "function"}})
    with pytest.raises(weft.InputError, match="function of the program"):
        weft.flow.Simulation(BOX, source="function")


def test_other_errors_of_a_case_with_functions_are_listed():
    with pytest.raises(weft.InputError) as info:
        weft.flow.Simulation(BOX, initial=start, numerics={"limitr": "none"})
    assert {error.key for error in info.value.all} == {"numerics.limitr"}


def test_a_function_may_not_use_its_simulation():
    box = []

    def nosy(x, t, state):
        if box:
            box[0].step()
        return {}

    sim = weft.flow.Simulation(BOX, source=nosy)
    box.append(sim)
    with pytest.raises(weft.InputError, match="in use"):
        sim.step()
    box.clear()
    sim = weft.flow.Simulation(BOX, source=lambda x, t, state: {} if not box else box[0].on_zone("ymin"))
    box.append(sim)
    with pytest.raises(weft.InputError, match="in use"):
        sim.step()


def test_a_cycle_through_a_function_is_collected():
    class Holder:
        def heat(self, x, t, state):
            return {}

    holder = Holder()
    holder.sim = weft.flow.Simulation(BOX, source=holder.heat)
    dead = weakref.ref(holder)
    del holder
    gc.collect()
    assert dead() is None


def test_a_cycle_through_the_exception_of_a_function_is_collected(comm):
    """The traceback of an exception refers to the variables of the function, here the simulation."""
    boxed = []

    def fail(x, t, state):
        sim = boxed[0]
        raise ValueError(f"at step {sim.steps}")

    class Holder:
        pass

    holder = Holder()
    holder.sim = weft.flow.Simulation(BOX, source=lambda x, t, state: fail(x, t, state))
    holder.function = fail
    boxed.append(holder.sim)
    try:
        holder.sim.step()
    except weft.InputError as error:
        holder.error = error
    dead = weakref.ref(holder.sim)
    boxed.clear()
    del holder
    gc.collect()
    assert dead() is None


def test_an_initial_state_may_have_scalars():
    scalars = {"dye": {"initial": "0.5*x"}, "smoke": {"initial": "0.25*x + 0.5*y"}}
    formulas = weft.flow.Simulation(BOX, scalars=scalars, initial=FORMULA)
    given = weft.flow.Simulation(
        BOX, scalars={**scalars, "smoke": {"initial": "7"}}, initial=lambda x: {**start(x), "smoke": 0.25 * x[:, 0] + 0.5 * x[:, 1]}
    )
    for sim in (formulas, given):
        sim.run(steps=3)
    assert np.array_equal(given.conserved, formulas.conserved)
    assert np.allclose(given["smoke"], formulas["smoke"], rtol=1e-14) and np.array_equal(given["dye"], formulas["dye"])
    with pytest.raises(weft.InputError, match="dye that is not finite"):
        weft.flow.Simulation(BOX, scalars=scalars, initial=lambda x: {**start(x), "dye": np.inf})
    with pytest.raises(weft.InputError, match="'smok'.*smoke"):
        weft.flow.Simulation(BOX, scalars=scalars, initial=lambda x: {**start(x), "smok": 1.0})


def test_functions_of_numba():
    numba = pytest.importorskip("numba")

    @numba.njit
    def compiled_start(x):
        rows = np.zeros((len(x), 5))
        for i in range(len(x)):
            rows[i, 0] = 1 + 0.1 * x[i, 0] * x[i, 1]
            rows[i, 1] = 0.5 - 0.125 * x[i, 1]
            rows[i, 4] = 1 + 0.25 * x[i, 0]
        return rows

    @numba.njit
    def compiled_heat(x, t, state):
        rows = np.zeros((len(x), 5))
        for i in range(len(x)):
            rows[i, 4] = state["density"][i] * t + state["velocity"][i, 0]
        return rows

    compiled = weft.flow.Simulation(BOX, initial=compiled_start, source=compiled_heat)
    plain = weft.flow.Simulation(BOX, initial=start, source=lambda x, t, s: {"energy": s["density"] * t + s["velocity"][:, 0]})
    for sim in (compiled, plain):
        sim.run(steps=5)
    assert np.allclose(compiled.conserved, plain.conserved, rtol=1e-14)


def test_structured_arrays_are_states():
    def same(x, t, state):
        rates = np.zeros(len(x), dtype=[("density", float), ("momentum", float, 3), ("energy", float)])
        rates["energy"] = state["pressure"]
        return rates

    one = weft.flow.Simulation(BOX, source=same)
    other = weft.flow.Simulation(BOX, source=lambda x, t, state: {"energy": state["pressure"]})
    for sim in (one, other):
        sim.run(steps=3)
    assert np.array_equal(one.conserved, other.conserved)


def heat(x, t, state):
    return {"energy": state["density"] * t + state["velocity"][:, 0] * state["pressure"]}


@needs_gpu
def test_functions_on_a_gpu_give_the_flow_of_the_host():
    given = dict(initial=start, boundary={"xmin": inlet}, source=heat)
    gpu = weft.flow.Simulation(BOX, device="cuda", **given)
    host = weft.flow.Simulation(BOX, **given)
    for sim in (gpu, host):
        sim.run(steps=20)
    assert gpu.on_gpu and np.allclose(gpu.conserved, host.conserved, rtol=1e-12, atol=1e-12)


@needs_gpu
def test_an_exception_of_a_function_on_a_gpu_leaves_the_state():
    def late(x, t):
        return {"density": 1.0, "velocity": (0.5, 0.0), "pressure": 1.0 if t < 0.05 else float("nan")}

    sim = weft.flow.Simulation(BOX, device="cuda", boundary={"xmin": late})
    with pytest.raises(weft.InputError, match="not finite"):
        sim.run(until=1.0)
    assert np.isfinite(sim.conserved).all() and sim.time < 0.05 + 1e-12
