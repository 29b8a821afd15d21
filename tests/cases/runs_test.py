"""Runs as users start them: every case of cases/, on several ranks, gone on with after an end.

    runs_test.py path/to/weft [unittest arguments]
"""
import ctypes
import json
import shutil
import signal
import unittest

from weft_support import CASES, COARSE, FAILED, MESHES, USAGE, InFolder, ranks, sets


class EveryCase(InFolder):
    def test_runs_coarsely(self):
        self.assertEqual(sorted(file.stem for file in CASES.glob("*.toml")), sorted(COARSE))
        for name in COARSE:
            with self.subTest(case=name):
                more = []
                if name in MESHES:
                    self.make_mesh(f"{name}.su2", *MESHES[name])
                    more = [f"mesh.file={name}.su2"]
                arguments = self.coarse(name, *more)
                self.assertIn("good", self.weft("check", *arguments))
                self.assertIn("step 5", self.weft("run", *arguments))
                kept = {file.name for file in (self.folder / name).iterdir()}
                self.assertLessEqual({"case.toml", "checkpoint.h5", "residuals.csv", "fields_00000000.hdf",
                                      "fields_00000005.hdf"}, kept)
                # The effective case is a case: it gives the same run.
                again = [self.folder / name / "case.toml", *sets(f"output.directory={name}_again")]
                self.weft("run", *again)
                self.assert_same_end(name, f"{name}_again")

    def test_reaches_its_own_criterion(self):
        for name in COARSE:
            with self.subTest(case=name):
                case = self.own_stop(name)
                printed = self.weft("run", *case, "--strict")  # fails where the verdict is not good
                self.assertRegex(printed, r"verdict: (converged|complete): ")

    def own_stop(self, name):
        """The arguments that choose a case on a coarse mesh, with the steps and criteria that it has itself."""
        more = []
        if name in MESHES:
            self.make_mesh(f"{name}.su2", *MESHES[name])
            more = [f"mesh.file={name}.su2"]
        finer = {"wedge": ["mesh.nx=48", "mesh.ny=32"]}  # fine enough for a limiter that stalls to stall
        return [CASES / f"{name}.toml", *sets(*finer.get(name, COARSE[name]), f"output.directory={name}", *more)]

    def make_mesh(self, file, generator, parameters, names):
        self.weft("mesh", "generate", generator, file, *[word for p in parameters for word in ("-p", p)])
        lines = (self.folder / file).read_text().splitlines()
        for i, line in enumerate(lines):
            if line.startswith("MARKER_TAG="):
                name = line.partition("=")[2].strip()
                lines[i] = f"MARKER_TAG= {names.get(name, name)}"
        (self.folder / file).write_text("\n".join(lines) + "\n")

    def test_a_far_field_by_pattern_keeps_its_vortex(self):
        """Resumed between two updates of the circulation, which the checkpoint holds."""
        text = (CASES / "naca0012.toml").read_text()
        (self.folder / "naca.toml").write_text(text.replace("[boundary.farfield]", '[boundary."far*"]'))
        def run(results, steps, *more):
            self.weft("run", "naca.toml", *sets(*COARSE["naca0012"], f"stop.steps={steps}", "output.history_steps=10",
                                             f"output.directory={results}"), *more)
        run("whole", 50)
        run("parts", 30)
        run("parts", 50, "--resume")
        self.assert_same_end("whole", "parts")

    def test_writes_what_it_is_asked_for(self):
        self.weft("run", *self.coarse("wedge", "output.history_steps=2", "output.integrals=true", "output.field_steps=2",
                                      "output.checkpoint_steps=3", "output.precision=single", steps=6))
        self.assertEqual([row["step"] for row in self.rows("wedge/residuals.csv")], ["2", "4", "6"])
        for file in ("forces", "probes", "integrals"):
            self.assertEqual([row["step"] for row in self.rows(f"wedge/{file}.csv")], ["0", "2", "4", "6"])
        fields = sorted(file.name for file in (self.folder / "wedge").glob("fields_*"))
        self.assertEqual(fields, [f"fields_0000000{step}.hdf" for step in (0, 2, 4, 6)])

    def test_field_times_are_met(self):
        self.weft("run", *self.coarse("vortex", "stop.time=0.1", "output.field_interval=0.04", "output.history_steps=1",
                                      steps=1000))
        times = [float(row["time"]) for row in self.rows("vortex/residuals.csv")]
        for wanted in (0.04, 0.08, 0.1):
            self.assertTrue(any(abs(t - wanted) < 1e-12 for t in times), (wanted, times))
        self.assertEqual(len(list((self.folder / "vortex").glob("fields_*"))), 4)


