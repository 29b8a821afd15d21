"""A kernel of one's own on a GPU by Triton, on device views in the stream of Weft: cells are smoothed over their neighbours.

    mpirun -n 2 python examples/python/triton_kernel.py      # needs GPUs, PyTorch and Triton
"""
import numpy as np
import torch
import triton
import triton.language as tl

import weft


@triton.jit
def smooth(u, offsets, neighbours, out, cells, BLOCK: tl.constexpr):
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = c < cells
    first = tl.load(offsets + c, mask=inside, other=0)
    count = tl.load(offsets + c + 1, mask=inside, other=0) - first
    total = 4 * tl.load(u + c, mask=inside, other=0.0)
    for k in range(4):  # a cell of this mesh has at most four neighbours
        present = inside & (k < count)
        neighbour = tl.load(neighbours + first + k, mask=present, other=0)
        total += tl.load(u + neighbour, mask=present, other=0.0)
    tl.store(out + c, total / (4 + count), mask=inside)


world = weft.world()
mesh = weft.Mesh.generate("box", nx=200, ny=100)
owned = mesh.cells.owned
u = weft.Array(mesh.plan, backend="cuda", name="u")
out = weft.Array(mesh.plan, backend="cuda", first="device", name="out")
u.owned[:] = np.sin(7 * mesh.cells.centroid[:owned, 0])
u.to_device()
pull = weft.Exchange(mesh.plan, u)
stream = weft.stream()
with torch.cuda.stream(torch.cuda.ExternalStream(stream.ptr)):
    offsets, neighbours = (torch.tensor(np.asarray(list_), device="cuda") for list_ in mesh.cells.neighbours)
    for _ in range(10):
        pull.pull(stream)
        old, new = torch.from_dlpack(u.device("all")), torch.from_dlpack(out.device("owned"))
        smooth[(triton.cdiv(owned, 128),)](old, offsets, neighbours, new, owned, BLOCK=128)
        torch.from_dlpack(u.device("owned")).copy_(new)
u.to_host(stream)
largest = world.max(float(u.view("owned").max()))
if world.rank == 0:
    print(f"{mesh.global_cells} cells on {world.size} ranks: largest {largest:.6f}")
