"""Initial states, boundary states and sources as functions of numpy arrays."""
import gc
import weakref

import numpy as np
import pytest
from conftest import needs_gpu, numba_cuda

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


@pytest.mark.parametrize("where", ["initial", "boundary", "source"])
def test_functions_of_device_arrays_are_refused_on_the_host(where):
    marked = weft.flow.on_device(lambda x, results: None)
    with pytest.raises(weft.InputError, match="marked by on_device.*host") as info:
        weft.flow.Simulation(BOX, **{where: {"xmin": marked} if where == "boundary" else marked})
    assert info.value.key == where + (".xmin" if where == "boundary" else "")


def test_what_on_device_takes():
    with pytest.raises(TypeError, match="not int"):
        weft.flow.on_device(3)
    for function in (lambda x: None, lambda x, t, state, more, results: None):
        with pytest.raises(weft.InputError, match=r"define it as a function of \(x, results\) or \(x, t, results\)"):
            weft.flow.Simulation(BOX, device="cuda", source=weft.flow.on_device(function))
    assert weft.flow.on_device(inlet).__name__ == "inlet"


def heat(x, t, state):
    return {"energy": state["density"] * t + state["velocity"][:, 0] * state["pressure"]}


@weft.flow.on_device
def start_there(x, results):
    import cupy

    x = cupy.asarray(x)
    cupy.asarray(results["density"])[:] = 1 + 0.1 * x[:, 0] * x[:, 1]
    cupy.asarray(results["velocity"])[:, 0] = 0.5 - 0.125 * x[:, 1]
    cupy.asarray(results["pressure"])[:] = 1 + 0.25 * x[:, 0]


@weft.flow.on_device
def inlet_there(x, t, results):
    import cupy

    cupy.asarray(results["density"]).fill(1 + 0.5 * t)
    cupy.asarray(results["velocity"])[:, 0] = 0.5 + cupy.asarray(x)[:, 1] * t
    cupy.asarray(results["pressure"]).fill(1)


@weft.flow.on_device
def heat_there(x, t, state, results):
    import cupy

    of = {name: cupy.asarray(view) for name, view in state.items()}
    cupy.asarray(results["energy"])[:] = of["density"] * t + of["velocity"][:, 0] * of["pressure"]


@needs_gpu
@pytest.mark.parametrize("precision, accuracy", [("fp64", 1e-12), ("fp32", 1e-5)])
def test_functions_of_device_arrays_give_the_flow_of_the_host(precision, accuracy):
    pytest.importorskip("cupy")
    numerics = {**BOX["numerics"], "precision": precision}
    there = dict(initial=start_there, boundary={"xmin": inlet_there}, source=heat_there)
    gpu = weft.flow.Simulation(BOX, device="cuda", numerics=numerics, **there)
    host = weft.flow.Simulation(BOX, initial=start, boundary={"xmin": inlet}, source=heat)
    assert np.allclose(gpu.conserved, host.conserved, rtol=accuracy, atol=accuracy)
    for sim in (gpu, host):
        sim.run(steps=20)
    assert gpu.on_gpu and np.allclose(gpu.conserved, host.conserved, rtol=accuracy, atol=accuracy)


@needs_gpu
def test_functions_of_device_arrays_in_a_run_with_results(comm, shared_path):
    pytest.importorskip("cupy")
    rows = []
    for device, *functions in (("cuda", start_there, inlet_there, heat_there), ("host", start, inlet, heat)):
        folder = shared_path / f"{device}{comm.size}"
        options = dict(stop={"steps": 10}, output={"directory": str(folder), "integrals": True}, overwrite=True)
        summary = weft.flow.run(BOX, device=device, initial=functions[0], boundary={"xmin": functions[1]}, source=functions[2], **options)
        assert summary["steps"] == 10
        rows.append(np.genfromtxt(folder / "integrals.csv", delimiter=",", skip_header=1))
    assert np.allclose(*rows, rtol=1e-11, atol=1e-12)


