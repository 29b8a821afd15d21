"""A kernel of one's own on a GPU: a CuPy RawKernel on device views, in the stream of Weft.

    mpirun -n 2 python examples/python/raw_kernel.py      # needs GPUs and CuPy

With CUPY_CUDA_ARRAY_INTERFACE_SYNC=0 nothing waits on the host: without it CuPy does in asarray().
"""
import cupy
import numpy as np

import weft

SMOOTH = cupy.RawKernel(
    r"""
    extern "C" __global__ void smooth(const double* u, const long long* offsets, const int* neighbours, double* out, int cells) {
      const int c = blockIdx.x * blockDim.x + threadIdx.x;
      if (c >= cells) return;
      double sum = 4 * u[c];
      for (long long k = offsets[c]; k < offsets[c + 1]; ++k) sum += u[neighbours[k]];
      out[c] = sum / (4 + (offsets[c + 1] - offsets[c]));
    }
    """,
    "smooth",
)

world = weft.world()
mesh = weft.Mesh.generate("box", nx=200, ny=100)
owned = mesh.cells.owned
u = weft.Array(mesh.plan, backend="cuda", name="u")
out = weft.Array(mesh.plan, backend="cuda", name="out")
u.owned[:] = np.sin(7 * mesh.cells.centroid[:owned, 0])
u.to_device()
out.to_device()
pull = weft.Exchange(mesh.plan, u)
stream = weft.stream()
with cupy.cuda.ExternalStream(stream.ptr):
    offsets, neighbours = (cupy.asarray(list_) for list_ in mesh.cells.neighbours)
    for _ in range(10):
        pull.pull(stream)
        new, old = cupy.asarray(out.device()), cupy.asarray(u.device("all", writable=False))
        SMOOTH(((owned + 127) // 128,), (128,), (old, offsets, neighbours, new, np.int32(owned)))
        cupy.asarray(u.device("owned"))[:] = new[:owned]
u.to_host(stream)
largest = world.max(float(u.view("owned").max()))
if world.rank == 0:
    print(f"{mesh.global_cells} cells on {world.size} ranks: largest {largest:.6f}")
