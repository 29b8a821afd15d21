"""A kernel of one's own on a GPU by numba.cuda, on device views in the stream of Weft: cells are smoothed over their neighbours.

    mpirun -n 2 python examples/python/numba_kernel.py      # needs GPUs and numba with CUDA (pip install numba-cuda)
"""
import numpy as np
from numba import cuda

import weft


@cuda.jit
def smooth(u, offsets, neighbours, out):
    c = cuda.grid(1)
    if c < out.shape[0]:
        total = 4 * u[c]
        for k in range(offsets[c], offsets[c + 1]):
            total += u[neighbours[k]]
        out[c] = total / (4 + offsets[c + 1] - offsets[c])


@cuda.jit
def copy(source, target):
    c = cuda.grid(1)
    if c < target.shape[0]:
        target[c] = source[c]


world = weft.world()
mesh = weft.Mesh.generate("box", nx=200, ny=100)
owned = mesh.cells.owned
u = weft.Array(mesh.plan, backend="cuda", name="u")
out = weft.Array(mesh.plan, backend="cuda", first="device", name="out")
u.owned[:] = np.sin(7 * mesh.cells.centroid[:owned, 0])
u.to_device()
pull = weft.Exchange(mesh.plan, u)
stream = weft.stream()
numba_stream = cuda.external_stream(stream.ptr)
offsets, neighbours = (cuda.to_device(list_, stream=numba_stream) for list_ in mesh.cells.neighbours)
shape = (owned + 127) // 128, 128
for _ in range(10):
    pull.pull(stream)
    new = out.device("owned")
    smooth[(*shape, numba_stream)](u.device("all", writable=False), offsets, neighbours, new)
    copy[(*shape, numba_stream)](new, u.device("owned"))
u.to_host(stream)
largest = world.max(float(u.view("owned").max()))
if world.rank == 0:
    print(f"{mesh.global_cells} cells on {world.size} ranks: largest {largest:.6f}")
