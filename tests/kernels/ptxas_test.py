"""Checks in the report of ptxas that no kernel of kernels/primitives, kernels/linear and examples/ladders spills registers or has a stack, for sm_90a and sm_80.

    ptxas_test.py NVCC path/to/tree path/to/build [unittest arguments]

A stack or a spill is local memory, which a kernel reads and writes through the caches; ptxas reports both, and serialised matrix
instructions as C75xx. Kernels of all modules are checked for spills where they are built (weft_reject_spills in
cmake/WeftCuda.cmake); the tests check that the build has these options and that they work.
"""
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NVCC, TREE, BUILD = sys.argv.pop(1), Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
ARCHITECTURES = ("90a", "80")
# With an object, not a cubin, which ccache does not store. It stores the report with the object.
OPTIONS = ["-std=c++20", "-O3", "-fmad=false", "--extended-lambda", "--expt-relaxed-constexpr", "-c", "-Xcompiler=-O0", "-Xptxas", "-v",
           *(f"-gencode=arch=compute_{a},code=sm_{a}" for a in ARCHITECTURES)]
COMPILER = [path for path in [shutil.which("ccache")] if path] + [NVCC]
REPORT = re.compile(r"Compiling entry function '(\w+)' for 'sm_(\w+)'.*?"
                    r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", re.S)
SPILLING = """
__global__ void __launch_bounds__(1024, 2) kernel(double* x) {
  double value[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) value[i] = x[threadIdx.x * 64 + i];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 64; ++i) x[threadIdx.x * 64 + i] = value[i] * value[63 - i];
}
"""
NOT_SPILLING = "__global__ void kernel(double* x) { x[threadIdx.x] *= 2; }\n"


def report(source):
    """Returns the rows (kernel, architecture, bytes of stack, of spilled stores, of spilled loads), and the warnings of ptxas."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*COMPILER, *OPTIONS, f"-I{TREE}/src", str(source), "-o", f"{folder}/kernels.o"]
        run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        raise AssertionError(run.stderr)
    return REPORT.findall(run.stderr), re.findall(r".*C75\d\d.*", run.stderr)


def with_local_memory(rows):
    return [row for row in rows if any(int(n) > 0 for n in row[2:])]


class Ptxas(unittest.TestCase):
    def check(self, source, least, names):
        """Checks the kernels of a source: that there are at least `least`, those with these names, and none with local memory."""
        rows, warnings = report(TREE / source)
        for architecture in ARCHITECTURES:
            kernels = [row[0] for row in rows if row[1] == architecture]
            self.assertGreaterEqual(len(kernels), least)
            for name in names:
                self.assertTrue(any(name in kernel for kernel in kernels), f"no {name} in {kernels}")
        self.assertEqual(with_local_memory(rows), [], "(kernel, architecture, bytes of stack, of spilled stores, of spilled loads)")
        self.assertEqual(warnings, [])

    def test_no_primitive_has_local_memory(self):
        self.check("tests/kernels/shipped_kernels.cu", 120,
                   ["scan_kernel", "ordered_scan_kernel", "compact_kernel", "segmented_reduce_kernel",
                    "segment_chunks_kernel", "combine_chunks_kernel", "histogram_kernel", "aos_soa_kernel", "transpose_kernel", "stencil_kernel", "reduce_blocks_kernel",
                    "sort_short_segments_kernel", "sort_tiles_kernel", "merge_tiles_kernel", "star_stencil_kernel",
                    "ApplyLineStencil", "transpose_small_kernel", "transpose_unaligned_kernel", "KeySortTuning", "DeviceRadixSortOnesweepKernel", "ConvertKeys",
                     "vote_kernelILi1024E", "mutex_kernel"])

    def test_no_sort_of_many_keys_has_local_memory(self):
        self.check("src/weft/kernels/primitives/sort_many.cu", 20, ["DeviceRadixSortOnesweepKernel", "StorePosition"])

    def test_no_kernel_of_linear_algebra_has_local_memory(self):
        self.check("src/weft/kernels/linear/bsr_product.cu", 24,
                   ["bsr_multiply_kernel", "bsr_multiply_and_dot_kernel", "bsr_multiply_transposed_kernel"])
        self.check("src/weft/kernels/linear/batched_lu.cu", 28,
                   ["lu_factor_kernel", "lu_solve_kernel", "lu_factor_rows_kernel", "lu_solve_rows_kernel"])
        self.check("src/weft/kernels/linear/batched_product.cu", 21, ["multiply_small_kernel", "multiply_any_kernel"])
        self.check("src/weft/kernels/linear/block_jacobi.cu", 8, ["lu_factor_kernel"])
        self.check("src/weft/kernels/linear/bicgstab.cu", 13,
                   ["HalfStep", "NextDirection", "AddRanks", "FirstResidual", "FullStep", "ComputeAlpha", "ComputeOmega", "EndOfIteration"])
        self.check("src/weft/kernels/linear/gmres.cu", 20,
                   ["gmres_project_kernel", "gmres_subtract_kernel", "gmres_extend_kernel", "gmres_expand_kernel",
                    "gmres_add_tiles_kernel", "AppendColumn", "SolveTriangle", "AddRanks"])
        self.check("src/weft/kernels/linear/colored_factors.cu", 40,
                   ["colored_sweep_kernel", "SplitRow", "EliminateRow", "InvertColumn"])
        self.check("src/weft/kernels/linear/row_colors.cu", 1, ["ColorOrReport"])

    def test_no_step_of_a_ladder_has_local_memory(self):
        self.check("examples/ladders/reduction.cu", 9,
                   ["atomic_sum_kernel", "divergent_sum_kernel", "contiguous_sum_kernel", "shuffle_sum_kernel",
                    "resident_sum_kernel", "wide_sum_kernel"])
        self.check("examples/ladders/transpose.cu", 9,
                   ["naive_transpose_kernel", "tile_transpose_kernelILi32E", "tile_transpose_kernelILi33E", "swizzled_transpose_kernel"])
        self.check("examples/ladders/stencil.cu", 6, ["NaiveStencil", "tile_stencil_kernel", "march_stencil_kernel"])
        self.check("examples/ladders/product.cu", 10,
                   ["entry_product_kernelILb0E", "entry_product_kernelILb1E", "tile_product_kernel", "register_product_kernel",
                    "async_product_kernelILi1E", "async_product_kernelILi4E", "tensor_product_kernelILi1E",
                    "tensor_product_kernelILi8E"])

    def test_a_spill_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "spilling.cu"
            source.write_text(SPILLING)
            found = with_local_memory(report(source)[0])
            self.assertEqual([row[1] for row in found].count("90a"), 1, found)

    def test_the_build_rejects_spills(self):
        modules = TREE / "src" / "weft"
        rules = json.loads((BUILD / "compile_commands.json").read_text())
        rules = [rule for rule in rules if rule["file"].endswith(".cu") and Path(rule["file"]).is_relative_to(modules)]
        self.assertEqual({Path(rule["file"]) for rule in rules}, set(modules.rglob("*.cu")))
        if not all("-Werror=all-warnings" in rule["command"] for rule in rules):
            self.skipTest("warnings are no errors in this build (WEFT_WERROR)")
        for rule in rules:
            self.assertIn("-Xptxas=--warn-on-spills", rule["command"], rule["file"])
            if "code=[compute_80]" in rule["command"]:  # shipped for GPUs before Hopper
                self.assertIn("code=[sm_80]", rule["command"], rule["file"])
        for text, accepted in ((SPILLING, False), (NOT_SPILLING, True)):
            with tempfile.TemporaryDirectory() as folder:
                source = Path(folder) / "kernel.cu"
                source.write_text(text)
                command = shlex.split(rules[0]["command"])
                command[command.index("-c") + 1] = str(source)
                command[command.index("-o") + 1] = f"{folder}/kernel.o"
                run = subprocess.run(command, cwd=rules[0]["directory"], capture_output=True, text=True)
            self.assertEqual(run.returncode == 0, accepted, run.stderr)
            self.assertEqual("Registers are spilled to local memory in function" in run.stderr, not accepted, run.stderr)

    def test_no_module_has_instructions_of_C75xx(self):
        # ptxas reports C75xx, on instructions of several warps and on setmaxnreg, as information, which no option makes an error.
        # A source that uses them has to be compiled by check() above, which searches the report.
        for source in (TREE / "src").rglob("*.[ch]*"):
            self.assertNotRegex(source.read_text(), "wgmma|setmaxnreg", str(source))


if __name__ == "__main__":
    unittest.main()
