"""Named subsets of arrays in weft.task."""
import json

import numpy as np
import pytest
from task_rings import N, numbered, ring  # noqa: F401 (ring is a fixture)

import weft


@pytest.mark.parametrize("check", [False, True])
def test_subsets_are_accessed_by_name(comm, ring, check):
    u = numbered(ring)
    u.owned[:] = 0
    g = weft.task.Graph()
    g.add_subset(u, "ends", [0, N - 1])
    g.add_subset(u, "middle", slice(2, 4))
    g.add_subset(u, "some", np.array([3, 4] if comm.rank == 0 else [], dtype=np.int64))

    @g.task(reads_writes=[(u, "ends")])
    def ends(u):
        assert u.shape == (len(ring.ids),)
        u[[0, N - 1]] += 1

    @g.task(reads_writes=[(u, "middle")])
    def middle(u):
        u[2:4] += 10

    @g.task(reads_writes=[(u, weft.task.without("owned", "ends"))])
    def rest(u):
        u[1 : N - 1] += 100

    plan = g.compile(threads=2, check=check)
    nodes = {node["name"]: node for node in json.loads(plan.json())["repeated"]["nodes"]}
    assert [nodes[name]["waits_for"] for name in ("ends", "middle", "rest")] == [[], [], [1]]
    assert nodes["rest"]["subsets"] == "reads and writes 'array 0' (owned) without 'ends'"
    assert "'middle' of 'array 0': border rows; no rank sends such rows" in plan.text()
    plan.run(2)
    assert u.owned.tolist() == [2, 200, 220, 220, 200, 2]
    outer = weft.task.Graph()
    outer.add_graph("inner", g)
    outer.task(reads=[(u, "some")], name="same name")(lambda u: None)
    outer.compile(check=check).run()
    assert u.owned.tolist() == [3, 300, 330, 330, 300, 3]


def test_accesses_outside_of_a_subset_are_found(comm, ring):
    u = numbered(ring)
    g = weft.task.Graph()
    g.add_subset(u, "ends", [0, N - 1])

    @g.task(reads_writes=[(u, "ends")])
    def ends(u):
        u[1] = 7

    with pytest.raises(weft.ContractError, match=r"it writes the border rows of 'array 0' \(row 1\)"):
        g.compile(check=True).run()


def test_wrong_subsets(comm, ring):
    u, v = numbered(ring), numbered(ring)
    g = weft.task.Graph()
    g.add_subset(u, "ends", [0])
    with pytest.raises(weft.ContractError, match="has a subset 'ends' already"):
        g.add_subset(u, "ends", [1])
    with pytest.raises(weft.ContractError, match="which is that of a part"):
        g.add_subset(u, "ghosts", [1])
    with pytest.raises(weft.ContractError, match="which has no rows"):
        g.add_subset(g.number(), "a", [1])
    with pytest.raises(weft.InputError, match="subset 'a'"):
        g.add_subset(u, "a", [0.5])
    with pytest.raises(weft.InputError, match="without a begin or an end, or with a step"):
        g.add_subset(u, "a", [slice(0, 4, 2)])
    with pytest.raises(weft.InputError, match='unknown range of rows "ends"'):
        g.task(reads=[(v, "ends")], name="of another array")(lambda v: None)
    with pytest.raises(weft.ContractError, match="'array 0' has no subset 'no'"):
        g.task(reads=[(u, weft.task.without("owned", "no"))])(lambda u: None)
    with pytest.raises(weft.InputError, match="reads an array twice"):
        g.task(reads=[(u, "ends"), (u, "ghosts")], on="io")
    for rows, problem in (([1, 1], "row 1 is listed twice"), ([2, 1], "row 1 follows row 2"), ([-5], "row -5 is none"),
                          ([2**40], "is none of the"), (slice(3, 2), "ends before it begins")):
        g = weft.task.Graph()
        g.add_subset(u, "a", rows if comm.rank == comm.size - 1 else [])
        with pytest.raises(weft.ContractError, match=f"subset 'a' of array 'array 0': .*{problem}"):
            g.compile()
