"""Arrays and fields in the memory of a GPU, with CuPy, PyTorch and the CUDA array interface. Skipped without a GPU."""
import concurrent.futures
import gc
import json
import os
import runpy
import subprocess
import sys

import numpy as np
import pytest
from conftest import ENV, ROOT, needs_gpu, numba_cuda

import weft


pytestmark = needs_gpu

N = 1000


@pytest.fixture
def cupy():
    return pytest.importorskip("cupy")


@pytest.fixture
def torch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch has no GPU")
    return torch


@pytest.fixture
def plan(comm):
    first, rows = N * comm.rank, N * comm.size
    return weft.GhostPlan.build(comm, N, [(first - 1) % rows, (first + N) % rows])


class Interface:
    """An object with the CUDA array interface alone."""

    def __init__(self, array, stream=None):
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, "stream": stream}


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "uint8"])
@pytest.mark.parametrize("layout", ["aos", "soa"])
def test_device_views_share_the_memory(cupy, torch, plan, dtype, layout):
    a = weft.Array(plan, dtype, width=3, layout=layout, backend="cuda")
    a.owned[:] = np.arange(3 * N).reshape(N, 3) % 200
    a.to_device()
    view = a.device("owned")
    by_interface, by_dlpack, tensor = cupy.asarray(view), cupy.from_dlpack(view), torch.from_dlpack(view)
    whole = torch.from_dlpack(a)
    assert view.ptr == by_interface.data.ptr == by_dlpack.data.ptr == tensor.data_ptr() == whole.data_ptr()
    assert view.__dlpack_device__()[0] == 2 and by_interface.dtype == np.dtype(dtype) and by_interface.shape == (N, 3)
    assert (by_interface.get() == np.arange(3 * N).reshape(N, 3) % 200).all()
    by_interface += 1
    torch.cuda.synchronize()
    assert (tensor.cpu().numpy() == np.arange(3 * N).reshape(N, 3) % 200 + 1).all()
    assert not a.fresh("host")
    a.to_host()
    assert (a.view("owned") == np.arange(3 * N).reshape(N, 3) % 200 + 1).all()


def test_read_only_views_mark_nothing(cupy, plan):
    a = weft.Array(plan, backend="cuda")
    a.owned[:] = 3
    a.to_device()
    assert float(cupy.asarray(a.device(writable=False)).max()) == 3
    assert a.fresh("host") and a.fresh("device")


def test_an_array_is_in_use_while_tensors_of_it_exist(cupy, torch, plan):
    a = weft.Array(plan, backend="cuda", first="device")
    tensor = torch.from_dlpack(a.device())
    other = cupy.asarray(a.device())
    assert a.views == 2
    with pytest.raises(BufferError):
        a.close()
    del tensor
    gc.collect()
    with pytest.raises(weft.BufferError):
        a.resize_width(2)
    del other
    gc.collect()
    a.close()


def test_tensors_keep_the_memory(torch, plan):
    a = weft.Array(plan, backend="cuda", first="device")
    tensor = torch.from_dlpack(a)
    tensor.fill_(5)
    del a
    gc.collect()
    weft.Array(plan, backend="cuda", first="device")
    assert float(tensor.sum()) == 5 * len(tensor)


def test_everything_is_on_the_gpu_of_this_rank(cupy, comm, plan, vortex):
    """Whatever comes first, on every thread, and in a job of one rank of several."""
    devices = cupy.cuda.runtime.getDeviceCount()
    expected = int(os.environ.get("OMPI_COMM_WORLD_LOCAL_RANK", 0)) % devices
    ask = "import weft; weft.stream(); import cupy; print(cupy.cuda.runtime.getDevice())"
    seen = subprocess.run([sys.executable, "-c", ask], env=ENV | {"OMPI_COMM_WORLD_LOCAL_RANK": "1"}, capture_output=True, text=True)
    assert seen.returncode == 0 and int(seen.stdout) == 1 % devices, seen.stderr

    this_rank = weft.communicator(pytest.importorskip("mpi4py.MPI").COMM_SELF)

    def device_of_an_array():
        view = weft.Array(weft.GhostPlan.build(this_rank, N), backend="cuda", first="device").device()
        return view.__dlpack_device__()[1]

    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        assert thread.submit(device_of_an_array).result() == device_of_an_array() == expected
    alone = weft.flow.Simulation(vortex, device="cuda", comm=this_rank)
    assert alone.on_device().__dlpack_device__()[1] == expected
    assert cupy.cuda.runtime.getDevice() == expected