class ManyRanks(InFolder):
    def totals(self, folder):
        last = self.rows(f"{folder}/integrals.csv")[-1]
        return {name: float(value) for name, value in last.items()}

    def test_three_ranks_give_the_results_of_one(self):
        for n, folder in ((1, "one"), (3, "three")):
            self.weft("run", *self.coarse("vortex", "output.history_steps=5", results=folder, steps=20), *ranks(n))
        one, three = self.totals("one"), self.totals("three")
        for name, value in one.items():
            self.assertAlmostEqual(three[name], value, delta=1e-10 * max(1, abs(value)), msg=name)
        a, b = (self.rows(f"{folder}/errors.csv")[-1] for folder in ("one", "three"))
        self.assertAlmostEqual(float(a["density_l2"]), float(b["density_l2"]), delta=1e-12)

    def test_more_ranks_than_cells(self):
        for n, folder in ((1, "one"), (4, "four")):
            self.weft("run", *self.coarse("sod", "mesh.nx=2", "output.integrals=true", results=folder), *ranks(n))
        one, four = self.totals("one"), self.totals("four")
        for name, value in one.items():
            self.assertAlmostEqual(four[name], value, delta=1e-12, msg=name)

    def test_options_for_the_launcher_may_be_its_own(self):
        self.weft("info", *ranks(2), "--mpirun-options", "--bind-to none --oversubscribe --mca mpi_yield_when_idle 0")

    def test_starts_ranks_on_a_machine_without_ssh(self):
        programs = self.folder / "bin"
        programs.mkdir()
        for name in ("mpirun", "orted"):
            (programs / name).symlink_to(shutil.which(name))
        self.assertRegex(self.weft("info", *ranks(2), PATH=str(programs)), r"ranks +2")

    def test_info_counts_ranks(self):
        self.assertRegex(self.weft("info", *ranks(2)), r"ranks +2 \(2 on this machine\)")


