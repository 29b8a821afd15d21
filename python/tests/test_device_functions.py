"""Initial states, boundary states and sources as functions of arrays of the GPU."""
import gc

import numpy as np
import pytest
from conftest import needs_gpu, numba_cuda
from test_functions import BOX, heat, inlet, start

import weft


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
def test_a_function_of_device_arrays_that_gives_no_physical_state_ends_the_step(comm):
    cupy = pytest.importorskip("cupy")

    @weft.flow.on_device
    def late(x, t, results):
        inlet_there(x, 0.0, results)
        if t > 0.05:
            cupy.asarray(results["pressure"]).fill(cupy.nan)

    sim = weft.flow.Simulation(BOX, device="cuda", boundary={"xmin": late})
    with pytest.raises(weft.PhysicsError):
        sim.run(until=1.0)
    invalid = not np.isfinite(sim.conserved).all()  # the values are those of the failed step; one rank has the inlet
    assert sim.time < 0.05 + 1e-12 and comm.max(float(invalid)) == 1


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
