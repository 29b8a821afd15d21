"""Dry runs of weft.task graphs: messages and memory of one of many ranks that need not exist."""
import json

import numpy as np
import pytest
from task_rings import N, numbered, ring  # noqa: F401 (ring is a fixture)

import weft
from weft.task import PretendedRows


def rows_of(plan, inner=0):
    """The rows that arrays on this plan have."""
    others = [neighbour for neighbour in plan.neighbours if neighbour[0] != plan.comm.rank]
    neighbours = {rank: (len(sent), ghosts.stop - ghosts.start) for rank, ghosts, sent in others}
    images = plan.ghosts - sum(ghosts for _, ghosts in neighbours.values())
    sent = [row for _, _, rows in others for row in rows]
    return PretendedRows(
        owned=plan.owned,
        inner=inner,
        images=images,
        neighbours=neighbours,
        inner_is_sent=any(row < inner for row in sent),
        others_have_ghosts=plan.ghosts > 0,
    )


def program(comm, u, v):
    """A graph with pulls, a push and a reduction over ranks, of which no function must be called in a dry run."""
    g = weft.task.Graph(comm)
    g.array(u, "u")
    g.array(v, "v")
    dt = g.number(name="dt")
    calls = []
    g.task(reads=[(u, "owned")], reduces=[(dt, "min")], name="limit")(lambda u, dt: calls.append("limit"))
    g.task(reads=[u], writes=[v], rows=True, name="smooth")(lambda rows, u, v: calls.append("smooth"))
    g.task(reads=[(v, "owned")], reduces=[(u, "add")], name="scatter")(lambda v, u: calls.append("scatter"))
    g.task(reads=[dt, v], reads_writes=[u], name="step")(lambda dt, v, u: calls.append("step"))
    return g, calls


