"""What a run leaves in its folder: never overwritten unasked, with a record of what ran, and a report.

    results_test.py path/to/weft [unittest arguments]
"""
import json
import os
import shutil
import signal
import socket
import subprocess
import unittest

from weft_support import (CASES, DONE, FAILED, NOT_CONVERGED, PATIENCE, PHYSICS, USAGE, WEFT, InFolder, descendants, environment, h5py, is_rank,
                          np, ranks, sets)


class ResultsFolder(InFolder):
    def test_is_never_overwritten_unasked(self):
        self.weft("run", *self.coarse("sod"))
        notes = [self.folder / "sod" / name for name in ("notes.txt", "measured.csv", "sketch.png", "other.hdf")]
        for note in notes:
            note.write_text("mine")
        before = (self.folder / "sod" / "checkpoint.h5").read_bytes()
        for launch in ([], ranks(2)):
            self.assertIn("--overwrite", self.weft("run", *self.coarse("sod"), *launch, code=FAILED))
        self.assertEqual((self.folder / "sod" / "checkpoint.h5").read_bytes(), before)
        self.weft("run", *self.coarse("sod", steps=3), "--overwrite")
        self.assertEqual([note.read_text() for note in notes], ["mine"] * len(notes))
        self.assertFalse((self.folder / "sod" / "fields_00000005.hdf").exists())
        self.assertIn("--resume", self.weft("run", *self.coarse("sod"), "--overwrite", "--resume", code=USAGE))

    def test_a_case_that_cannot_start_touches_nothing(self):
        self.weft("run", *self.coarse("sod"))
        before = {file: file.read_bytes() for file in (self.folder / "sod").iterdir()}
        for wrong in ("mesh.nx=0", "boundary.lid.kind=slip_wall", "mesh.generator=bocks"):
            for how in ("--overwrite", "--resume"):
                self.weft("run", *self.coarse("sod", wrong), how, code=FAILED)
        self.assertEqual({file: file.read_bytes() for file in (self.folder / "sod").iterdir()}, before)
        # Nor does a first attempt stand in the way of the second.
        self.weft("run", *self.coarse("sod", "boundary.lid.kind=slip_wall", results="new"), code=FAILED)
        self.weft("run", *self.coarse("sod", results="new"))
        # And it leaves no folder behind that it made.
        (self.folder / "mine").mkdir()
        for results in ("one/two", "mine/two"):
            self.weft("run", *self.coarse("sod", "boundary.lid.kind=slip_wall", results=results), *ranks(2), code=FAILED)
        self.assertFalse((self.folder / "one").exists())
        self.assertEqual(list((self.folder / "mine").iterdir()), [])

    def test_that_cannot_be_written(self):
        (self.folder / "file").write_text("in the way")
        self.assertIn("file", self.weft("run", *self.coarse("sod", results="file/results"), code=FAILED))
        self.assertIn("file", self.weft("run", *self.coarse("sod", results="file/results"), *ranks(2), code=FAILED))

    def test_is_in_the_folder_of_the_case(self):
        small = sets("stop.steps=2")
        (self.folder / "here").mkdir()
        self.weft("new", "sod", "here/sod.toml")
        self.assertIn("results in here/results/sod\n", self.weft("run", "here/sod.toml", *small))
        self.assertTrue((self.folder / "here" / "results" / "sod" / "case.toml").exists())
        self.assertFalse((self.folder / "results").exists())
        # The effective case goes to the same folder, wherever it is started.
        resumed = self.weft("run", "here/results/sod/case.toml", *sets("stop.steps=4"), "--resume")
        self.assertIn(f"results in {self.folder.resolve()}/here/results/sod\n", resumed)
        self.assertNotIn("output.directory", resumed)
        # --set names places as the shell does, but for ~, which the shell leaves as it is behind an equals sign.
        self.assertIn("results in there\n", self.weft("run", "here/sod.toml", *small, *sets("output.directory=there")))
        self.weft("run", "here/sod.toml", *small, *sets("output.directory=~/at_home"), HOME=str(self.folder))
        self.assertTrue((self.folder / "at_home" / "case.toml").exists())
        # An earlier version left its results below the current directory.
        (self.folder / "results").mkdir()
        (self.folder / "there").rename(self.folder / "results" / "sod")
        shutil.rmtree(self.folder / "here" / "results")
        for how in ((), ("--resume",)):
            told = self.weft("run", "here/sod.toml", *small, *how, *ranks(3), code=DONE if not how else FAILED)
            self.assertEqual(told.count("weft: warning: results/sod holds a run, but a relative output.directory starts at the folder of the case "
                                        "and is here/results/sod; to go on in the former give --set output.directory=results/sod"), 1)
            shutil.rmtree(self.folder / "here" / "results", ignore_errors=True)

    def test_on_a_full_disk(self):
        alone = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
        if subprocess.run([*alone, "mount -t tmpfs tmpfs /mnt"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            self.skipTest("needs to mount a small file system, which this user or container may not")

        def on_disk(free, *arguments):
            """What weft prints that runs with so many KB free in /mnt, and must fail; the files that it leaves there."""
            command = (f'mount -t tmpfs -o size=1024k tmpfs /mnt && head -c {1024 - free}k /dev/zero > /mnt/fill && "$@"; code=$?;'
                       ' echo; find /mnt -type f; exit $code')
            done = subprocess.run([*alone, command, "nothing", WEFT, *map(str, arguments)], cwd=self.folder, env=environment(), timeout=PATIENCE,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, FAILED, done.stdout)
            printed, _, files = done.stdout.rpartition("\n\n")
            return printed, files.split()

        box = ["-p", "nx=32", "-p", "ny=32"]
        for free, words, file in ((0, ["new", "naca0012", "/mnt/mine.toml"], "/mnt/mine.toml"),
                                  (8, ["mesh", "generate", "box", "/mnt/m.su2", *box], "/mnt/m.su2"),
                                  (8, ["mesh", "generate", "box", "/mnt/m.su2", *box, *ranks(3)], "/mnt/m.su2"),
                                  (8, ["mesh", "generate", "box", "/mnt/m.h5", *box, *ranks(3)], "/mnt/m.h5"),
                                  (0, ["run", *self.coarse("sod", results="/mnt/sod")], "/mnt/sod/run.lock"),
                                  (4, ["run", *self.coarse("sod", results="/mnt/sod")], "/mnt/sod/case.toml"),
                                  (64, ["run", *self.coarse("sod", results="/mnt/sod")], "/mnt/sod/boundary.hdf"),
                                  (64, ["run", *self.coarse("vortex", results="/mnt/sod")], "/mnt/sod/fields_00000000.hdf"),
                                  (64, ["run", *self.coarse("vortex", results="/mnt/sod"), *ranks(3)], "/mnt/sod/fields_00000000.hdf")):
            with self.subTest(free=free, words=words):
                printed, left = on_disk(free, *words)
                self.assertRegex(printed, rf"weft: error: {file}(\.part)?: .*No space left on device")
                self.assertEqual([name for name in left if name.endswith((".part", ".lock"))], [])

    def test_holds_a_case_of_any_length(self):
        title = "long " * 20000  # HDF5's attributes end at 64 KB
        self.weft("run", *self.coarse("sod", f'title="{title}"'), *ranks(2))
        self.weft("run", *self.coarse("sod", f'title="{title}"', steps=8), "--resume")
        if h5py is None:
            self.skipTest("the rest needs h5py (Debian: python3-h5py)")
        with h5py.File(max((self.folder / "sod").glob("fields_*.hdf"))) as fields:
            self.assertIn(title, fields["Provenance"][()].decode())
        self.weft("report", "sod")

    def test_in_use_is_refused_with_the_process_that_uses_it(self):
        endless = self.coarse("vortex", "stop.time=1e9", "mesh.n=32", results="busy", steps=10**9)
        for launch in ([], ranks(3)):
            process = self.start("run", *endless, "--overwrite", *launch)
            self.wait_for_steps(process)
            at_work = [pid for pid in (process.pid, *descendants(process.pid)) if is_rank(pid)]
            pid, host = (self.folder / "busy" / "run.lock").read_text().split()
            self.assertEqual(host, socket.gethostname())
            self.assertIn(int(pid), at_work)
            for how in ([], ["--overwrite"], ["--resume"], ["--overwrite", *ranks(3)]):
                refused = self.weft("run", *endless, *how, code=FAILED)
                self.assertIn(f"weft: error: busy: this folder is in use by another run (pid {pid} on {host})", refused)
                self.assertEqual(refused.count("in use by"), 1)
            # Killed, it leaves nothing that blocks the next run, which says what it found.
            for each in at_work:
                os.kill(each, signal.SIGKILL)
            self.ended(process, 30)
            self.assertTrue((self.folder / "busy" / "run.lock").exists())
            again = self.weft("run", *self.coarse("vortex", "mesh.n=32", results="busy"), "--overwrite", *launch)
            self.assertIn(f"weft: warning: busy: the run that used this folder (pid {pid} on {host}) ended without removing its run.lock", again)
            self.assertFalse((self.folder / "busy" / "run.lock").exists())
            self.assertNotIn("ended without removing", self.weft("run", *self.coarse("vortex", "mesh.n=32", results="busy"), "--overwrite"))

    def test_never_replaces_a_case_of_the_user(self):
        mine = (CASES / "sod.toml").read_text() + "# mine\n"
        for name in ("case.toml", "checkpoints.toml", "fields_mine.txt"):
            (self.folder / name).write_text(mine)
        for how in ([], ["--overwrite"], ["--resume"], ["--overwrite", *ranks(3)]):
            here = [*sets("mesh.nx=40", "stop.steps=5", "output.directory=."), *how]
            refused = self.weft("run", "case.toml", *here, code=FAILED)
            self.assertRegex(refused, r"(?m)^weft: error: (\./)?case.toml: a run writes its case .* not written by a run; choose another output.directory")
            # Whichever case is run. mpirun forwards stdout and stderr in pipes of their own, so that lines may change places.
            other = self.weft("run", CASES / "sod.toml", *here, code=FAILED)
            self.assertEqual(sorted(refused.splitlines()), sorted(other.splitlines()))
        self.assertEqual(sorted(file.name for file in self.folder.iterdir()), ["case.toml", "checkpoints.toml", "fields_mine.txt"])
        # Under another name it may lie there, and what a run wrote is replaced by a run.
        (self.folder / "case.toml").rename(self.folder / "sod.toml")
        here = sets("mesh.nx=40", "stop.steps=5", "output.directory=.")
        self.weft("run", "sod.toml", *here)
        self.weft("run", "sod.toml", *here, "--overwrite")
        self.weft("run", "case.toml", *sets("stop.steps=8"), "--resume")
        for name in ("sod.toml", "checkpoints.toml", "fields_mine.txt"):
            self.assertEqual((self.folder / name).read_text(), mine)

    def test_nothing_to_resume(self):
        self.assertIn("leave out --resume", self.weft("run", *self.coarse("sod"), "--resume", code=FAILED))


class Record(InFolder):
    """run.json, the walls, and the page that `weft report` makes of them."""

    def record(self, folder):
        return json.loads((self.folder / folder / "run.json").read_text())

    def test_says_what_ran_where_and_how_it_ended(self):
        self.weft("run", *self.coarse("wedge", steps=4), *ranks(2))
        record = self.record("wedge")
        call, = record["calls"]
        self.assertEqual((call["status"], call["ranks"], call["first_step"], call["step"], call["device"]), ("finished", 2, 0, 4, "host"))
        self.assertIn("-n 2", call["command"])
        self.assertRegex(call["started"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertGreater(call["cell_residuals_per_second"], 0)
        self.assertLessEqual(call["seconds"]["stepping"], call["seconds"]["wall"])
        self.assertEqual((record["mesh"]["cells"], record["mesh"]["dim"]), (96, 2))
        self.assertIn("wall", [zone["name"] for zone in record["mesh"]["zones"]])
        self.weft("run", *self.coarse("wedge", steps=6), "--resume")
        self.assertEqual([(c["status"], c["first_step"], c["step"]) for c in self.record("wedge")["calls"]], [("finished", 0, 4), ("finished", 4, 6)])
        self.weft("run", *self.coarse("wedge", steps=2), "--overwrite")
        self.assertEqual(len(self.record("wedge")["calls"]), 1)

    def test_judges_the_run(self):
        for launch in ([], ranks(3)):
            printed = self.weft("run", *self.coarse("wedge", "output.history_steps=1", steps=10), "--overwrite", *launch)
            self.assertIn("\nverdict: not converged: the number of steps is reached before the case's criterion of convergence\n", printed)
            self.assertRegex(printed, r"\n  \[ \] stop.residual: not met \(wanted 1e-06, reached [\d.]+e-\d\d\)\n")
            self.assertIn("\n  [x] stop.steps: met (wanted 10, reached 10)\n", printed)
            self.assertRegex(printed, r"\n  decades that residuals fell: density [\d.]+, momentum_x [\d.]+, momentum_y [\d.]+, energy [\d.]+\n")
            self.assertRegex(printed, r"\n  forces on wall still moving, since step 8: Cd by [\d.]+ %, Cl by [\d.]+ %\n")
            verdict = self.record("wedge")["calls"][-1]["verdict"]
            self.assertFalse(verdict["good"])
            self.assertEqual([each["met"] for each in verdict["criteria"]], [False, True])
            self.weft("run", *self.coarse("wedge", steps=20), "--overwrite", "--strict", *launch, code=NOT_CONVERGED)
            easy = self.weft("run", *self.coarse("wedge", "stop.residual=0.9", steps=200), "--overwrite", "--strict", *launch)
            self.assertIn("verdict: converged: the residual has fallen\n", easy)
            # The residual falls in the last step that the case allows: converged, also where such a run is resumed.
            done = self.coarse("wedge", "stop.residual=0.9", steps=self.record("wedge")["calls"][-1]["step"])
            for option in ("--overwrite", "--resume"):
                self.assertIn("verdict: converged: the residual has fallen\n", self.weft("run", *done, option, "--strict", *launch))
        printed = self.weft("run", *self.coarse("vortex", "stop.time=0.5", steps=1000), "--strict")
        self.assertIn("verdict: complete: the flow time is reached\n", printed)
        self.assertNotIn("decades", printed)
        self.weft("run", *self.coarse("vortex", "stop.time=0.5", steps=2), "--overwrite", "--strict", code=NOT_CONVERGED)

    def test_monitors_coefficients_and_shows_no_time_where_there_is_none(self):
        steady = self.weft("run", *self.coarse("wedge", "output.history_steps=1", "numerics.local_time_step=true"))
        self.assertRegex(steady, r"(?m)^ *[\d.]+ %  step 1  residual \S+  Cd [\d.]+  Cl -?[\d.]+  [\d.]+ M cell-residuals/s  left ")
        self.assertNotIn("time ", steady.replace("reached", ""))
        timed = self.weft("run", *self.coarse("wedge", "output.history_steps=1", "numerics.local_time_step=false", results="timed"))
        self.assertRegex(timed, r"step 1  t \S+  dt \S+  residual \S+  Cd ")
        self.assertRegex(timed, r"stopped: the number of steps is reached, step 5, time 0")
        self.assertRegex(timed, r"\n  the free stream went [\d.]+ reference lengths, [\d.]+ times through the domain\n")
        probe = self.weft("run", *self.coarse("vortex", "probes.a.at=[0.5, 0.5]", "output.history_steps=1"))
        self.assertRegex(probe, r"step 1 .* p\(a\) [\d.]+ ")

    def test_keeps_a_log(self):
        printed = self.weft("run", *self.coarse("wedge"), *ranks(3))
        log = (self.folder / "wedge" / "run.log").read_text()
        self.assertRegex(log, r"^weft \S+, \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, 3 ranks on ")
        self.assertEqual(log.partition("\n")[2], printed)
        again = self.weft("run", *self.coarse("wedge", steps=8), "--resume")
        self.assertEqual((self.folder / "wedge" / "run.log").read_text().replace(log, "", 1).partition("\n")[2], again)
        wrong = ["numerics.flux=roe", "initial.kind=expression", "initial.velocity_x_expression=x < 0.5 ? -40 : 40", "output.exact_errors=false"]
        failed = self.weft("run", *self.coarse("sod", *wrong, steps=500), code=PHYSICS)
        self.assertEqual((self.folder / "sod" / "run.log").read_text().splitlines()[-1], failed.splitlines()[-1])
        before = (self.folder / "sod" / "run.log").read_text()
        self.weft("run", *self.coarse("sod"), code=FAILED)  # refused
        self.assertEqual((self.folder / "sod" / "run.log").read_text(), before)
        self.weft("run", *self.coarse("sod"), "--overwrite")
        self.assertNotIn("error:", (self.folder / "sod" / "run.log").read_text())
        (self.folder / "kept").mkdir()
        (self.folder / "kept" / "run.log").write_text("of an experiment\n")
        self.weft("run", *self.coarse("sod", results="kept"))
        self.assertRegex((self.folder / "kept" / "run.log").read_text(), r"^of an experiment\nweft \S+, ")

    def test_reports_failed_runs_and_writes_nothing_into_other_folders(self):
        wrong = ["numerics.flux=roe", "initial.kind=expression", "initial.velocity_x_expression=x < 0.5 ? -40 : 40", "output.exact_errors=false"]
        self.weft("run", *self.coarse("sod", *wrong, steps=500), code=PHYSICS)
        call, = self.record("sod")["calls"]
        self.assertEqual(call["status"], "failed")
        self.assertIn("became unphysical", call["reason"])
        before = (self.folder / "sod" / "run.json").read_bytes()
        self.weft("run", *self.coarse("sod"), code=FAILED)  # refused, for there are results
        self.assertEqual((self.folder / "sod" / "run.json").read_bytes(), before)

    @unittest.skipIf(h5py is None, "this Python has no h5py (Debian: python3-h5py)")
    def test_pressure_on_the_walls_is_what_the_forces_count(self):
        for n in (1, 3):
            self.weft("run", *self.coarse("naca0012", steps=20, results=f"naca{n}"), *ranks(n))
            with h5py.File(self.folder / f"naca{n}" / "walls_00000020.hdf") as file:
                root = file["VTKHDF"]
                points, lines, pressure, force, first, at = root["Points"][:], root["Connectivity"][:], root["CellData/pressure"][:], [0, 0], 0, 0
                self.assertEqual(len(pressure), 32)
                for p, ids in zip(root["NumberOfPoints"][:], root["NumberOfConnectivityIds"][:]):
                    for a, b in lines[at:at + ids].reshape(-1, 2) + first:
                        dx, dy = (points[b] - points[a])[:2]
                        force[0] += (pressure[at // 2] - 1) * dy
                        force[1] -= (pressure[at // 2] - 1) * dx
                        at += 2
                    first += p
                self.assertTrue(np.allclose((pressure - 1) / (0.5 * 1.4 * 0.8**2), root["CellData/cp"][:]))
            last = self.rows(f"naca{n}/forces.csv")[-1]
            for mine, name in zip(force, ("airfoil_fx", "airfoil_fy")):
                self.assertAlmostEqual(abs(mine), abs(float(last[name])), delta=1e-12)
        # At steps of which no history asks for anything, too.
        self.weft("run", *self.coarse("naca0012", "output.field_steps=10", "output.history_steps=20", steps=20, results="long"))
        self.weft("run", *self.coarse("naca0012", steps=10, results="short"))
        walls = [h5py.File(self.folder / folder / "walls_00000010.hdf")["VTKHDF/CellData/pressure"][:] for folder in ("long", "short")]
        self.assertTrue((walls[0] == walls[1]).all())
        self.weft("run", *self.coarse("vortex"))
        self.assertEqual(list((self.folder / "vortex").glob("walls_*")), [])  # no walls, no file

    @unittest.skipIf(h5py is None, "this Python has no h5py (Debian: python3-h5py)")
    def test_report(self):
        self.weft("run", *self.coarse("wedge"), *ranks(2))
        self.assertRegex(self.weft("report", "wedge"), r"^wrote wedge/report.html \([\d.]+ [KM]iB\): the run is finished\n$")
        size = (self.folder / "wedge" / "report.html").stat().st_size
        self.assertEqual(" KiB)" in self.weft("report", "wedge"), size < 2**20)
        self.assertIn("-n 2", (self.folder / "wedge" / "report.html").read_text())
        self.weft("report", "wedge", "--output", "page.html")
        self.assertTrue((self.folder / "page.html").exists())
        self.assertIn("there is no such folder", self.weft("report", "wegde", code=FAILED))
        self.assertIn("see weft report --help", self.weft("report", code=USAGE))
        self.assertIn("results folder of a run", self.weft("report", "--help"))
        self.weft("run", *self.coarse("wedge"), "--overwrite")
        self.assertFalse((self.folder / "wedge" / "report.html").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
