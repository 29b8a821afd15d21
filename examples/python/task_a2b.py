"""Two coupled arrays: ComputeA writes a, ComputeA2BMain computes b in inner cells from owned rows of a, ComputeA2BGhost in border
cells from ghost rows of a as well. The printed plan contains what the graph inserts, with reasons: the pull of a, concurrent with
ComputeA2BMain, and the reduction of the sum of b over the ranks. The result is that of a loop with an exchange by hand.

    python examples/python/task_a2b.py
    mpirun -n 2 python examples/python/task_a2b.py
"""
import numpy as np

import weft

world = weft.world()
mesh = weft.Mesh.generate("box", nx=32, ny=32)
owned, inner = mesh.cells.owned, mesh.cells.inner
offsets, neighbours = mesh.cells.neighbours
SWEEPS = 20


def means(a, first, last):
    """Returns the means of a over each of the cells first ... last - 1 and its neighbours."""
    counts = np.diff(offsets[first : last + 1])
    cells = np.repeat(np.arange(last - first), counts)
    sums = np.bincount(cells, a[neighbours[offsets[first] : offsets[last]]], minlength=last - first)
    return (a[first:last] + sums) / (1 + counts)


def start():
    a, b = weft.Array(mesh.plan), weft.Array(mesh.plan)
    b.owned[:] = (3 * mesh.plan.ids[:owned]) % 17
    return a, b


a, b = start()
g = weft.task.Graph(mesh.comm)
g.array(a, "a", inner=inner)
g.array(b, "b", inner=inner)
total, everything = g.number(name="sum"), g.number(name="all")


@g.task(reads=[(b, "owned")], writes=[a], rows=True, name="ComputeA")
def compute_a(rows, b, a):
    a[rows] = 1 + b[rows] / 2


@g.task(reads=[(a, "owned")], writes=[(b, "inner")], name="ComputeA2BMain")
def compute_inner(a, b):
    b[:inner] = means(a, 0, inner)


@g.task(reads=[a], writes=[(b, "border")], name="ComputeA2BGhost")
def compute_border(a, b):
    b[inner:owned] = means(a, inner, owned)


@g.task(reads=[(b, "owned")], reduces=[(total, "add")], name="Sum")
def add_cells(b, total):
    total[0] += b.sum()


@g.task(reads=[total], reads_writes=[everything], name="Add")
def add_sums(total, everything):
    everything[0] += total


plan = g.compile(threads=2)
plan.run(SWEEPS)

x, y = start()
pull, by_hand = weft.Exchange(mesh.plan, x), 0.0
for _ in range(SWEEPS):
    x.owned[:] = 1 + y.owned / 2
    pull.pull()
    y.owned[:] = means(x.all, 0, owned)
    by_hand += world.sum(float(y.owned.sum()))
same = world.sum(float((b.owned != y.owned).sum())) == 0 and everything.value == by_hand
if world.rank == 0:
    print(plan.text())
    print("the results are", "the same to the last bit" if same else "DIFFERENT")
