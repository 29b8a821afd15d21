"""bench/flow/gpu-table: what it makes of the lines of bench_flow_residual, for which a script stands in, and what it says of runs that fail.

    gpu_table_test.py path/to/weft [unittest arguments]
"""
import unittest

from weft_support import BenchScript

STAND_IN = """#!/usr/bin/env python3
import json, os, sys
cells, device, elements, precision, threads, gradient = sys.argv[1:]
ranks = int(os.environ.get("RANKS", 1))
with open(os.path.join(os.path.dirname(sys.argv[0]), "runs"), "a") as runs:
    print(ranks, cells, os.path.basename(elements), precision, gradient, file=runs)
if elements == os.environ.get("BROKEN") or ("ALONE" in os.environ and ranks == 1):
    sys.exit("weft: error: the GPU is full")
if elements.endswith(".su2"):
    assert os.path.isabs(elements)
    cells = 12345
kinds = ["least_squares", "green_gauss"] if gradient == "both" else [gradient]
print("some table")
print(json.dumps({"bench": "flow/residual", "ranks": ranks, "copy_bytes_per_s": 4e12, "rows": [
    {"gradient": kind, "cells": int(cells), "in_step_per_s": 3e9 * ranks ** 0.5, "bytes": 1000, "mesh_s": 1.25, "solver_s": 2} for kind in kinds]}))
if elements == os.environ.get("BROKEN_LATE"):
    sys.exit("weft: error: a rank was killed")
"""
MPIRUN = """#!/bin/sh
while [ "$1" != -n ]; do shift; done
RANKS=$2; export RANKS; shift 2; exec "$@"
"""


