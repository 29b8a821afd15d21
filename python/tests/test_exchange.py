"""weft.GhostPlan, weft.Exchange, and files of arrays."""
import gc
import subprocess
import sys

import numpy as np
import pytest
from conftest import ENV, ROOT

import weft

N = 6  # rows per rank


@pytest.fixture
def plan(comm):
    """A ring: each rank reads two rows of the rank after it, the last row of the rank before it, and one of its own."""
    first, rows = N * comm.rank, N * comm.size
    return weft.GhostPlan.build(comm, N, [(first + N) % rows, (first - 1) % rows, (first + N + 1) % rows, first])


def numbered(plan, dtype="float64", **arguments):
    """An array with 100 * global row + entry in the owned rows."""
    a = weft.Array(plan, dtype, **arguments)
    width = a.width
    owned = (100 * plan.ids[: plan.owned, None] + np.arange(width)) % 251
    a.owned[:] = owned[:, 0] if a.owned.ndim == 1 else owned
    return a


def expected(plan, width=1):
    return (100 * plan.ids[:, None] + np.arange(width)) % 251


def test_a_plan_numbers_rows(comm, plan):
    assert plan.owned == N and len(plan) == N + plan.ghosts and plan.first == N * comm.rank
    assert plan.global_rows == N * comm.size and plan.comm.size == comm.size
    assert plan.ghosts == (3 if comm.size > 1 else 0)
    first, rows = N * comm.rank, N * comm.size
    wanted = [(first + N) % rows, (first - 1) % rows, (first + N + 1) % rows, first]
    assert plan.ids[plan.local].tolist() == wanted and plan.local[3] == 0
    assert [plan.find(i) for i in wanted] == plan.local.tolist()
    if comm.size > 2:
        assert [n[0] for n in plan.neighbours] == sorted({(comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size})
        ghosts = [i for _, rows, _ in plan.neighbours for i in range(rows.start, rows.stop)]
        assert ghosts == list(range(N, len(plan)))
        with pytest.raises(KeyError, match="neither owned nor a ghost"):
            plan.find((first + N + 3) % rows)
    assert plan == plan and plan != weft.GhostPlan.build(comm, N) and plan != 5 and hash(plan) == hash(plan)


def test_periodic_images_have_ghost_rows(comm):
    plan = weft.GhostPlan.build(comm, 2, [2 * comm.rank], images=[1])
    assert plan.ghosts == 1
    a = weft.Array(plan)
    a.owned[:] = [3, 4]
    weft.Exchange(plan, a).pull()
    assert a.ghosts.tolist() == [3]


@pytest.mark.parametrize(
    ("owned", "ids", "match"),
    [
        (2, [10**6], "1000000"),
        (2, [-1], "no such row"),
        (2, [0.5], "whole numbers"),
        (2, [[0]], "2 dimensions"),
        (2, ["a"], "whole numbers"),
        (-1, [], "owns -1 rows"),
        (2**31, [], None),
    ],
)
def test_a_wrong_id_on_one_rank_is_an_error_on_all(comm, owned, ids, match):
    bad = comm.rank == comm.size - 1
    with pytest.raises((weft.InputError, weft.LimitError), match=match):
        weft.GhostPlan.build(comm, owned if bad else 2, ids if bad else [0])


def test_images_for_each_id(comm):
    with pytest.raises(weft.InputError, match="1 images for 2 ids"):
        weft.GhostPlan.build(comm, 2, [0, 1], images=[0])
    with pytest.raises(TypeError, match="comm"):
        weft.GhostPlan.build("world", 2)
    with pytest.raises(TypeError):
        weft.GhostPlan.build(comm, 2.5)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "uint8"])
@pytest.mark.parametrize("form", [{}, {"width": 3}, {"width": 3, "layout": "soa"}, {"max": 4}])
@pytest.mark.parametrize("backend", ["host", "mirror"])
def test_pull_copies_owned_rows(plan, dtype, form, backend):
    a = numbered(plan, dtype, backend=backend, **form)
    if "max" in form:
        a.set_row_sizes([1 + i % 4 for i in range(N)])
    if backend == "mirror":
        a.to_device()
    weft.Exchange(plan, a).pull()
    want = expected(plan, a.width)
    assert (a.view() == (want[:, 0] if a.view().ndim == 1 else want)).all()
    if "max" in form:
        assert a.row_sizes.tolist() == [1 + i % N % 4 for i in plan.ids]


