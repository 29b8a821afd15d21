"""Two coupled arrays with a reduction into ghost rows: basins of water and channels between them. A channel moves a seventh of the
difference of the two levels, rounded to a whole number. Each rank computes the channels that begin in its basins; what flows into
a basin of another rank is added to a ghost row. The graph inserts the pull of the levels, and, before "rise", the push that adds
the contributions of all ranks. The levels are exactly those of a serial loop, on any number of ranks.

    python examples/python/task_coupled.py
    mpirun -n 2 python examples/python/task_coupled.py
"""
import numpy as np

import weft

BASINS, STEPS = 1000, 50
world = weft.world()
first, last = (BASINS * rank // world.size for rank in (world.rank, world.rank + 1))
basins = np.arange(BASINS)
channels = np.stack([(basins + 1) % BASINS, (7 * basins + 3) % BASINS], axis=1)  # where those of each basin end
at_first = (basins * 7919 % 10007).astype(float)


def flow(level, gain, begin, end):
    """Adds what flows through channels to the gains of the basins at their ends."""
    water = np.round((level[begin] - level[end]) / 7)
    np.add.at(gain, begin, -water)
    np.add.at(gain, end, water)


ends = channels[first:last].ravel()
rows = weft.GhostPlan.build(world, last - first, ends)
begin, end = np.repeat(np.arange(last - first), 2), rows.local
g = weft.task.Graph(world)
level = g.array(weft.Array(rows), "level")
gain = g.array(weft.Array(rows), "gain")
level.owned[:] = at_first[first:last]


@g.task(writes=[gain])
def clear(gain):
    gain[:] = 0


@g.task(reads=[level], reduces=[(gain, "add")], name="flow")
def flow_of_rank(level, gain):
    flow(level, gain, begin, end)


@g.task(reads=[(gain, "owned")], reads_writes=[level])
def rise(gain, level):
    level += gain


plan = g.compile()
plan.run(STEPS)

expected = at_first.copy()
for _ in range(STEPS):
    change = np.zeros(BASINS)
    flow(expected, change, np.repeat(basins, 2), channels.ravel())
    expected += change
same = world.sum(float((level.owned != expected[first:last]).sum())) == 0
if world.rank == 0:
    print(plan.text())
    print("the levels are", "those of a serial loop" if same else "WRONG")
