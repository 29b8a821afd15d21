"""weft.Redistribution."""
import numpy as np
import pytest
from test_exchange import N, numbered, plan  # noqa: F401

import weft


def test_rows_move_to_other_ranks(comm):
    n = 4 + comm.rank
    plan = weft.GhostPlan.build(comm, n)
    a = weft.Array(plan, width=2)
    a.owned[:] = plan.ids[:, None] * [1, 10]
    moves = weft.Redistribution.to_ranks(comm, (np.arange(n) + comm.rank) % comm.size)
    moved = moves.apply(a)
    assert moves.old_rows == n and len(moved) == moves.new_rows and moved.width == 2
    assert (moved.owned[:, 0] == moves.old_ids).all() and (moved.owned[:, 1] == 10 * moves.old_ids).all()
    rows = plan.global_rows
    back = weft.Redistribution.to_rows(comm, rows - 1 - plan.ids, n_of(comm, rows))
    assert (back.apply(a).owned[:, 0] == back.old_ids).all()
    even = weft.Redistribution.to_even_blocks(comm, n).apply(a)
    assert comm.max(len(even)) - comm.min(len(even)) <= 1
    c = weft.Array.csr(plan, np.arange(n + 1), plan.ids)
    assert moves.apply(c).owned[1].tolist() == moves.old_ids.tolist()


def n_of(comm, rows):
    return rows if comm.rank == 0 else 0


def test_misuse_of_redistributions(comm, plan):
    with pytest.raises(weft.InputError, match="to rank"):
        weft.Redistribution.to_ranks(comm, [comm.size])
    with pytest.raises(weft.InputError, match="whole numbers"):
        weft.Redistribution.to_ranks(comm, [0.5])
    with pytest.raises(weft.InputError):
        weft.Redistribution.to_rows(comm, [0, 0], 2)
    moves = weft.Redistribution.to_even_blocks(comm, 3)
    with pytest.raises(weft.ContractError):
        moves.apply(weft.Array(plan))


def test_owned_rows_of_an_array_with_ghosts_move(comm, plan):
    a = numbered(plan)
    weft.Exchange(plan, a).pull()
    moved = weft.Redistribution.to_ranks(comm, np.full(N, comm.size - 1)).apply(a)
    assert len(moved) == (N * comm.size if comm.rank == comm.size - 1 else 0)
    assert (moved.owned == (100 * np.arange(len(moved))) % 251).all()
