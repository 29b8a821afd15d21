"""weft.task on a device: a mirror, and a GPU where there is one."""
import gc
import json

import numpy as np
import pytest
from conftest import needs_gpu, numba_cuda
from task_rings import N, numbered, ring  # noqa: F401 (ring is a fixture)

import weft


@pytest.fixture(params=["mirror", pytest.param("cuda", marks=needs_gpu)])
def device(request):
    """The backend of a device, and the library of its arrays."""
    return request.param, np if request.param == "mirror" else pytest.importorskip("cupy")


def on_device(plan, backend, **form):
    a = weft.Array(plan, backend=backend, **form)
    a.owned[:] = (plan.ids[: plan.owned] % 5).reshape((-1,) + (1,) * (a.owned.ndim - 1))
    return a


def on_host(a):
    a.to_host()
    return a.view("owned")


def smoother(plan, u, v, on, wrap):
    """As smoother() of task_rings.py, by tasks on the host or on the device. wrap: makes arrays of the arguments."""
    left, right = plan.local
    g = weft.task.Graph(plan.comm)

    @g.task(reads=[u], writes=[v], on=on)
    def smooth(u, v):
        u, v = wrap(u), wrap(v)
        v[1:-1] = (u[: N - 2] + u[1 : N - 1] + u[2:N]) % 7
        v[0] = (u[left] + u[0] + u[1]) % 7
        v[-1] = (u[N - 2] + u[N - 1] + u[right]) % 7

    @g.task(reads=[(v, "owned")], writes=[u], on=on)
    def copy(v, u):
        wrap(u)[:] = wrap(v)

    return g.compile()


def test_results_are_those_of_the_host(ring, device):  # noqa: F811
    backend, library = device
    u, v = on_device(ring, backend), weft.Array(ring, backend=backend, first="device")
    plan = smoother(ring, u, v, "device", library.from_dlpack)
    a, b = numbered(ring), weft.Array(ring)
    smoother(ring, a, b, "host", lambda view: view).run(5)
    plan.run(5)
    assert not u.fresh("host") and u.fresh("device")
    assert on_host(u).tolist() == a.owned.tolist()
    plan.close()


def test_the_plan_copies_between_tasks_of_host_and_device(ring, device):  # noqa: F811
    backend, library = device
    u, v = on_device(ring, backend, width=2, layout="soa"), weft.Array(ring, width=2, layout="soa", backend=backend)
    expected = on_host(u).copy()
    g = weft.task.Graph(ring.comm)

    @g.task(reads=[(u, "owned")], writes=[v], on="device")
    def double(u, v):
        library.from_dlpack(v)[:] = 2 * library.from_dlpack(u)

    @g.task(reads=[(v, "owned")], writes=[u])
    def add_one(v, u):
        assert isinstance(v, np.ndarray) and not v.flags.writeable
        u[:] = v + 1

    plan = g.compile(2)
    plan.run(3)
    assert (u.view("owned") == 8 * expected + 7).all() and not u.fresh("device")
    assert v.view("owned", side="device", writable=False).shape == (N, 2)  # raises no error
    assert {node["kind"] for node in json.loads(plan.json())["repeated"]["nodes"]} >= {"copy", "task"}
    u.owned[:] = 1  # the array knows where its rows are
    plan.run()
    assert (u.view("owned") == 3).all()


def test_ghost_rows_are_pulled_on_the_device(comm, ring, device):  # noqa: F811
    backend, library = device
    u, v = on_device(ring, backend), weft.Array(ring, backend=backend)
    g = weft.task.Graph(comm)
    g.array(u, "u", inner=2)
    g.array(v, "v", inner=2)
    ranges, shapes = [], []

    @g.task(reads=[u], writes=[v], rows=True, on="device")
    def shift(rows, u, v):
        ranges.append((rows.start, rows.stop))
        shapes.append((u.shape, v.shape, u.dtype, u.readonly))
        u, v = library.from_dlpack(u), library.from_dlpack(v)
        for row in range(rows.start, rows.stop):
            v[row] = u[row] + (u[int(ring.local[0])] if row == N - 1 else 0)

    plan = g.compile()
    plan.run()
    assert sorted(ranges) == [(0, 2), (2, N)] and set(shapes) == {((len(ring),), (N,), "float64", False)}
    expected = (ring.ids[:N] % 5).astype(float)
    expected[-1] += ring.ids[ring.local[0]] % 5
    assert on_host(v).tolist() == expected.tolist()


