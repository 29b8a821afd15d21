"""Errors of weft.task: exceptions of functions, accesses that tasks do not state, wrong arguments."""
import numpy as np
import pytest
from task_rings import N, numbered, ring, smoother  # noqa: F401 (ring is a fixture)

import weft


@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_reaches_all_ranks(comm, ring, threads):
    u, v = numbered(ring), weft.Array(ring)
    g = weft.task.Graph()
    fails, later = [True], []

    @g.task(reads=[u], writes=[v])
    def flux(u, v):
        if fails[0] and comm.rank == comm.size - 1:
            raise KeyError("density")

    g.task(reads=[v], writes=[u], name="later")(lambda v, u: later.append(1))
    plan = g.compile(threads)
    with pytest.raises(weft.ContractError, match=r"task 'flux': KeyError: 'density'") as caught:
        plan.run(3)
    if comm.rank == comm.size - 1:
        assert isinstance(caught.value.__cause__, KeyError) and not later
    else:
        assert caught.value.__cause__ is None
    fails[0] = False
    plan.run(2)  # the plan remains usable
    assert len(later) >= 2


def test_an_exception_without_a_text_is_the_cause(ring):
    class Strange(Exception):
        def __str__(self):
            raise ValueError("no text")

    u = weft.Array(ring)
    g = weft.task.Graph()

    @g.task(writes=[u])
    def flux(u):
        raise Strange

    with pytest.raises(weft.ContractError, match="task 'flux': Strange") as caught:
        g.compile().run()
    assert isinstance(caught.value.__cause__, Strange)


def test_bodies_do_not_communicate_and_arrays_are_busy(comm, ring):
    for call, message in ((lambda u: comm.sum(1.0), "computes or communicates"), (lambda u: u.owned, "another thread works"),
                          (lambda u: u.view(), "another thread works")):
        u = numbered(ring)
        g = weft.task.Graph()
        g.task(reads_writes=[u], name="wrong")(lambda view, call=call, u=u: call(u))
        with pytest.raises(weft.ContractError, match="task 'wrong'.*" + message):
            g.compile(2).run()
        assert u.owned.shape == (N,)


def test_reading_tasks_cannot_write(comm, ring):
    u = numbered(ring)
    g = weft.task.Graph()

    @g.task(reads=[u])
    def wrong(u):
        u[0] = 1

    with pytest.raises(weft.ContractError, match="task 'wrong': ValueError: assignment destination is read-only"):
        g.compile().run()


@pytest.mark.filterwarnings("ignore:invalid value")  # numpy computes with the poison
def test_undeclared_accesses_are_found(comm, ring):
    u, v = numbered(ring), weft.Array(ring)
    for body, message in ((lambda view: view.__iadd__(u_rows[0]), "it reads the border rows of 'u', which it does not state"),
                          (lambda view: u_rows.__setitem__(1, 5.0), r"it writes the border rows of 'u' \(row 1\)")):
        u_rows = u.owned  # a view from outside
        g = weft.task.Graph()
        g.array(u, "u")
        g.task(reads_writes=[v], name="sly")(body)
        with pytest.raises(weft.ContractError, match="task 'sly': " + message):
            g.compile(check=True).run()
    u, v = numbered(ring), weft.Array(ring)
    smoother(ring, u, v, check=True).run(2)


def test_ranks_request_the_same_number_of_iterations(comm, ring):
    if comm.size == 1:
        pytest.skip("needs two ranks")
    plan, most = smoother(ring, numbered(ring), weft.Array(ring)), comm.size + 1
    message = f"the ranks request different numbers of iterations of a plan: 2 to {most}"
    with pytest.raises(weft.ContractError, match=message):
        plan.run(2 + comm.rank)
    g = weft.task.Graph(comm)
    number = g.number(name="residual")

    @g.task(reduces=[(number, "max")])
    def measure(residual):
        residual[0] = max(residual[0], 1)

    with pytest.raises(weft.ContractError, match=message):
        g.compile().repeat_until(number, lambda r: False, 2 + comm.rank)
    plan.run(2)


def test_wrong_arguments(comm, ring):
    u = numbered(ring)
    g = weft.task.Graph()
    with pytest.raises(weft.InputError, match="a task cannot access a int"):
        g.task(reads=[5])
    with pytest.raises(weft.InputError, match="reads is a Array; pass a list"):
        g.task(reads=u)
    with pytest.raises(weft.InputError, match="reduces needs operations"):
        g.task(reduces=[u])
    with pytest.raises(weft.InputError, match='did you mean "ghosts"'):
        g.task(reads=[(u, "ghost")])
    with pytest.raises(weft.InputError, match="another graph"):
        g.task(reads=[weft.task.Graph().number()])
    with pytest.raises(weft.InputError, match="a int is not a function"):
        g.task(reads=[u])(3)
    with pytest.raises(weft.ContractError, match="was added before"):
        g.array(u)
        g.array(u)
    with pytest.raises(weft.ContractError, match="0 threads"):
        g.compile(0)
    with pytest.raises(weft.ContractError, match="-1 iterations"):
        g.compile().run(-1)
    plan = g.compile()
    with pytest.raises((weft.ContractError, weft.BufferError)):
        u.close()
    del plan
    u, g = weft.Array(ring), weft.task.Graph()
    g.array(u, "u")
    u.close()
    with pytest.raises(weft.ContractError, match="array 'u' was destroyed"):
        g.compile()


def test_rows_are_not_read_and_overwritten_by_one_task(comm, ring):
    u = numbered(ring)
    g = weft.task.Graph(comm)
    g.array(u, name="u")
    count = g.number(name="count")
    pairs = [(u, u), ((u, "owned"), u), (u, (u, "ghosts")), ((u, "inner"), (u, "owned")), (count, count)]
    for read, written in pairs:
        with pytest.raises(weft.ContractError, match="task 'f' has .* in reads and in writes.*list it in reads_writes alone"):
            g.task(reads=[read], writes=[written], name="f")(lambda a, b: None)
    with pytest.raises(weft.ContractError, match="task 'f' has 'u' in reads"):
        g.task(reads=[u], writes=[u], rows=True, name="f")(lambda rows, a, b: None)

    @g.task(reads=[(u, "ghosts")], writes=[u], name="other rows")
    def f(ghosts, owned):
        assert not np.shares_memory(ghosts, owned)
        owned[:] = ghosts.sum()

    g.compile(check=True).run()  # the graph has none of those that were refused
    assert (u.owned == u.owned[0]).all()


def test_graphs_that_cannot_be_added(comm, ring):
    u = numbered(ring)
    inner, g = weft.task.Graph(comm), weft.task.Graph(comm)
    inner.array(u, "u", inner=1)
    with pytest.raises(weft.InputError, match="a int is not a graph"):
        g.add_graph("inner", 3)
    with pytest.raises(weft.ContractError, match="graph 'g' is added to itself"):
        g.add_graph("g", g)
    if comm.size > 1:
        with pytest.raises(weft.ContractError, match="graph 'inner' has the ranks of another communicator"):
            weft.task.Graph(weft._weft.communicator_self()).add_graph("inner", inner)
    g.array(u, "state", inner=2)
    with pytest.raises(weft.ContractError, match="array 'state' has 2 inner rows, but as 'u' of graph 'inner' it has 1"):
        g.add_graph("inner", inner)
    u.close()
    with pytest.raises(weft.ContractError, match="array 'u' of graph 'inner' was destroyed"):
        weft.task.Graph(comm).add_graph("inner", inner)
