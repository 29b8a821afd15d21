"""Kernels of test_task_device.py: Triton reads their source, and finds names of their module only."""
import triton
import triton.language as tl


@triton.jit
def smooth_ring(u, v, left, right, rows, BLOCK: tl.constexpr):
    """As the first task of smoother(): the sum of a row and its two neighbours, modulo 7; rows <= BLOCK."""
    row = tl.arange(0, BLOCK)
    inside = row < rows
    before = tl.where(row == 0, left, row - 1)
    behind = tl.where(row == rows - 1, right, row + 1)
    total = tl.load(u + before, mask=inside, other=0.0) + tl.load(u + row, mask=inside, other=0.0)
    total += tl.load(u + behind, mask=inside, other=0.0)
    tl.store(v + row, total - 7 * tl.floor(total / 7), mask=inside)