def test_numbers_have_a_device_side(comm, ring, device):  # noqa: F811
    backend, library = device
    u = on_device(ring, backend)
    g = weft.task.Graph(comm)
    largest, scale = g.number(name="largest", backend=backend), g.number(3.0, backend=backend)
    assert largest.backend == backend and scale.value == 3

    @g.task(reads=[(u, "owned"), scale], reduces=[(largest, "max")], on="device")
    def measure(u, scale, largest):
        assert scale.shape == largest.shape == (1,)
        u, scale, largest = map(library.from_dlpack, (u, scale, largest))
        largest[0] = library.maximum(largest[0], (scale * u).max())

    seen = []
    g.task(reads=[largest])(seen.append)  # a float on the host
    plan = g.compile()
    plan.run(2)
    expected = 3.0 * min(4, N * comm.size - 1)
    assert seen == [expected] * 2 and largest.value == expected and isinstance(seen[0], float)
    scale.value = 1.0
    plan.run()
    assert seen[-1] == expected / 3
    with pytest.raises(weft.InputError, match="a number with a device side"):
        plan.repeat_until(largest, bool, 3)


def test_functions_are_called_in_each_iteration(comm, ring, device):  # noqa: F811
    """With record=True on a GPU twice: further iterations launch a graph."""
    backend, library = device
    for record in (False, True):
        u = on_device(ring, backend)
        before = on_host(u).copy()
        calls = []
        g = weft.task.Graph(comm)

        @g.task(reads_writes=[u], on="device")
        def add_one(u, calls=calls):
            calls.append(weft.stream().ptr)
            rows = library.from_dlpack(u)
            library.add(rows, 1, out=rows)

        g.compile(record=record).run(6)
        assert (on_host(u) == before + 6).all()
        assert len(calls) == (2 if record and backend == "cuda" else 6)
        assert (set(calls) == {0}) == (backend == "mirror")


def test_the_stream_of_a_task_ends_with_it(comm, ring, device):  # noqa: F811
    backend, _ = device
    u = on_device(ring, backend)
    streams = []
    g = weft.task.Graph(comm)
    g.task(reads_writes=[u], on="device", name="keeps")(lambda u: streams.append(weft.stream()))
    plan = g.compile()
    plan.run()
    assert streams[0].ptr == streams[0].__cuda_stream__()[1]
    del plan, g
    gc.collect()
    with pytest.raises(weft.ContractError, match="waits for the stream of a task"):
        streams[0].wait()
    g = weft.task.Graph(comm)
    g.task(reads_writes=[u], on="device", name="waits")(lambda u: weft.stream().wait())
    with pytest.raises(weft.ContractError, match="task 'waits'.*waits for the stream"):
        g.compile().run()


def test_an_exception_on_the_device_reaches_all_ranks(comm, ring, device):  # noqa: F811
    backend, _ = device
    u, later = on_device(ring, backend), []
    fails = [True]
    g = weft.task.Graph(comm)

    @g.task(reads_writes=[u], on="device")
    def kernel(u):
        if fails[0] and comm.rank == comm.size - 1:
            raise KeyError("density")

    g.task(reads=[(u, "owned")], name="later")(lambda u: later.append(1))
    plan = g.compile()
    with pytest.raises(weft.ContractError, match=r"task 'kernel': KeyError: 'density'") as caught:
        plan.run(3)
    assert isinstance(caught.value.__cause__, KeyError) == (comm.rank == comm.size - 1)
    fails[0] = False
    plan.run(2)  # the plan remains usable, and freshness is tracked again
    u.to_host()
    u.owned[:] = 1
    assert len(later) >= 2 and not u.fresh("device")


def test_arrays_are_free_after_close(comm, ring, device):  # noqa: F811
    backend, library = device
    u = on_device(ring, backend)
    g = weft.task.Graph(comm)
    g.task(reads=[u], reads_writes=[(u, "boundary")], on="device")(lambda u, v: None)
    plan = g.compile()
    plan.run()
    with pytest.raises((weft.BufferError, weft.ContractError)):
        u.close()
    plan.close()
    plan.close()
    with pytest.raises(weft.ContractError, match="use of a plan after close"):
        plan.run()
    del g, plan
    gc.collect()
    u.close()