@pytest.mark.parametrize("stream_of", ["weft", "cupy", "torch", "address", "default"])
def test_exchanges_follow_the_streams_of_others(cupy, torch, comm, plan, stream_of):
    """Long work in a stream, a pull, and work that reads the ghost rows: the host waits for nothing between them."""
    a = weft.Array(plan, width=64, backend="cuda", first="device")
    exchange = weft.Exchange(plan, a)
    stream = cupy.cuda.ExternalStream(weft.stream().ptr) if stream_of == "weft" else cupy.cuda.Stream(non_blocking=True)
    if stream_of == "default":
        stream = cupy.cuda.Stream.null
    passed = {
        "weft": weft.stream(),
        "cupy": stream,
        "torch": torch.cuda.ExternalStream(stream.ptr) if stream_of == "torch" else None,
        "address": stream.ptr,
        "default": None,
    }[stream_of]
    big = cupy.random.rand(2000, 2000)
    for step in range(5):
        with stream:
            rows = cupy.asarray(a.device("owned"))
            rows[:] = -1
            slow = big
            for _ in range(20):
                slow = slow @ big
                slow /= slow.max()
            rows[:] = 100 * comm.rank + step + 0 * slow[0, 0]
            exchange.pull(passed)
            result = cupy.asarray(a.device("ghosts", writable=False)).max(axis=1)
        ghosts = result.get(stream=stream)
        stream.synchronize()
        owners = plan.ids[plan.owned :] // N
        assert (ghosts == 100 * owners + step).all()


def test_a_consumer_waits_for_the_copy_to_the_device(cupy, torch):
    plan = weft.GhostPlan.build(weft.communicator(None), 4_000_000)
    a = weft.Array(plan, backend="cuda")
    for value in range(1, 6):
        a.owned[:] = value
        a.to_device()
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            assert float(torch.from_dlpack(a.device(writable=True)).min()) == value
        a.to_host()


