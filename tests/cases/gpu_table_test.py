"""bench/flow/gpu-table: what it makes of the lines of bench_flow_residual, for which a script stands in, and what it says of runs that fail.

    gpu_table_test.py path/to/weft [unittest arguments]
"""
import subprocess
import sys
import unittest

from weft_support import PATIENCE, SOURCE, InFolder

STAND_IN = """#!/usr/bin/env python3
import json, os, sys
cells, device, elements, precision, threads, gradient = sys.argv[1:]
if elements == os.environ.get("BROKEN"):
    sys.exit("weft: error: the GPU is full")
ranks = int(os.environ.get("RANKS", 1))
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


class GpuTable(InFolder):
    def setUp(self):
        super().setUp()
        for name, text in (("bench", STAND_IN), ("mpirun", MPIRUN)):
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)

    def table(self, *options, **variables):
        return subprocess.run([sys.executable, str(SOURCE / "bench" / "flow" / "gpu-table"), *options, "--mpirun", str(self.folder / "mpirun")],
                              capture_output=True, text=True, timeout=PATIENCE, env=variables | {"PATH": "/usr/bin:/bin"})

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

    def test_a_run_fails(self):
        done = self.table(str(self.folder / "bench"), BROKEN="tetrahedra")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: ", done.stderr)
        self.assertIn("the GPU is full", done.stderr)
        self.assertIn("| hexahedra | 2,097,152 |", done.stdout)
        self.assertNotIn("| tetrahedra", done.stdout)

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
