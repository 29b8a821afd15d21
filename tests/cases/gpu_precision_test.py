"""bench/flow/gpu-precision: what it makes of a run's histories, for which a script writes some, what it says of runs that fail, and weft itself on the host.

    gpu_precision_test.py path/to/weft [unittest arguments]
"""
import unittest

from weft_support import WEFT, BenchScript, environment

STAND_IN = """#!/usr/bin/env python3
import os, pathlib, sys
run, case, _, device = sys.argv[1:5]
assert run == "run" and case.endswith("cases/vortex.toml") and device == "cuda", sys.argv
settings = dict(word.split("=", 1) for word in sys.argv[6::2])
assert set(sys.argv[5::2]) == {"--set"}
folder = pathlib.Path(settings["output.directory"])
assert not folder.exists()
precision, n = settings["numerics.precision"], int(settings["mesh.n"])
if os.environ.get("BROKEN") == f"{n} {precision}":
    sys.exit("weft: error: no GPU")
if os.environ.get("SLOW") == precision:
    os.execvp("sleep", ["sleep", "600"])
folder.mkdir()
mass = {"fp64": "100", "mixed": "100.00000000000001", "fp32": "99.99"}[precision]
if os.environ.get("SILENT") != precision:
    (folder / "errors.csv").write_text(f"step,density_l1\\n5,{os.environ.get('ERROR', 4.54141 / n ** 2)}\\n")
(folder / "integrals.csv").write_text(f"step,time,density\\n0,0,100\\n5,1,77\\n9,2,{mass}\\n")
"""


class GpuPrecision(BenchScript):
    STAND_INS = {"weft": STAND_IN}

    def table(self, *options, weft=None, **variables):
        return self.script("gpu-precision", weft or self.folder / "weft", *options, env=environment() | variables | {"TMPDIR": str(self.folder)})

    def test_the_table(self):
        done = self.table()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines()[0], "| cells | error, fp64 | error, mixed | error, fp32 | mass, fp64 | mass, mixed | mass, fp32 |")
        self.assertEqual(done.stdout.splitlines()[2], "| 64^2 | 1.1087e-3 | 1.1087e-3 | 1.1087e-3 | 0 | 2.2e-16 | 1.0e-4 |")
        self.assertEqual([row.split()[1] for row in done.stdout.splitlines()[2:]], ["64^2", "128^2", "256^2", "512^2"])
        self.assertEqual([file.name for file in self.folder.iterdir()], ["weft"], "results were left")

    def test_runs_fail(self):
        for variables, says in (({"BROKEN": "64 mixed"}, "exit code 1: weft: error: no GPU"), ({"SILENT": "mixed"}, "errors.csv does not give density_l1"),
                                ({"SLOW": "mixed"}, "no result after 2 s")):
            with self.subTest(**variables):
                done = self.table("--n", "64", "--timeout", "2", **variables)
                self.assertEqual(done.returncode, 1)
                self.assertIn(says, done.stderr)
                self.assertIn("| 64^2 | 1.1087e-3 | failed | 1.1087e-3 | 0 | failed | 1.0e-4 |", done.stdout)

    def test_what_is_no_number(self):
        for error in ("nan", "", "text"):
            with self.subTest(error=error):
                done = self.table("--n", "64", "--precision", "fp64", ERROR=error)
                self.assertEqual(done.returncode, 1)
                self.assertIn("errors.csv does not give density_l1", done.stderr)

    def test_what_cannot_be(self):
        for options, says in ((["--n", "64,-1"], "--n takes numbers"), (["--precision", "fp16"], "no precision fp16"),
                              (["--device", "host", "--precision", "mixed"], "no precision mixed on this device (host): there are fp64")):
            with self.subTest(options=options):
                done = self.table(*options)
                self.assertEqual(done.returncode, 2)
                self.assertIn(says, done.stderr)
        done = self.table(weft="/nowhere/weft")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no program /nowhere/weft", done.stderr)

    def test_on_the_host(self):
        done = self.table("--device", "host", "--n", "16,24", weft=WEFT)
        self.assertEqual(done.returncode, 0, done.stderr)
        coarse, fine = (row.strip("| ").split(" | ") for row in done.stdout.splitlines()[2:])
        self.assertLess(float(fine[1]), float(coarse[1]))
        self.assertLess(float(fine[2]), 1e-14)


if __name__ == "__main__":
    unittest.main(verbosity=2)