@pytest.mark.parametrize("op", ["insert", "add", "min", "max"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "uint8"])
def test_push_combines_ghost_rows(comm, plan, op, dtype):
    a = weft.Array(plan, dtype)
    a.owned[:] = 5
    a.ghosts[:] = np.arange(3)[: plan.ghosts] + 4
    weft.Exchange(plan, a).push(op)
    want = np.full(N, 5)
    for _, _, rows in plan.neighbours:
        for row in rows:
            ghost = 4  # owned by the rank before this one: rows 0 and 1 are its ghosts; of the rank after this one: the last row
            first, size = plan.first, plan.global_rows
            sender = (first // N + (1 if row == N - 1 else -1)) % comm.size
            others = sorted({(N * sender + N) % size, (N * sender - 1) % size, (N * sender + N + 1) % size} - set(range(N * sender, N * sender + N)))
            ghost += others.index(first + row)
            want[row] = {"insert": ghost, "add": want[row] + ghost, "min": min(want[row], ghost), "max": max(want[row], ghost)}[op]
    assert (a.owned == want).all()
    if plan.ghosts:
        assert a.ghosts.tolist() == [4, 5, 6]


def test_arrays_of_several_kinds_travel_together(comm, plan):
    a, b = numbered(plan, width=5), numbered(plan, "int32", width=2, layout="soa")
    c = weft.Array.csr(plan, [0, 1, 1, 3, 3, 4, 6], 10.0 * comm.rank + np.arange(6))
    offsets, values = c.all
    values[offsets[N] :] = -1
    exchange = weft.Exchange(plan, a, b, c)
    exchange.pull()
    assert (a.all == expected(plan, 5)).all() and (b.all == expected(plan, 2)).all()
    for row in range(N, len(plan)):
        owner, local = divmod(plan.ids[row], N)
        begin, end = [0, 1, 1, 3, 3, 4, 6][local : local + 2]
        assert values[offsets[row] : offsets[row + 1]].tolist() == [10.0 * owner + k for k in range(begin, end)]
    messages, size = exchange.sent
    assert messages == len(plan.neighbours) and (size > 0) == (comm.size > 1)


def test_an_exchange_in_flight_limits_access(plan):
    a = numbered(plan)
    exchange = weft.Exchange(plan, a)
    other = weft.Exchange(plan, a)
    assert not exchange.in_flight and exchange.transport in ("host", "shared")
    exchange.start()
    assert exchange.in_flight and "in flight" in repr(exchange)
    assert not a.owned.flags.writeable and a.view("owned").shape == (N,)
    for use in (
        lambda: a.ghosts,
        lambda: a.all,
        lambda: a.view("ghosts"),
        lambda: a.view("owned", writable=True),
        lambda: np.asarray(a),
        lambda: np.from_dlpack(a),
        a.to_device,
        a.clone,
        a.close,
        lambda: a.resize_width(2),
        exchange.start,
        exchange.pull,
        other.start,
        lambda: weft.Exchange(plan, a),
        exchange.close,
        lambda: a.write("/tmp/weft_in_flight.h5"),
    ):
        with pytest.raises((weft.ContractError, weft.InputError), match="in flight"):
            use()
    while not exchange.arrived():
        pass
    exchange.finish()
    assert (a.all == expected(plan)[:, 0]).all() and a.owned.flags.writeable
    exchange.start("add")
    assert a.ghosts.flags.writeable is False
    for use in (lambda: a.owned, lambda: a.all, lambda: a.view("owned"), lambda: a.view("ghosts", writable=True)):
        with pytest.raises(weft.ContractError, match="in flight"):
            use()
    exchange.finish()
    for use in (exchange.finish, exchange.arrived):
        with pytest.raises(weft.ContractError, match="was not started"):
            use()


def test_a_with_block_is_a_pull_in_flight(plan):
    a = numbered(plan)
    exchange = weft.Exchange(plan, a)
    with exchange as entered:
        assert entered is exchange and exchange.in_flight
    assert (a.all == expected(plan)[:, 0]).all()
    with pytest.raises(RuntimeError, match="of the user"), exchange:
        raise RuntimeError("of the user")
    assert not exchange.in_flight
    with exchange:
        exchange.finish()  # finished within the block


def test_misuse_of_exchanges(comm, plan):
    a = numbered(plan)
    exchange = weft.Exchange(plan, a)
    with pytest.raises(weft.InputError, match='"adt".*"add"'):
        exchange.push("adt")
    with pytest.raises(weft.InputError, match="transport"):
        weft.Exchange(plan, a, transport="pigeon")
    with pytest.raises(weft.InputError, match="not a weft.Array"):
        weft.Exchange(plan, np.zeros(N))
    with pytest.raises(weft.InputError, match="without arrays"):
        weft.Exchange(plan)
    with pytest.raises(weft.ContractError, match="the same"):
        weft.Exchange(plan, a, a)
    with pytest.raises(weft.ContractError, match="another plan"):
        weft.Exchange(weft.GhostPlan.build(comm, N), a)
    with pytest.raises(weft.ContractError, match="lists"):
        a.close()
    with pytest.raises(weft.ContractError, match="lists"):
        a.resize_width(3)
    with pytest.raises((weft.InputError, weft.DeviceError), match="nccl"):
        weft.Exchange(plan, a, transport="nccl").pull()
    with pytest.raises(weft.InputError, match="not a stream"):
        exchange.start(stream="s")
    assert not exchange.in_flight
    exchange.close()
    exchange.close()
    assert exchange.closed
    with pytest.raises(weft.ContractError, match="after close"):
        exchange.pull()
    a.close()


def test_ranks_that_disagree(comm, plan):
    if comm.size == 1:
        pytest.skip("one rank agrees with itself")
    with pytest.raises(weft.CommError):
        weft.Exchange(plan, weft.Array(plan, width=2 if comm.rank == 0 else 3))
    with pytest.raises(weft.InputError, match="not a weft.Array"):
        weft.Exchange(plan, 5 if comm.rank == 1 else weft.Array(plan))


def test_an_array_outlives_its_names_in_an_exchange(plan):
    exchange = weft.Exchange(plan, numbered(plan))
    gc.collect()
    exchange.pull()
    exchange.start()
    del exchange  # in flight: an error of the caller, but no crash
    gc.collect()
    a = numbered(plan)
    weft.Exchange(plan, a).pull()
    assert (a.all == expected(plan)[:, 0]).all()


def test_stale_rows_travel_to_the_side_of_the_exchange(plan):
    a = numbered(plan, width=2, backend="mirror")
    exchange = weft.Exchange(plan, a, transport="staged")
    a.to_device()
    np.from_dlpack(a.device("owned"))[:] += 1
    exchange.pull()
    assert a.fresh("device") and not a.fresh("host")
    a.to_host()
    assert (a.all == expected(plan, 2) + 1).all()


def test_arrays_are_written_and_read(comm, plan, shared_path):
    a, b = numbered(plan, width=3), numbered(plan, "uint8")
    padded = numbered(plan, "int32", max=3)
    padded.set_row_sizes([i % 4 for i in range(N)])
    c = weft.Array.csr(plan, np.arange(N + 1), plan.ids[:N].astype("float32"))
    path = shared_path / "arrays.h5"
    weft.write_arrays(path, a=a, b=b, padded=padded, c=c)
    again = weft.read_array(path, "a", plan)
    assert again.plan == plan and again.dtype == a.dtype and (again.owned == a.owned).all() and (again.ghosts == 0).all()
    assert (weft.read_array(path, "b").owned == b.owned).all() and weft.read_array(path, "b").dtype == np.uint8
    soa = weft.read_array(path, "a", layout="soa", backend="mirror")
    assert (soa.owned == a.owned).all() and soa.layout == "soa" and soa.backend == "mirror"
    rows = weft.read_array(path, "padded", plan, padded=True)
    assert rows.row_sizes[:N].tolist() == [i % 4 for i in range(N)] and rows.width == 3
    offsets, values = weft.read_array(path, "padded").owned
    assert np.diff(offsets).tolist() == [i % 4 for i in range(N)]
    assert weft.read_array(path, "c").owned[1].tolist() == plan.ids[:N].tolist()
    with_ghosts = weft.read_array(path, "c", plan)
    assert with_ghosts.all[1].tolist() == plan.ids.tolist()
    for arguments, match in [({"name": "d"}, 'no array "d"'), ({"name": "a", "plan": weft.GhostPlan.build(comm, 2)}, "rows")]:
        with pytest.raises(weft.IoError, match=match):
            weft.read_array(path, **arguments)
    with pytest.raises(weft.InputError, match="soa"):
        weft.read_array(path, "a", layout="soo")
    with pytest.raises(weft.InputError, match="not a weft.Array"):
        weft.write_arrays(path, a=np.zeros(3))
    with pytest.raises(weft.InputError, match="no arrays"):
        weft.write_arrays(path)
    with pytest.raises(weft.IoError):
        a.write(shared_path / "missing" / "a.h5")
    with pytest.raises(weft.IoError):
        weft.read_array(shared_path / "missing.h5", "a")


def test_a_file_of_other_ranks_is_read(comm, shared_path):
    """Written by one rank, read by all; the C++ library reads the same files (tests/io)."""
    path = shared_path / "one.h5"
    if comm.rank == 0:
        script = (
            "import numpy, weft\n"
            "a = weft.Array(weft.GhostPlan.build(None, 10), width=2)\n"
            "a.owned[:] = numpy.arange(20).reshape(10, 2)\n"
            f"a.write({str(path)!r}, 'x')\n"
        )
        subprocess.run([sys.executable, "-c", script], env=ENV, check=True, timeout=60)
    comm.barrier()
    a = weft.read_array(path, "x", comm=comm)
    first = a.plan.first
    assert a.plan.global_rows == 10 and (a.owned == np.arange(2 * first, 2 * first + 2 * len(a)).reshape(-1, 2)).all()


def test_communicators_of_mpi4py(comm):
    mpi4py = pytest.importorskip("mpi4py.MPI")
    plan = weft.GhostPlan.build(mpi4py.COMM_SELF, 3, [0, 1])
    assert plan.comm.size == 1 and plan.ghosts == 0
    half = mpi4py.COMM_WORLD.Split(comm.rank % 2)
    plan = weft.GhostPlan.build(half, 1, [half.rank - 1 if half.rank else half.size - 1])
    a = weft.Array(plan)
    a.owned[:] = half.rank
    weft.Exchange(plan, a).pull()
    assert a.all[plan.local[0]] == (half.rank - 1) % half.size


def test_the_example(capfd):
    namespace = {}
    exec(compile((ROOT / "examples" / "python" / "ghost_exchange.py").read_text(), "ghost_exchange.py", "exec"), namespace)
    comm = weft.world()
    if comm.rank == 0:
        assert "mean 0.500000" in capfd.readouterr().out
    # Values are those without ranks.
    n, size = namespace["n"], namespace["rows"]
    u = np.sin(2 * np.pi * np.arange(size) / size) + np.arange(size) % 2
    for _ in range(100):
        u = (np.roll(u, 1) + 2 * u + np.roll(u, -1)) / 4
    assert np.allclose(namespace["u"].owned, u[comm.rank * n : (comm.rank + 1) * n], atol=1e-12)


def test_a_loop_over_cells_by_numba():
    pytest.importorskip("numba", reason="numba is not installed")
    mesh = weft.Mesh.generate("box", nx=8, ny=6)
    u, sums = weft.Array(mesh.plan), weft.Array(mesh.plan, width=2)
    u.owned[:] = mesh.cells.global_id[: mesh.cells.owned]

    @weft.for_cells(mesh)
    def add(c, u, sums, neighbours, volume):
        offsets, cells = neighbours
        for k in range(offsets[c], offsets[c + 1]):
            sums[c, 0] += u[cells[k]]
        sums[c, 1] = volume[c]

    weft.Exchange(mesh.plan, u).pull()
    add(u, sums, mesh.cells.neighbours, mesh.cells.volume)
    offsets, cells = mesh.cells.neighbours
    for c in range(mesh.cells.owned):
        assert sums.owned[c, 0] == u.all[cells[offsets[c] : offsets[c + 1]]].sum()
    assert (sums.owned[:, 1] == mesh.cells.volume[: mesh.cells.owned]).all()

    count = weft.Array(mesh.plan, "int32")

    def mark(c, count):
        count[c] += 1

    for over in ("inner", "border", "all"):
        weft.for_cells(mesh, over=over)(mark)(count)
    assert (count.owned == 2).all() and (count.ghosts == 1).all()
    with pytest.raises(weft.InputError, match="owned, inner"):
        weft.for_cells(mesh, over="outer")
    with pytest.raises(weft.InputError, match="needs a weft.Mesh"):
        weft.for_cells(u)
