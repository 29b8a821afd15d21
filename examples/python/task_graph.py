"""Heat equation as a task graph: three functions state what they read and write. The graph inserts the exchange of the temperature,
computes inner cells while it travels, and finds the limit of the time step over all ranks.

    python examples/python/task_graph.py
    mpirun -n 3 python examples/python/task_graph.py
"""
import numpy as np

import weft

world = weft.world()
mesh = weft.Mesh.generate("box", nx=32, ny=32)
offsets, neighbours = mesh.cells.neighbours
owner = np.repeat(np.arange(mesh.cells.owned), np.diff(offsets[: mesh.cells.owned + 1]))  # cell of each entry of `neighbours`

g = weft.task.Graph(mesh.comm)
temperature = g.array(weft.Array(mesh.plan), "temperature", inner=mesh.cells.inner)
rate = g.array(weft.Array(mesh.plan), "rate", inner=mesh.cells.inner)
limit = g.number(name="limit")
temperature.owned[:] = (7 * mesh.plan.ids[: mesh.cells.owned]) % 17
before = world.sum(float(temperature.owned.sum()))


@g.task(reads=[(temperature, "owned")], reduces=[(limit, "min")])
def measure(t, limit):
    limit[0] = min(limit[0], np.min(1 / (1 + t), initial=np.inf))


@g.task(reads=[temperature], writes=[rate], rows=True)
def diffuse(rows, t, rate):
    part = slice(offsets[rows.start], offsets[rows.stop])
    differences = t[neighbours[part]] - t[owner[part]]
    rate[rows] = np.bincount(owner[part] - rows.start, differences, minlength=rows.stop - rows.start)


@g.task(reads=[limit, (rate, "owned")], reads_writes=[temperature], rows=True)
def advance(rows, limit, rate, t):
    t[rows] += 0.2 * limit * rate[rows]


plan = g.compile(threads=2)
plan.run(200)
after, largest = world.sum(float(temperature.owned.sum())), world.max(float(temperature.owned.max()))
if world.rank == 0:
    print(plan.text())
    print(f"heat {before:.6f} before and {after:.6f} after 200 steps; largest temperature {largest:.6f}")