class Restart(InFolder):
    def test_is_bitwise_the_uninterrupted_run(self):
        for name, n in (("wedge", 1), ("vortex", 2)):
            with self.subTest(case=name):
                often = ["output.history_steps=1", "output.integrals=true"]
                self.weft("run", *self.coarse(name, *often, steps=14, results=f"{name}_whole"), *ranks(n))
                self.weft("run", *self.coarse(name, *often, steps=6, results=f"{name}_parts"), *ranks(n))
                printed = self.weft("run", *self.coarse(name, *often, steps=14, results=f"{name}_parts"), "--resume", *ranks(n))
                self.assertIn("at step 6", printed)
                self.assert_same_end(f"{name}_whole", f"{name}_parts")

    def test_on_another_number_of_ranks(self):
        self.weft("run", *self.coarse("vortex", "output.history_steps=2", steps=6, results="parts"))
        self.weft("run", *self.coarse("vortex", "output.history_steps=2", steps=12, results="parts"), "--resume", *ranks(2))
        self.weft("run", *self.coarse("vortex", "output.history_steps=2", steps=12, results="whole"))
        a, b = self.rows("whole/residuals.csv"), self.rows("parts/residuals.csv")
        self.assertEqual([row["step"] for row in a], [row["step"] for row in b])
        for left, right in zip(a, b):
            self.assertAlmostEqual(float(left["density"]), float(right["density"]), delta=1e-12 * float(left["density"]) + 1e-14)

    def test_with_changed_keys_lists_them(self):
        self.weft("run", *self.coarse("wedge"))
        same = self.weft("run", *self.coarse("wedge", steps=6), "--resume")
        self.assertEqual([line for line in same.splitlines() if "changed" in line],
                         ["changed since that checkpoint: stop.steps was 5, is 6"])
        before = (self.folder / "wedge" / "case.toml").read_bytes()
        for launch in ([], ranks(3)):
            faster = [*self.coarse("wedge", "numerics.cfl=0.7", "output.integrals=true", steps=8), "--resume", *launch]
            refused = self.weft("run", *faster, code=FAILED)
            self.assertIn("changes the physics: numerics.cfl was 0.6 and is 0.7; give these keys their former values, or --accept-changes", refused)
            self.assertEqual(refused.count("--accept-changes"), 1)
            self.assertEqual((self.folder / "wedge" / "case.toml").read_bytes(), before)
        listed = self.weft("run", *faster, "--accept-changes")
        self.assertIn("changed since that checkpoint: numerics.cfl was 0.6, is 0.7\n", listed)
        self.assertIn("changed since that checkpoint: output.integrals was false, is true\n", listed)
        changes = json.loads((self.folder / "wedge" / "run.json").read_text())["calls"][-1]["changes"]
        self.assertIn({"key": "numerics.cfl", "before": "0.6", "now": "0.7"}, changes)
        self.assertIn("--resume", self.weft("run", *self.coarse("wedge"), "--accept-changes", code=USAGE))

    def test_refuses_another_mesh_and_a_damaged_checkpoint(self):
        self.weft("run", *self.coarse("sod"))
        self.assertIn("checkpoint.h5", self.weft("run", *self.coarse("sod", "mesh.nx=50"), "--resume", code=FAILED))
        file = self.folder / "sod" / "checkpoint.h5"
        file.write_bytes(file.read_bytes()[:500])
        self.assertIn("checkpoint.h5", self.weft("run", *self.coarse("sod"), "--resume", code=FAILED))

    def test_takes_the_checkpoint_before_a_damaged_one(self):
        case = lambda steps, results: self.coarse("vortex", "output.checkpoint_steps=4", steps=steps, results=results)
        self.weft("run", *case(10, "whole"))
        self.weft("run", *case(8, "parts"))
        newest = self.folder / "parts" / "checkpoint.h5"
        data = bytearray(newest.read_bytes())
        for at in range(len(data) // 2, len(data), 97):  # rows, wherever they are
            data[at] ^= 0x40
        newest.write_bytes(data)
        (self.folder / "parts" / "fields_00000008.hdf.part").write_bytes(b"what a kill leaves")
        printed = self.weft("run", *case(10, "parts"), "--resume", *ranks(2))
        self.assertIn("taking the checkpoint before it", printed)
        self.assertIn("checkpoint_previous.h5 at step", printed)
        self.assertEqual(list((self.folder / "parts").glob("*.part")), [])
        whole, parts = self.rows("whole/residuals.csv"), self.rows("parts/residuals.csv")
        self.assertEqual([row["step"] for row in whole], [row["step"] for row in parts])
        for name in ("checkpoint.h5", "checkpoint_previous.h5"):  # the damaged one is gone from both
            self.assertTrue((self.folder / "parts" / name).read_bytes() != bytes(data))
        newest.unlink()
        (self.folder / "parts" / "checkpoint_previous.h5").write_bytes(b"nothing")
        self.assertIn("checkpoint.h5", self.weft("run", *case(12, "parts"), "--resume", code=FAILED))

    def test_a_run_that_is_over_is_left_as_it_is(self):
        self.weft("run", *self.coarse("sod"))
        before = (self.folder / "sod" / "residuals.csv").read_bytes()
        printed = self.weft("run", *self.coarse("sod"), "--resume")
        self.assertIn("nothing to do: the number of steps is reached already, step 5,", printed)
        self.assertNotIn("stopped", printed)
        self.assertEqual((self.folder / "sod" / "residuals.csv").read_bytes(), before)
        self.assertIn("stopped: the number of steps is reached, step 6", self.weft("run", *self.coarse("sod", steps=6), "--resume"))


class Signals(InFolder):  # processes_test.py has more
    def test_the_third_ends_a_run_at_once(self):
        process = self.start("run", *self.coarse("vortex", "stop.time=1e9", steps=10**9))
        self.wait_for_steps(process)
        process.send_signal(signal.SIGSTOP)  # until three are pending: two of the process, one of its first thread
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(ctypes.CDLL(None).tgkill(process.pid, process.pid, int(signal.SIGINT)), 0)
        process.send_signal(signal.SIGCONT)
        code, printed = self.ended(process, 30)
        self.assertEqual(code, FAILED, printed)
        self.assertFalse((self.folder / "vortex" / "checkpoint.h5").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
