"""weft.task: graphs of functions of Python."""
import gc
import json
import threading
import weakref
from xml.etree import ElementTree

import numpy as np
import pytest
from task_rings import N, numbered, ring, smoother  # noqa: F401 (ring is a fixture)

import weft


@pytest.mark.parametrize("threads", [1, 3])
def test_results_are_those_of_one_process(comm, ring, threads):
    u, v = numbered(ring), weft.Array(ring)
    smoother(ring, u, v, threads).run(5)
    whole = (np.arange(N * comm.size) % 5).astype(float)
    for _ in range(5):
        whole = (np.roll(whole, 1) + whole + np.roll(whole, -1)) % 7
    assert u.owned.tolist() == whole[N * comm.rank : N * (comm.rank + 1)].tolist()


def test_bodies_get_views(comm, ring):
    u, v, w = numbered(ring), weft.Array(ring, width=2), weft.Array(ring)
    u.ghosts[:] = -1
    g = weft.task.Graph()
    seen = []

    @g.task(reads=[u], writes=[v], reads_writes=[(w, "boundary")])
    def look(u, v, w):
        seen.extend([u, v, w])

    assert callable(look)  # a decorator returns the function
    g.task(reads=[(u, "owned")], reduces=[(w, "add")], name="sum")(lambda u, w: seen.extend([u, w]))
    g.compile().run()
    shown_u, shown_v, shown_w, owned, added = seen
    assert shown_u.shape == (len(ring),) and not shown_u.flags.writeable and np.shares_memory(shown_u, u.all)
    assert shown_v.shape == (N, 2) and np.shares_memory(shown_v, v.owned) and shown_w.shape == (0,)
    assert owned.shape == (N,) and added.shape == (len(ring),) and added.flags.writeable
    assert (shown_u[N:] % 1 == 0).all() and (shown_u[N:] >= 0).all()  # pulled


def test_a_range_of_rows_is_called_for_inner_and_border_rows(comm, ring):
    u, v = numbered(ring), weft.Array(ring)
    g = weft.task.Graph()
    g.array(u, "u", inner=2)
    g.array(v, "v", inner=2)
    ranges = []
    g.task(reads=[u], writes=[v], rows=True, name="flux")(lambda rows, u, v: ranges.append((rows.start, rows.stop)))
    g.compile().run()
    assert sorted(ranges) == [(0, 2), (2, N)]


def test_numbers_are_reduced_over_ranks(comm, ring):
    u = numbered(ring)
    g = weft.task.Graph()
    total, scale = g.number(name="total"), g.number(3.0)

    @g.task(reads=[(u, "owned"), scale], reduces=[(total, "add")])
    def measure(u, scale, total):
        total[0] += scale * len(u)

    seen = []
    g.task(reads=[total])(seen.append)
    plan = g.compile(2)
    plan.run(2)
    assert seen == [3.0 * N * comm.size] * 2 and total.value == seen[0]
    scale.value = 1
    plan.run()
    assert seen[-1] == N * comm.size and repr(total) == f"<weft.TaskNumber: {N * comm.size}>"


def test_reductions_reach_the_owned_rows(comm, ring):
    u = weft.Array(ring)
    g = weft.task.Graph()

    @g.task(reduces=[(u, "add")])
    def scatter(u):
        u[ring.local] += 1  # the neighbours of the rows of this rank

    g.compile().run(3)
    expected = np.zeros(N)
    expected[[0, -1]] += 3
    assert u.owned.tolist() == expected.tolist()


