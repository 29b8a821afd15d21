"""bench/flow/gpu-counts: what it makes of ncu's lines, for which a script stands in, and what it says of runs that fail.

    gpu_counts_test.py path/to/weft [unittest arguments]
"""
import unittest

from weft_support import BenchScript

NCU = """#!/usr/bin/env python3
import os, sys
bench = sys.argv[sys.argv.index("12", sys.argv.index("--launch-count")) + 1:]
assert bench[0].endswith("bench") and bench[2] == "cuda" and bench[5:] == ["1", "least_squares"], bench
assert os.path.isfile(bench[3]) and os.path.isabs(bench[3]) if "ONLY_FILES" in os.environ else bench[3] in ("quads", "triangles", "hexahedra", "tetrahedra"), bench
if bench[3] == os.environ.get("BROKEN"):
    print("==ERROR== LaunchFailed")
    sys.exit(9)
metrics = sys.argv[sys.argv.index("--metrics") + 1].split(",")
print("==PROF== Connected to process 7")
print("a table of the program")
print('{"rows": [{"elements":"quads","cells":1000}]}')
if bench[3] == os.environ.get("SILENT"):
    sys.exit(0)
if bench[3] == os.environ.get("SLOW"):
    os.system("sleep 600")
if "FORBIDDEN" in os.environ:
    print("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters")
    sys.exit(1)
print(",".join(f'"{name}"' for name in ["ID", "Kernel Name", "Grid Size"] + metrics))
print(",".join('""' for _ in range(3 + len(metrics))))
number = 0
for stage in (1, 2, 3):
    for kernel, blocks in (("gradient_kernel<2>", 50), ("gradient_kernel<2>", 4), ("flux_kernel<2>", 200), ("flux_kernel<2>", 4)):
        us, read, written = (100 * stage, 1000 * stage, 500) if blocks > 4 else (10, 50, 20)
        values = {"gpu__time_duration.sum": f"{us},000.0", "dram__bytes_read.sum": read, "dram__bytes_write.sum": written,
                  "dram__throughput.avg.pct_of_peak_sustained_elapsed": 75.5, "smsp__inst_executed.sum": 2500}
        print(",".join(f'"{x}"' for x in [number, f"void {kernel}(Args)", f"({blocks:,}, 1, 1)"] + [values[name] for name in metrics]))
        number += 1
    if "FEW" in os.environ:
        break
print("==WARNING== Something came late")
"""


class GpuCounts(BenchScript):
    STAND_INS = {"bench": "#!/bin/sh\n", "ncu": NCU}

    def counts(self, *options, **variables):
        return self.script("gpu-counts", self.folder / "bench", "--ncu", self.folder / "ncu", *options, env=variables | {"PATH": "/usr/bin:/bin"})

    def test_means_of_stages_by_kernel_and_tiles(self):
        done = self.counts("--elements", "quads")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = done.stdout.splitlines()[2:]
        self.assertEqual(rows, ["| quads | 1,000 | fp64 | gradients and states | inner | 200 | 2 | 0 | 76% | 2.50 |",
                                "| quads | 1,000 | fp64 | gradients and states | border | 10 | 0 | 0 | 76% | 2.50 |",
                                "| quads | 1,000 | fp64 | fluxes and update | inner | 200 | 2 | 0 | 76% | 2.50 |",
                                "| quads | 1,000 | fp64 | fluxes and update | border | 10 | 0 | 0 | 76% | 2.50 |"])

    def test_every_mesh_and_precision(self):
        done = self.counts("--precision", "fp64,mixed")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 2 + 4 * 2 * 4)

    def test_meshes_of_files(self):
        for name in ("wing.msh", "other.su2"):
            (self.folder / name).touch()
        done = self.counts("--mesh", str(self.folder / "wing.msh"), "--mesh", str(self.folder / "other.su2"), ONLY_FILES="")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = done.stdout.splitlines()[2:]
        self.assertEqual(rows[0], "| wing.msh | 1,000 | fp64 | gradients and states | inner | 200 | 2 | 0 | 76% | 2.50 |")
        self.assertEqual([row.split()[1] for row in rows], ["wing.msh"] * 4 + ["other.su2"] * 4)

    def test_runs_fail(self):
        for variables, says in (({"BROKEN": "tetrahedra"}, "LaunchFailed"), ({"SILENT": "tetrahedra"}, "ncu counted 0 launches")):
            with self.subTest(**variables):
                done = self.counts(**variables)
                self.assertEqual(done.returncode, 1)
                self.assertIn(says, done.stderr)
                self.assertIn("| hexahedra |", done.stdout)
                self.assertNotIn("| tetrahedra |", done.stdout)

    def test_a_run_takes_too_long(self):
        done = self.counts("--elements", "tetrahedra", "--timeout", "2", SLOW="tetrahedra")  # would wait for what sleeps, too
        self.assertEqual(done.returncode, 1)
        self.assertIn("no result after 2 s", done.stderr)

    def test_a_stage_is_missing(self):
        done = self.counts(FEW="")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ncu counted 4 launches, which are not 3 times gradient_kernel, gradient_kernel, flux_kernel", done.stderr)
        self.assertNotIn("| quads |", done.stdout)

    def test_counters_may_not_be_read(self):
        done = self.counts(FORBIDDEN="")
        self.assertEqual(done.returncode, 77)
        self.assertEqual(done.stderr.count("run as root"), 1)

    def test_what_cannot_be(self):
        for options, says in ((["--elements", "quads,cubes"], "no elements cubes: there are quads"), (["--precision", "fp16"], "no precision fp16"),
                              (["--cells", "0"], "--cells"), (["--mesh", "/nowhere/wing.su2"], "no mesh file /nowhere/wing.su2"),
                              (["--mesh", __file__, "--cells", "9"], "--cells is of boxes"), (["--mesh", __file__, "--elements", "quads"], "not allowed with"), (["--ncu", "/nowhere/ncu"], "no program /nowhere/ncu: install Nsight Compute")):
            with self.subTest(options=options):
                done = self.counts(*options)
                self.assertEqual(done.returncode, 2)
                self.assertIn(says, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