@needs_gpu
def test_arguments_of_functions_of_device_arrays():
    """They are views of one memory, which they keep, in the solver's stream."""
    cupy = pytest.importorskip("cupy")
    kept = []

    @weft.flow.on_device
    def look(x, t, state, results):
        assert {name: view.shape for name, view in state.items()} == {"density": (n,), "velocity": (n, 3), "pressure": (n,)}
        assert list(results) == ["density", "momentum", "energy"] and x.shape == (n, 3)
        assert x.dtype == "float64" and not x.readonly and x.__dlpack_device__()[0] == 2
        assert results["energy"].ptr == results["density"].ptr + 32 and x.__cuda_array_interface__["stream"] is None
        assert cupy.cuda.get_current_stream().ptr == weft.stream().ptr not in (0, outside)
        assert float(cupy.abs(cupy.asarray(results["momentum"])).max()) == 0
        kept.append(cupy.asarray(state["density"]))

    mesh = weft.Mesh.generate("box", nx=12, ny=6, xmax=2.0)
    n, outside = mesh.cells.owned, weft.stream().ptr
    sim = weft.flow.Simulation(BOX, mesh=mesh, device="cuda", source=look)
    before = cupy.asarray(sim.on_device("density")).get()
    sim.run(steps=1)
    assert cupy.cuda.get_current_stream().ptr == 0 and len(kept) >= 1
    assert np.allclose(kept[0].get(), before) or len(kept) > 1  # the array shows the last call
    del sim
    gc.collect()
    weft.flow.Simulation(BOX, device="cuda").run(steps=5)
    assert np.isfinite(kept[0].get()).all() and (kept[0].get() > 0.5).all()


def fails(x, t, results):
    raise ValueError("no wind")


def returns(x, t, results):
    return {"density": 1.0}


def writes_nothing(x, t, results):
    pass


@needs_gpu
@pytest.mark.parametrize("function, text", [(fails, "raised ValueError: no wind"), (returns, "returned a dict"), (writes_nothing, "not positive")])
def test_mistakes_in_functions_of_device_arrays_are_named(function, text):
    with pytest.raises(weft.InputError, match=text) as info:
        weft.flow.Simulation(BOX, device="cuda", boundary={"xmin": weft.flow.on_device(function)}).run(steps=2)
    assert info.value.zone == "xmin" or weft.world().size > 1


@needs_gpu
def test_a_function_of_device_arrays_that_gives_no_physical_state_ends_the_step():
    cupy = pytest.importorskip("cupy")

    @weft.flow.on_device
    def late(x, t, results):
        inlet_there(x, 0.0, results)
        if t > 0.05:
            cupy.asarray(results["pressure"]).fill(cupy.nan)

    sim = weft.flow.Simulation(BOX, device="cuda", boundary={"xmin": late})
    with pytest.raises(weft.PhysicsError):
        sim.run(until=1.0)
    assert sim.time < 0.05 + 1e-12 and not np.isfinite(sim.conserved).all()  # the values are those of the failed step


@needs_gpu
def test_kernels_of_numba_as_sources_on_a_gpu():
    cuda = numba_cuda()

    @cuda.jit
    def kernel(t, density, velocity, pressure, energy):
        i = cuda.grid(1)
        if i < energy.shape[0]:
            energy[i] = density[i] * t + velocity[i, 0] * pressure[i]

    @weft.flow.on_device
    def heat_by_numba(x, t, state, results):
        n = x.shape[0]
        kernel[(n + 127) // 128, 128](t, state["density"], state["velocity"], state["pressure"], results["energy"])

    gpu = weft.flow.Simulation(BOX, device="cuda", source=heat_by_numba)
    host = weft.flow.Simulation(BOX, source=heat)
    for sim in (gpu, host):
        sim.run(steps=10)
    assert np.allclose(gpu.conserved, host.conserved, rtol=1e-12, atol=1e-12)


@needs_gpu
def test_tensors_of_torch_as_sources_on_a_gpu():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch has no GPU")

    @weft.flow.on_device
    def heat_by_torch(x, t, state, results):
        of = {name: torch.from_dlpack(view) for name, view in state.items()}
        torch.from_dlpack(results["energy"]).copy_(of["density"] * t + of["velocity"][:, 0] * of["pressure"])

    gpu = weft.flow.Simulation(BOX, device="cuda", source=heat_by_torch)
    host = weft.flow.Simulation(BOX, source=heat)
    for sim in (gpu, host):
        sim.run(steps=10)
    assert np.allclose(gpu.conserved, host.conserved, rtol=1e-12, atol=1e-12)


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
