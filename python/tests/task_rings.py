"""What tests of weft.task have in common: arrays on a ring of ranks."""
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
