"""bench/flow/gpu-output: what it makes of a run's record, for which a script writes some, what it says of runs that fail, and weft itself on the host.

    gpu_output_test.py path/to/weft [unittest arguments]
"""
import unittest

from weft_support import WEFT, BenchScript, environment

STAND_IN = """#!/usr/bin/env python3
import json, os, pathlib, sys
run, case, _, device = sys.argv[1:5]
assert run == "run" and case.endswith("cases/vortex.toml") and device == "cuda", sys.argv
settings = dict(word.split("=", 1) for word in sys.argv[6::2])
assert set(sys.argv[5::2]) == {"--set"}
assert settings["mesh.n"] == "1024" and settings["output.checkpoint_seconds"] == "0" and settings["output.exact_errors"] == "false", settings
folder = pathlib.Path(settings["output.directory"])
assert not folder.exists()
steps = int(settings["stop.steps"])
kind, more = "none", 0
if settings["output.integrals"] == "true":
    assert settings["output.history_steps"] == "10"
    kind, more = "integrals", 0.059
if "output.field_steps" in settings:
    kind, more = "fields", 0.25
if "output.checkpoint_steps" in settings:
    kind, more = "checkpoints", 0
if os.environ.get("BROKEN") == kind:
    sys.exit("weft: error: no GPU")
if os.environ.get("SLOW") == kind:
    os.execvp("sleep", ["sleep", "600"])
folder.mkdir()
if kind == "fields":
    (folder / "fields_000600.hdf").write_bytes(bytes(1_500_000))
if os.environ.get("SILENT") != kind:
    count = pathlib.Path(os.environ["TMPDIR"]) / f"count_{kind}"
    before = len(count.read_text()) if count.exists() else 0
    count.write_text("x" * (before + 1))
    more += [0.5, 0, 0][before]  # the first run is slow, of which the median must not know
    (folder / "checkpoint.h5").write_bytes(bytes(500_000))
    step = steps - 1 if os.environ.get("SHORT") == kind else steps
    seconds = {"mesh": 1, "ready": 2.5, "stepping": 0.5 + more, "wall": 3.25 + more}
    (folder / "run.json").write_text(json.dumps({"calls": [{"step": step, "seconds": seconds, "cell_residuals_per_second": 2e9}]}))
"""


class GpuOutput(BenchScript):
    STAND_INS = {"weft": STAND_IN}

    def table(self, *options, weft=None, **variables):
        return self.script("gpu-output", weft or self.folder / "weft", *options, env=environment() | variables | {"TMPDIR": str(self.folder)})

    def test_the_table(self):
        done = self.table()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines(), [
            "1024^2 quads, 600 steps, medians of 3", "",
            "| output | s after starting up | s of stepping | M cell-residuals/s | more, % | more, ms each | MB each |",
            "| --- | --- | --- | --- | --- | --- | --- |",
            "| none | 0.750 | 0.500 | 2000 |  |  |  |",
            "| integrals every 10 | 0.809 | 0.559 | 2000 | 11.8 | 1.00 |  |",
            "| fields every 100 | 1.000 | 0.750 | 2000 | 50.0 | 50.00 | 1.50 |",
            "| checkpoints every 100 | 0.750 | 0.500 | 2000 | 0.0 | 0.00 | 0.50 |"])
        self.assertEqual({file.name for file in self.folder.iterdir()},
                         {"weft", "count_none", "count_integrals", "count_fields", "count_checkpoints"}, "results were left")

    def test_runs_fail(self):
        for variables, says in (({"BROKEN": "fields"}, "exit code 1: weft: error: no GPU"), ({"SILENT": "fields"}, "run.json"),
                                ({"SHORT": "fields"}, "599 steps instead of 600"), ({"SLOW": "fields"}, "no result after 2 s")):
            with self.subTest(**variables):
                for count in self.folder.glob("count_*"):
                    count.unlink()
                done = self.table("--timeout", "2", **variables)
                self.assertEqual(done.returncode, 1)
                self.assertIn(says, done.stderr)
                self.assertIn("| fields every 100 | failed | failed |", done.stdout)
                self.assertIn("| checkpoints every 100 | 0.750 |", done.stdout)

    def test_without_the_run_that_others_are_compared_with(self):
        done = self.table(BROKEN="none")
        self.assertEqual(done.returncode, 1)
        self.assertIn("| none | failed |", done.stdout)
        self.assertIn("| fields every 100 | 1.000 | 0.750 | 2000 |  |  | 1.50 |", done.stdout)

    def test_what_cannot_be(self):
        for options, says in ((["--n", "-1"], "-1 is less than 1"), (["--every", "many"], "invalid at_least_one value: 'many'"),
                              (["--steps", "100"], "nothing is written before the end")):
            with self.subTest(options=options):
                done = self.table(*options)
                self.assertEqual(done.returncode, 2)
                self.assertIn(says, done.stderr)
        done = self.table(weft="/nowhere/weft")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no program /nowhere/weft", done.stderr)

    def test_on_the_host(self):
        done = self.table("--device", "host", "--n", "16", "--steps", "6", "--every", "2", "--rows", "1", "--repeats", "1", weft=WEFT)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [row.strip("| ").split(" | ") for row in done.stdout.splitlines()[4:]]
        self.assertEqual([row[0] for row in rows], ["none", "integrals every 1", "fields every 2", "checkpoints every 2"])
        for row in rows:
            self.assertGreater(float(row[1]), 0)
        self.assertGreater(float(rows[2][-1]), 0)
        self.assertGreater(float(rows[3][-1]), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