@pytest.mark.parametrize("source", ["torch", "cupy", "interface"])
def test_memory_of_others_on_the_gpu_is_used_in_place(cupy, torch, comm, plan, source):
    """The rows are written in a stream of the producer that Weft waits for."""
    rows = len(plan)
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream, torch.cuda.stream(torch.cuda.ExternalStream(stream.ptr)):
        big = cupy.random.rand(3000, 3000)
        for _ in range(10):
            big = big @ big
            big /= big.max()
        zero = 0 * big[0, 0]
        if source == "torch":
            memory = torch.zeros((rows, 2), dtype=torch.float64, device="cuda")
            memory[:N] = 10 + comm.rank + float(zero)
            address, given = memory.data_ptr(), memory
        else:
            memory = cupy.zeros((rows, 2))
            memory[:N] = 10 + comm.rank + zero
            address = memory.data.ptr
            given = memory if source == "cupy" else Interface(memory, stream.ptr)
        a = weft.Array.from_dlpack(given, plan)
    assert a.device().ptr == address and a.backend == "cuda" and not a.fresh("host")
    exchange = weft.Exchange(plan, a)
    exchange.pull()
    assert exchange.transport != "peer"
    a.to_host()
    assert (a.view("owned") == 10 + comm.rank).all()
    assert (a.view("ghosts") == 10 + plan.ids[plan.owned :, None] // N).all()
    with pytest.raises(weft.ContractError):
        exchange.close()
        a.resize_width(3)
    del memory, given
    gc.collect()
    assert float(cupy.asarray(a.device(writable=False))[:N].max()) == 10 + comm.rank


def test_read_only_and_strided_memory_is_refused(cupy, comm):
    with pytest.raises(weft.InputError, match="contiguous"):
        weft.Array.from_dlpack(cupy.zeros((8, 8))[:, ::2])
    array = cupy.zeros(8)
    frozen = Interface(array)
    frozen.__cuda_array_interface__["data"] = (array.data.ptr, True)
    with pytest.raises(weft.InputError, match="read-only"):
        weft.Array.from_dlpack(frozen)


def test_streams_that_are_none(plan):
    a = weft.Array(plan, backend="cuda")
    for wrong in ("s", -1.5, object()):
        with pytest.raises(weft.InputError, match="not a stream"):
            a.to_device(wrong)
    assert weft.stream().ptr == weft.stream().__cuda_stream__()[1] != 0
    weft.stream().wait()


@pytest.mark.parametrize("precision", ["fp64", "fp32"])
def test_fields_of_a_flow_on_the_gpu_are_views(cupy, torch, vortex, precision):
    vortex["numerics"]["precision"] = precision
    sim = weft.flow.Simulation(vortex, device="cuda")
    sim.run(steps=3)
    real = np.float64 if precision == "fp64" else np.float32
    conserved = cupy.asarray(sim.on_device())
    assert conserved.dtype == real and conserved.shape == (sim.mesh.cells.owned, 5)
    assert (conserved.get().astype(float) == sim.conserved).all()
    accuracy = 1e-12 if precision == "fp64" else 1e-5
    for name in ("density", "momentum", "energy", "velocity", "pressure"):
        field = cupy.asarray(sim.on_device(name))
        assert np.allclose(field.get(), sim[name], rtol=accuracy, atol=accuracy)
    density = torch.from_dlpack(sim.on_device("density", readonly=False))
    assert density.data_ptr() == conserved.data.ptr == sim.on_device("density").ptr
    sim.step()
    assert (cupy.asarray(sim.on_device()).get().astype(float) == sim.conserved).all()
    del sim
    gc.collect()
    assert bool(cupy.isfinite(conserved).all())


def test_a_run_starts_as_many_steps_ahead_as_the_command_line(comm, vortex, shared_path):
    """Up to 256; the results are those of single steps, and the run ends at the step or time that is asked for."""
    ahead, single = (weft.flow.Simulation(vortex, device="cuda") for _ in range(2))
    path = shared_path / "trace.json"
    assert ahead.run(steps=520, trace=path) == "steps" and ahead.steps == 520
    single.run(steps=520, callback=lambda s: None)
    assert ahead.time == single.time and np.array_equal(ahead.conserved, single.conserved)
    assert list(ahead.residuals["step"]) == list(range(10, 521, 10))
    assert all(np.array_equal(ahead.residuals[name], single.residuals[name]) for name in ahead.residuals)
    end = ahead.time * 1.37
    for sim in (ahead, single):
        assert sim.run(until=end, callback=None if sim is ahead else lambda s: None) == "time" and sim.time == end
    assert np.array_equal(ahead.conserved, single.conserved)
    launches = [event for event in json.loads(path.read_text())["traceEvents"] if event.get("name") == "launch steps"]
    if comm.size == 1:  # exchanges that the host moves allow no steps ahead of it
        assert len(launches) == 3


def test_callbacks_and_histories_of_the_state_are_not_run_past(comm, vortex):
    seen = []
    sim = weft.flow.Simulation(vortex, device="cuda", output={"history_steps": 20, "integrals": True})
    sim.run(steps=70, callback=lambda s: seen.append(s.steps), every=30, progress=True)
    assert seen == [30, 60] and list(sim.integrals["step"]) == [20, 40, 60] and sim.steps == 70


def test_the_values_at_a_wall_are_those_of_the_host(forward_step):
    on_zone = {}
    for device in ("host", "cuda"):
        sim = weft.flow.Simulation(forward_step, mesh={"h": 0.1}, device=device)
        sim.run(steps=20)
        on_zone[device] = sim.on_zone("wall")
    for name in ("pressure", "cp"):
        assert np.allclose(on_zone["cuda"][name], on_zone["host"][name], rtol=1e-11)


def test_a_view_of_the_device_costs_less_than_2_us(plan):
    import time
    import timeit

    a = weft.Array(plan, width=5, backend="cuda", first="device")
    _ = a.device()
    best = min(timeit.repeat(a.device, number=10000, repeat=5, timer=time.thread_time)) / 10000
    assert best < 2e-6, best


@pytest.mark.parametrize("example, modules", [("raw", ["cupy"]), ("numba", ["numba.cuda"]), ("triton", ["torch", "triton"])])
def test_the_examples_with_kernels(example, modules, capfd):
    for module in modules:
        pytest.importorskip(module, reason=f"{module} is not installed")
    if example == "numba":
        numba_cuda()
    path = ROOT / "examples" / "python" / f"{example}_kernel.py"
    names = runpy.run_path(str(path))
    mesh, owned = names["mesh"], names["owned"]
    u = weft.Array(mesh.plan)
    u.owned[:] = np.sin(7 * mesh.cells.centroid[:owned, 0])
    offsets, cells = mesh.cells.neighbours
    exchange = weft.Exchange(mesh.plan, u)
    for _ in range(10):
        exchange.pull()
        values = u.all
        sums = np.add.reduceat(values[cells], offsets[:-1]) if len(cells) else np.zeros(0)
        u.owned[:] = (4 * values[:owned] + sums) / (4 + np.diff(offsets))
    assert np.allclose(names["u"].view("owned"), u.owned, rtol=1e-13)
    if weft.world().rank == 0:
        assert "cells on" in capfd.readouterr().out
