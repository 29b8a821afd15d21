"""Ghost exchange in 20 lines: every rank smooths its part of a ring of values, and its ends need the neighbours' values.

    python examples/python/ghost_exchange.py
    mpirun -n 3 python examples/python/ghost_exchange.py
"""
import numpy as np

import weft

world = weft.world()
n = 1000  # rows per rank
rows = n * world.size
first = n * world.rank
plan = weft.GhostPlan.build(world, n, [(first - 1) % rows, (first + n) % rows])  # the rows before and after
left, right = plan.local  # their local numbers

u, new = weft.Array(plan), weft.Array(plan)
u.owned[:] = np.sin(2 * np.pi * (first + np.arange(n)) / rows) + (first + np.arange(n)) % 2
exchange = weft.Exchange(plan, u)
for _ in range(100):
    with exchange:  # messages travel while the inner rows are computed
        old, smooth = u.owned, new.owned
        smooth[1:-1] = (old[:-2] + 2 * old[1:-1] + old[2:]) / 4
    values, smooth = u.all, new.owned
    smooth[0] = (values[left] + 2 * values[0] + values[1]) / 4
    smooth[-1] = (values[n - 2] + 2 * values[n - 1] + values[right]) / 4
    u.owned[:] = smooth

total, largest = world.sum(float(u.owned.sum())), world.max(float(u.owned.max()))
if world.rank == 0:
    print(f"{rows} rows on {world.size} ranks: mean {total / rows:.6f}, largest {largest:.6f}")