def test_what_is_refused(comm, ring):  # noqa: F811
    host, mirror = weft.Array(ring), weft.Array(ring, backend="mirror")
    g = weft.task.Graph(comm)
    with pytest.raises(weft.InputError, match='did you mean "device"'):
        g.task(reads=[mirror], on="devise")
    with pytest.raises(weft.ContractError, match="the array has no device side"):
        g.task(reads=[host], on="device")
    with pytest.raises(weft.ContractError, match="the number has no device side"):
        g.task(reads=[g.number()], on="device")
    with pytest.raises(weft.InputError, match='"mirror"'):
        g.number(backend="miror")
    with pytest.raises(weft.ContractError, match="has no memory on the host"):
        g.task(reads=[weft.Array(ring, backend="mirror", first="device")])
    with pytest.raises(weft.InputError, match="not a stream"):
        g.task(reads=[mirror], on="device")(lambda u: None)
        g.compile().run(stream="s")


def test_arrays_are_used_by_the_plan_alone(comm, ring):  # noqa: F811
    for call in (lambda u: u.to_host(), lambda u: u.device(), lambda u: comm.sum(1.0)):
        u = on_device(ring, "mirror")
        g = weft.task.Graph(comm)
        g.task(reads_writes=[u], on="device", name="wrong")(lambda view, call=call, u=u: call(u))
        with pytest.raises(weft.ContractError, match="task 'wrong'.*(another thread works|computes or communicates)"):
            g.compile().run()


@needs_gpu
@pytest.mark.parametrize("stream", ["current", "default", "torch", "numba"])
def test_work_in_any_of_these_streams_is_in_order(comm, ring, stream):  # noqa: F811
    """Long work before what the task writes; the next task and the host read it."""
    cupy = pytest.importorskip("cupy")
    torch = pytest.importorskip("torch") if stream == "torch" else None
    cuda = numba_cuda() if stream == "numba" else None
    u = on_device(ring, "cuda")
    before = on_host(u).copy()
    big = cupy.random.rand(2000, 2000)
    g = weft.task.Graph(comm)

    if stream == "numba":

        @cuda.jit
        def kernel(u, n):
            i = cuda.grid(1)
            if i < n:
                u[i] += 1

    def slow():
        zero = big
        for _ in range(10):
            zero = zero @ big
            zero /= zero.max()
        return 0 * zero[0, 0]

    @g.task(reads_writes=[u], on="device")
    def add_one(u):
        assert cupy.cuda.get_current_stream().ptr == weft.stream().ptr
        if stream == "current":
            rows = cupy.from_dlpack(u)
            rows += 1 + slow()
        elif stream == "default":
            with cupy.cuda.Stream.null:
                rows = cupy.asarray(u)
                rows += 1 + slow()
        elif stream == "torch":
            torch.from_dlpack(u).add_(1)
        else:
            kernel[1, 64, cuda.external_stream(weft.stream().ptr)](u, u.shape[0])

    total = []
    g.task(reads=[(u, "owned")])(lambda u: total.append(u.copy()))
    g.compile().run(4)
    for i, rows in enumerate(total):
        assert (rows == before + i + 1).all()


@needs_gpu
def test_a_kernel_of_triton_is_the_body_of_a_task(comm, ring):  # noqa: F811
    torch = pytest.importorskip("torch")
    pytest.importorskip("triton")
    from triton_kernels import smooth_ring

    u, v = on_device(ring, "cuda"), weft.Array(ring, backend="cuda", first="device")
    left, right = map(int, ring.local)
    g = weft.task.Graph(comm)

    @g.task(reads=[u], writes=[v], on="device")
    def smooth(u, v):
        smooth_ring[(1,)](torch.from_dlpack(u), torch.from_dlpack(v), left, right, N, BLOCK=8)

    @g.task(reads=[(v, "owned")], writes=[u], on="device")
    def copy(v, u):
        torch.from_dlpack(u).copy_(torch.from_dlpack(v))

    plan = g.compile()
    a, b = numbered(ring), weft.Array(ring)
    smoother(ring, a, b, "host", lambda view: view).run(5)
    plan.run(5)
    assert on_host(u).tolist() == a.owned.tolist()
    plan.close()
