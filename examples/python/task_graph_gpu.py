"""Heat equation as a task graph whose functions work on a GPU with CuPy. Without CuPy or a GPU, a mirror takes its place, and numpy
that of CuPy. The graph inserts the exchange of the temperature, copies of the limit for its reduction over the ranks, and a
copy of the temperature for the function on the host.

    python examples/python/task_graph_gpu.py
    mpirun -n 2 python examples/python/task_graph_gpu.py
"""
import numpy as np

import weft

try:
    import cupy as xp

    weft.stream()
    backend = "cuda"
except (ImportError, weft.DeviceError):
    xp, backend = np, "mirror"

world = weft.world()
mesh = weft.Mesh.generate("box", nx=32, ny=32)
owned = mesh.cells.owned
offsets, neighbours = mesh.cells.neighbours
of_cells = np.repeat(np.arange(owned)[:, None], 4, axis=1)  # the neighbours of a cell, and the cell itself where there are fewer
for cell in range(owned):
    of_cells[cell, : offsets[cell + 1] - offsets[cell]] = neighbours[offsets[cell] : offsets[cell + 1]]
of_cells = xp.asarray(of_cells)

g = weft.task.Graph(mesh.comm)
temperature = g.array(weft.Array(mesh.plan, backend=backend), "temperature", inner=mesh.cells.inner)
rate = g.array(weft.Array(mesh.plan, backend=backend, first="device"), "rate", inner=mesh.cells.inner)
limit = g.number(name="limit", backend=backend)
temperature.owned[:] = (7 * mesh.plan.ids[:owned]) % 17
before, sums = world.sum(float(temperature.owned.sum())), []


@g.task(reads=[(temperature, "owned")], reduces=[(limit, "min")], on="device")
def measure(t, limit):
    t, limit = xp.from_dlpack(t), xp.from_dlpack(limit)
    limit[:] = xp.minimum(limit, (1 / (1 + t)).min())


@g.task(reads=[temperature], writes=[rate], rows=True, on="device")
def diffuse(rows, t, rate):
    t, rate = xp.from_dlpack(t), xp.from_dlpack(rate)
    rate[rows] = (t[of_cells[rows]] - t[rows, None]).sum(axis=1)


@g.task(reads=[limit, (rate, "owned")], reads_writes=[temperature], rows=True, on="device")
def advance(rows, limit, rate, t):
    limit, rate, t = xp.from_dlpack(limit), xp.from_dlpack(rate), xp.from_dlpack(t)
    t[rows] += 0.2 * limit * rate[rows]


@g.task(reads=[(temperature, "owned")])
def watch(t):
    sums.append(t.sum())


plan = g.compile()
plan.run(200)
plan.close()
after, largest = world.sum(float(sums[-1])), world.max(float(temperature.view("owned").max()))
if world.rank == 0:
    print(f"heat {before:.6f} before and {after:.6f} after 200 steps on {backend}; largest temperature {largest:.6f}")