def test_plans_of_a_graph_in_several_threads(comm):
    """One runs after the other, and each with its own functions."""
    g = weft.task.Graph(weft._weft.communicator_self())
    count = g.number()

    @g.task(reads_writes=[count])
    def add(count):
        count[0] += 1

    results = []

    def repeat(plan):
        for _ in range(1000):
            calls = []

            def twice(value):
                calls.append(value)
                return len(calls) == 2

            results.append((*plan.repeat_until(count, twice, most=5), len(calls)))

    threads = [threading.Thread(target=repeat, args=(g.compile(),)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == 6000 * [(2, True, 2)] and count.value == 12000


def test_a_plan_repeats_until_a_condition_holds(comm, ring):
    g = weft.task.Graph()
    residual = g.number(name="residual")
    local = [64.0]

    @g.task(reduces=[(residual, "max")])
    def halve(residual):
        local[0] /= 2
        residual[0] = max(residual[0], local[0])

    plan = g.compile()
    assert plan.repeat_until(residual, lambda r: r <= 4, 100) == (4, True)
    assert plan.repeat_until(residual, lambda r: False, 2) == (2, False)
    with pytest.raises(weft.ContractError, match="the condition on 'residual': ZeroDivisionError") as caught:
        plan.repeat_until(residual, lambda r: 1 / 0, 5)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    with pytest.raises(weft.InputError, match="needs a number of the graph"):
        plan.repeat_until(weft.task.Graph().number(), bool, 5)


def test_plans_and_traces_can_be_read(comm, ring, shared_path):
    u, v = numbered(ring), weft.Array(ring)
    plan = smoother(ring, u, v)
    trace = weft.task.Trace()
    plan.run(4, trace)
    assert "smooth" in plan.text() and "digraph" in plan.dot()
    picture = ElementTree.fromstring(plan.svg())  # raises for text that is not XML
    boxes = [group for group in picture.iter("{http://www.w3.org/2000/svg}g") if group.get("class") in ("task", "inserted")]
    assert len(boxes) == len(json.loads(plan.json())["repeated"]["nodes"]) and plan._repr_svg_() == plan.svg()
    assert [n["name"] for n in json.loads(plan.json())["repeated"]["nodes"]][-1] == "copy"
    text = trace.summary()
    assert (("4 iterations" in text) if comm.rank == 0 else text == "") and len(trace) >= 8
    trace.write(str(shared_path / "trace.json"))
    if comm.rank == 0:
        assert {event["pid"] for event in json.loads((shared_path / "trace.json").read_text())["traceEvents"]} == set(range(comm.size))
    with pytest.raises(weft.IoError):
        trace.write("/no/such/folder/trace.json")


def test_functions_and_arrays_are_collected(comm, ring):
    u, v = numbered(ring), weft.Array(ring)
    g = weft.task.Graph()

    class Body:
        def __call__(self, u, v):
            self.plan = plan  # a cycle

    body = Body()
    g.task(reads=[u], writes=[v])(body)
    plan = g.compile()
    plan.run()
    gone = weakref.ref(body)
    del body, plan, g
    gc.collect()
    assert gone() is None
    u.close()


def test_numba_bodies(comm, ring):
    numba = pytest.importorskip("numba")
    u, v = numbered(ring), weft.Array(ring)
    g = weft.task.Graph()

    @g.task(reads=[u], writes=[v], rows=True)
    @numba.njit(nogil=True)
    def double(rows, u, v):
        for i in range(rows.start, rows.stop):
            v[i] = 2 * u[i]

    g.compile(2).run()
    assert v.owned.tolist() == (2 * u.owned).tolist()


def test_graphs_are_added_to_graphs(comm, ring):
    u, v = numbered(ring), weft.Array(ring)
    left, right = ring.local
    half = weft.task.Graph(comm)
    half.array(u, "u")
    sweeps = half.number(name="sweeps")

    @half.task(reads=[u], writes=[v])
    def smooth(u, v):
        v[1:-1] = (u[: N - 2] + u[1 : N - 1] + u[2:N]) % 7
        v[0] = (u[left] + u[0] + u[1]) % 7
        v[-1] = (u[N - 2] + u[N - 1] + u[right]) % 7

    @half.task(reads=[(v, "owned")], writes=[u], reads_writes=[sweeps])
    def copy(v, u, sweeps):
        u[:] = v
        sweeps[0] += 1

    g = weft.task.Graph(comm)
    g.add_graph("first", half)
    seen = []
    g.task(reads=[sweeps, (u, "owned")], name="between")(lambda sweeps, u: seen.append(sweeps))
    g.add_graph("second", half)
    half.task(reads_writes=[sweeps])(lambda sweeps: sweeps.fill(99))  # not in g
    plan = g.compile(threads=2)
    names = [node["name"] for node in json.loads(plan.json())["repeated"]["nodes"]]
    assert {"first/smooth", "first/copy", "between", "second/smooth", "second/copy"} <= set(names)
    assert sum("pull" in name for name in names) == (4 if comm.size > 1 else 0)  # two starts, two ends
    assert plan.repeat_until(sweeps, lambda n: n >= 6, most=10) == (3, True) and seen == [1, 3, 5]

    a, b = numbered(ring), weft.Array(ring)
    smoother(ring, a, b).run(6)
    assert u.owned.tolist() == a.owned.tolist()


def test_tasks_are_executed_in_the_order_of_remaining_time(comm):
    inner = weft.task.Graph(comm)
    order = []
    for name in ("short", "long"):
        inner.task(writes=[inner.number(name=name)], name=name)(lambda number, name=name: order.append(name))
    inner.compile().run()
    assert order == ["short", "long"]
    inner.set_cost("long", 3.0)
    g = weft.task.Graph(comm)
    g.add_graph("nested", inner)
    g.compile().run()
    assert order == ["short", "long", "long", "short"]
    for name, seconds in (("nested/long", 0.0), ("nested/long", float("nan")), ("long", 1.0)):
        with pytest.raises(weft.ContractError, match="cost"):
            g.set_cost(name, seconds)
