"""Common parts of the tests of weft.task: arrays on a ring of ranks, and a graph on them."""
import pytest

import weft

N = 6  # rows per rank


@pytest.fixture
def ring(comm):
    """A plan in which each rank reads the last row of the rank before it and the first one of the rank after it."""
    first, rows = N * comm.rank, N * comm.size
    return weft.GhostPlan.build(comm, N, [(first - 1) % rows, (first + N) % rows])


def numbered(plan):
    a = weft.Array(plan)
    a.owned[:] = plan.ids[: plan.owned] % 5
    return a


def smoother(plan, u, v, threads=1, check=False):
    """A graph that replaces each row by the sum of itself and its two neighbours, modulo 7."""
    left, right = plan.local
    g = weft.task.Graph(plan.comm)

    @g.task(reads=[u], writes=[v])
    def smooth(u, v):
        v[1:-1] = (u[: N - 2] + u[1 : N - 1] + u[2:N]) % 7
        v[0] = (u[left] + u[0] + u[1]) % 7
        v[-1] = (u[N - 2] + u[N - 1] + u[right]) % 7

    @g.task(reads=[(v, "owned")], writes=[u])
    def copy(v, u):
        u[:] = v

    return g.compile(threads, check)