class GpuTable(BenchScript):
    STAND_INS = {"bench": STAND_IN, "mpirun": MPIRUN}

    def table(self, *options, **variables):
        return self.script("gpu-table", *options, "--mpirun", self.folder / "mpirun", env=variables | {"PATH": "/usr/bin:/bin"})

    def runs(self):
        """Ranks, cells asked for, elements, precision and gradient of each run."""
        return [tuple(line.split()) for line in (self.folder / "runs").read_text().splitlines()]

    def test_one_gpu(self):
        done = self.table(str(self.folder / "bench"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| hexahedra | 2,097,152 | fp64 | 3,000 | 3,000 | 75% | 1.2 | 2.0 |", done.stdout)
        self.assertEqual(done.stdout.count("| fp32 |"), 4)
        self.assertNotIn("Several GPUs", done.stdout)

    def test_several_gpus(self):
        done = self.table(str(self.folder / "bench"), "--gpus", "4", "--full")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| hexahedra | 8,388,608 | fp64 | least_squares | 4 | 6,000 | 50.0% | 1.2 |", done.stdout)
        self.assertIn("| hexahedra | 16,777,216 | fp64 | green_gauss | 2 | 4,243 | 70.7% | 1.2 |", done.stdout)
        self.assertIn("| hexahedra | 134,217,728 | 4 | 6,000 | 1.2 | 2.0 |", done.stdout)
        weak, strong = (done.stdout.split(f"Several GPUs, {what} scaling of large meshes")[1].split("\n\n")[1].splitlines()[2:] for what in ("weak", "strong"))
        self.assertEqual(len(weak), 4 * 2)
        self.assertIn("| tetrahedra | 40,443,816 | fp64 | least_squares | 4 | 6,000 | 50.0% | 1.2 |", weak)
        self.assertEqual(len(strong), (4 + 1) * 2)
        self.assertIn("| quads | 16,777,216 | fp64 | least_squares | 2 | 4,243 | 70.7% | 1.2 |", strong)
        self.assertIn("| triangles | 8,000,000 | fp64 | least_squares | 4 | 6,000 | 50.0% | 1.2 |", strong)
        self.assertEqual(len(self.runs()), len(set(self.runs())), "a run was made twice")

    def test_the_huge_mesh_is_the_large_one_of_eight(self):
        done = self.table(str(self.folder / "bench"), "--gpus", "8", "--full", "--elements", "hexahedra")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| hexahedra | 134,217,728 | 8 | 8,485 | 1.2 | 2.0 |", done.stdout)
        self.assertEqual(sum(cells == "134217728" for _, cells, *_ in self.runs()), 1)

    def test_one_part_of_one_kind(self):
        done = self.table(str(self.folder / "bench"), "--gpus", "2", "--only", "strong", "--elements", "tetrahedra")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines()[-1], "| tetrahedra | 10,110,954 | fp64 | least_squares | 2 | 4,243 | 70.7% | 1.2 |")
        self.assertEqual(self.runs(), [("1", "10110954", "tetrahedra", "fp64", "least_squares"), ("2", "10110954", "tetrahedra", "fp64", "least_squares")])

    def test_meshes_of_files(self):
        for name in ("wing.su2", "quads.su2"):
            (self.folder / name).touch()
        done = self.table(str(self.folder / "bench"), "--gpus", "2", "--only", "mesh", "--mesh", str(self.folder / "wing.su2"), "--mesh", str(self.folder / "quads.su2"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| wing.su2 | 12,345 | mixed | 3,000 | 3,000 | 75% | 1.2 | 2.0 |", done.stdout)
        self.assertIn("| quads.su2 | 12,345 | fp64 | green_gauss | 2 | 4,243 | 70.7% | 1.2 |", done.stdout)
        self.assertEqual({elements for _, _, elements, *_ in self.runs()}, {"wing.su2", "quads.su2"})
        self.assertEqual(len(self.runs()), 2 * (3 + 2))

    def test_a_mesh_is_not_left_out_unasked(self):
        (self.folder / "wing.su2").touch()
        done = self.table(str(self.folder / "bench"), "--mesh", str(self.folder / "wing.su2"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| wing.su2 | 12,345 | fp32 |", done.stdout)
        self.assertIn("| quads | 1,048,576 | fp32 |", done.stdout)

    def test_what_cannot_be(self):
        for options, says in ((["--only", "one,all"], "no part all: there are one, large"), (["--elements", "cubes"], "no elements cubes: there are quads"),
                              (["--only", "mesh"], "--mesh FILE"), (["--mesh", "/nowhere/wing.su2"], "no mesh file /nowhere/wing.su2"),
                              (["--only", "strong"], "nothing to run on one GPU"), (["--only", "one", "--full"], "give one"), (["--gpus", "0"], "at least 1")):
            with self.subTest(options=options):
                done = self.table(str(self.folder / "bench"), *options)
                self.assertEqual(done.returncode, 2)
                self.assertIn(says, done.stderr)

    def test_a_run_fails(self):
        done = self.table(str(self.folder / "bench"), BROKEN="tetrahedra")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: ", done.stderr)
        self.assertIn("the GPU is full", done.stderr)
        self.assertIn("| hexahedra | 2,097,152 |", done.stdout)
        self.assertNotIn("| tetrahedra", done.stdout)

    def test_one_gpu_fails_where_two_do_not(self):
        done = self.table(str(self.folder / "bench"), "--gpus", "2", "--only", "strong", "--elements", "quads", ALONE="fails")
        self.assertEqual(done.returncode, 1)
        self.assertIn("| quads | 16,777,216 | fp64 | least_squares | 2 | 4,243 |  | 1.2 |", done.stdout)

    def test_a_run_fails_when_all_is_printed(self):
        done = self.table(str(self.folder / "bench"), BROKEN_LATE="quads")
        self.assertEqual(done.returncode, 1)
        self.assertIn("a rank was killed", done.stderr)
        self.assertNotIn("| quads", done.stdout)

    def test_no_program(self):
        done = self.table(str(self.folder / "nothing"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("WEFT_BUILD_BENCH", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
