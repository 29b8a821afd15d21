"""Asynchronous output: the heat equation of task_graph.py, whose temperature is written in every tenth step. The task that writes
states what it reads; the graph copies these rows, and a thread of its own writes the copy while the steps go on. Each rank writes
its rows at their place in one file per output.

    python examples/python/task_output.py [FOLDER]
    mpirun -n 3 python examples/python/task_output.py [FOLDER]
"""
import sys
import tempfile
from pathlib import Path

import numpy as np

import weft

world = weft.world()
mesh = weft.Mesh.generate("box", nx=32, ny=32)
cells = mesh.cells.owned
offsets, neighbours = mesh.cells.neighbours
owner = np.repeat(np.arange(cells), np.diff(offsets[: cells + 1]))  # cell of each entry of `neighbours`
STEPS, EVERY = 50, 10


def path(step):
    return folder / f"temperature_{step}.bin"


folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.gettempdir()) / f"weft_output_{world.size}"
if world.rank == 0:  # the ranks write into files that exist
    folder.mkdir(parents=True, exist_ok=True)
    for step in range(EVERY, STEPS + 1, EVERY):
        path(step).write_bytes(b"")
world.barrier()

g = weft.task.Graph(mesh.comm)
temperature = g.array(weft.Array(mesh.plan), "temperature", inner=mesh.cells.inner)
rate = g.array(weft.Array(mesh.plan), "rate", inner=mesh.cells.inner)
temperature.owned[:] = (7 * mesh.plan.ids[:cells]) % 17
before = world.sum(float(temperature.owned.sum()))
first = int(mesh.plan.ids[0]) if cells > 0 else 0  # the owned cells of a rank have consecutive numbers


@g.task(reads=[(temperature, "owned")], on="io", every=EVERY)
def write(step, t):
    with open(path(step), "r+b") as file:
        file.seek(first * t.itemsize)
        file.write(t)


@g.task(reads=[temperature], writes=[rate], rows=True)
def diffuse(rows, t, rate):
    part = slice(offsets[rows.start], offsets[rows.stop])
    differences = t[neighbours[part]] - t[owner[part]]
    rate[rows] = np.bincount(owner[part] - rows.start, differences, minlength=rows.stop - rows.start)


@g.task(reads=[(rate, "owned")], reads_writes=[temperature], rows=True)
def advance(rows, rate, t):
    t[rows] += 0.1 * rate[rows]


plan = g.compile()
plan.run(STEPS)  # returns when all outputs are written
world.barrier()
if world.rank == 0:
    print(plan.text())
    for step in range(EVERY, STEPS + 1, EVERY):
        written = np.fromfile(path(step))
        print(f"step {step}: {len(written)} cells, heat {written.sum():.6f} of {before:.6f}, largest {written.max():.3f}")
        path(step).unlink()