def test_a_dry_run_as_this_rank_has_the_nodes_and_messages_of_the_plan(comm, ring):
    u, v = numbered(ring), weft.Array(ring)
    g, calls = program(comm, u, v)
    rows = rows_of(ring)
    dry = g.dry(comm.size, rows)
    assert not calls
    plan = g.compile()
    assert json.loads(dry.json())["repeated"]["nodes"] == json.loads(plan.json())["repeated"]["nodes"]
    # u and v are pulled, contributions to u are pushed; with one or two ranks there is one neighbour or none
    others = min(comm.size - 1, 2)
    values = 2 if comm.size == 2 else 1
    assert sorted(dry.sent) == sorted({(comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size} - {comm.rank})
    assert all(messages == 3 and bytes == 3 * 8 * values for messages, bytes in dry.sent.values())
    assert dry.repeated == (3 * others, 3 * 8 * values * others)
    assert dry.reductions == 1
    assert dry.array_bytes == 2 * 8 * len(ring)
    assert dry.message_bytes == dry.repeated[1] * 2
    assert f"each further one: {dry.repeated[0]} messages, {dry.repeated[1]} bytes" in dry.text()


def test_a_dry_run_counts_what_runs_send(comm, ring):
    g, _ = program(comm, numbered(ring), weft.Array(ring))
    dry = g.dry(comm.size, rows_of(ring))
    trace = weft.task.Trace()
    g.compile().run(3, trace)
    summary = trace.summary(comm)
    if comm.rank > 0:
        return
    _, found, table = summary.partition("messages in all iterations\n")
    assert bool(found) == (comm.size > 1), summary
    lines = [[int(number) for number in line.split()] for line in table.splitlines()[1:] if line[:8].strip().isdigit()]
    of_rank_0 = [(messages, bytes) for rank, _, messages, bytes in lines if rank == 0]
    counted = [dry.first[i] + 2 * dry.repeated[i] for i in (0, 1)]
    assert [sum(each[i] for each in of_rank_0) for i in (0, 1)] == counted, summary


@pytest.mark.parametrize("form", ["rows", "dict", "function"])
def test_rows_are_given_in_three_forms(comm, form):
    one = weft.GhostPlan.build(comm, 1)
    u, v = weft.Array(one, dtype="float32", width=3), weft.Array(one)
    g = weft.task.Graph(comm)
    inner = weft.task.Graph(comm)
    inner.task(reads=[u], name="pull")(lambda u: None)
    inner.task(reads_writes=[u], name="change")(lambda u: None)
    g.add_graph("inner", inner)
    g.array(v, "v")
    block = PretendedRows(owned=10, boundary=4, images=3, neighbours={np.int64(99): (5, 6)}, others_have_ghosts=True)
    asked = []

    def of_array(array):
        asked.append(array)
        return block

    dry = g.dry(100, {"rows": block, "dict": {u: block, v: block}, "function": of_array}[form])
    assert dry.repeated == (1, 5 * 12) and dry.sent == {99: (1, 5 * 12)} and dry.first == dry.repeated
    assert dry.array_bytes == (10 + 4 + 3 + 6) * (12 + 8)
    assert dry.message_bytes == (5 + 6) * 12 and dry.reductions == 0
    assert [id(array) for array in asked] == ([id(u), id(v)] if form == "function" else [])


def test_each_rank_may_pretend_something_else(comm):
    one = weft.GhostPlan.build(comm, 1)
    u = weft.Array(one)
    g = weft.task.Graph(comm)
    g.task(reads_writes=[u], name="change")(lambda u: None)
    g.task(reads=[u], name="pull")(lambda u: None)
    rank = 60000 + comm.rank
    dry = g.dry(65536, PretendedRows(owned=100, neighbours={rank - 1: (comm.rank + 1, 1)}, others_have_ghosts=True))
    assert dry.sent == {rank - 1: (1, 8 * (comm.rank + 1))}
    if comm.rank == 0:  # nothing communicates
        assert g.dry(65536, PretendedRows(owned=100)).repeated == (0, 0)


def test_subsets_of_pretended_ranks(comm, ring):
    u, v = numbered(ring), weft.Array(ring)
    g = weft.task.Graph(comm)
    g.array(u, "u", inner=1)
    g.array(v, "v", inner=1)
    g.add_subset(u, "inlet", [0, 2])
    g.task(writes=[(u, "inlet")], name="inflow")(lambda u: None)
    g.task(reads=[u], writes=[v], rows=True, name="smooth")(lambda rows, u, v: None)

    def dry(sets):
        common = dict(owned=1000, inner=900, others_have_ghosts=True, neighbours={7: (10, 10)})
        return g.dry(100, {u: PretendedRows(**common, in_subsets=sets), v: PretendedRows(**common)})

    assert dry([]).repeated[0] == 1  # row 2 is a border row
    none = dry([("inner", ["inlet"], False), ("boundary", ["inlet"], False)])
    assert none.repeated[0] == 0
    assert "subset 'inlet' of 'u': inner, boundary rows; no rank sends such rows" in none.text()
    assert dry([("border", ("inlet",), True)]).repeated[0] == 1
    assert dry((("border", ["inlet"], False),)).repeated[0] == 0
    with pytest.raises(weft.ContractError, match="'u' has no subset 'outlet'"):
        dry([("border", ["outlet"], False)])
    with pytest.raises(weft.InputError, match="middle"):
        dry([("middle", ["inlet"], False)])
    with pytest.raises(weft.ContractError, match="pretended rows of subsets that are impossible"):
        dry([("ghosts", ["inlet"], False)])
    for wrong in ("inlet", [("border", "inlet", False)], [("border", ["inlet"])], [("border", [3], False)], [7]):
        with pytest.raises(weft.InputError, match="in_subsets of array 'u'"):
            dry(wrong)


@pytest.mark.parametrize("ranks", [0, -3])
def test_less_than_one_rank(comm, ring, ranks):
    g, _ = program(comm, numbered(ring), weft.Array(ring))
    with pytest.raises(weft.ContractError, match=f"{ranks} ranks are pretended"):
        g.dry(ranks, PretendedRows(owned=3))


@pytest.mark.parametrize("ranks", [1.5, "2", None, 2**40])
def test_ranks_that_are_no_number_of_ranks(comm, ring, ranks):
    g, _ = program(comm, numbered(ring), weft.Array(ring))
    with pytest.raises(TypeError):
        g.dry(ranks, PretendedRows(owned=3))


def test_wrong_rows(comm, ring):
    u, v = numbered(ring), weft.Array(ring)
    g, _ = program(comm, u, v)
    rows = PretendedRows(owned=3)
    for error, problem, wrong in (
        (weft.ContractError, "array 'u' on a rank of 3 owned rows with 4 inner", PretendedRows(owned=3, inner=4)),
        (weft.ContractError, "4 of 3 owned rows are sent to rank 1", PretendedRows(owned=3, neighbours={1: (4, 0)})),
        (weft.ContractError, "array 'u' has rank 2 of 2 as a neighbour", PretendedRows(owned=3, neighbours={2: (1, 1)})),
        (weft.ContractError, "as a neighbour", PretendedRows(owned=3, neighbours={2**31 - 1: (1, 1)})),
        (weft.ContractError, "'u' and 'v' of one ghost plan", {u: PretendedRows(owned=3, neighbours={1: (1, 1)}), v: rows}),
        (weft.InputError, "of array 'u' have owned=-1", PretendedRows(owned=-1)),
        (weft.InputError, "of array 'u' have inner=0.5", PretendedRows(owned=3, inner=0.5)),
        (weft.InputError, "of array 'u' have images='3'", PretendedRows(owned=3, images="3")),
        (weft.InputError, "of array 'u' have boundary=None", PretendedRows(owned=3, boundary=None)),
        (weft.InputError, "have owned=2147483648; pass a whole number from 0", PretendedRows(owned=2**31)),
        (weft.InputError, "have a rank=-1", PretendedRows(owned=3, neighbours={-1: (1, 1)})),
        (weft.InputError, "have sent=-1", PretendedRows(owned=3, neighbours={1: (-1, 1)})),
        (weft.InputError, "have ghosts=None", PretendedRows(owned=3, neighbours={1: (1, None)})),
        (weft.InputError, "has 5 for its neighbour 1", PretendedRows(owned=3, neighbours={1: 5})),
        (weft.InputError, "the neighbours of array 'u' are a list", PretendedRows(owned=3, neighbours=[(1, 1, 1)])),
        (weft.InputError, "rows has no pretended rows of array 'v'", {u: rows}),
        (weft.InputError, "rows is a int; pass PretendedRows", 7),
        (weft.InputError, "rows is a NoneType", None),
        (weft.InputError, "the pretended rows of array 'u' are a dict", lambda array: {"owned": 3}),
        (weft.InputError, "the pretended rows of array 'u' are a NoneType", lambda array: None),
    ):
        with pytest.raises(error, match=problem):
            g.dry(2, wrong)
    with pytest.raises(TypeError):
        PretendedRows(3)
    with pytest.raises(TypeError, match="rows"):
        PretendedRows(rows=3)
    g.compile().run()  # the graph remains usable


def test_an_exception_of_the_function_is_raised(comm, ring):
    g, _ = program(comm, numbered(ring), weft.Array(ring))

    def fails(array):
        raise KeyError("no such block")

    with pytest.raises(KeyError, match="no such block"):
        g.dry(2, fails)


def test_arrays_that_cannot_be_pretended(comm):
    plan = weft.GhostPlan.build(comm, 3)
    csr = weft.Array.csr(plan, [0, 1, 3, 3], np.zeros(3))
    g = weft.task.Graph(comm)
    g.array(csr, "csr")
    with pytest.raises(weft.ContractError, match="the rows of array 'csr' have different sizes"):
        g.dry(2, PretendedRows(owned=3))
    u = weft.Array(plan)
    g = weft.task.Graph(comm)
    g.array(u, "u")
    u.close()
    with pytest.raises(weft.ContractError, match="array 'u' was destroyed"):
        g.dry(2, PretendedRows(owned=3))
