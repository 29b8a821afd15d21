"""Wrong input and unphysical states: reported once, with their place and what to do.

    errors_test.py path/to/weft [unittest arguments]
"""
import json
import os
import re
import subprocess
import time
import unittest

from weft_support import CASES, FAILED, PATIENCE, PHYSICS, USAGE, WEFT, InFolder, environment, ranks, sets


class WrongInput(InFolder):
    def test_says_what_where_and_what_to_do(self):
        case = CASES / "sod.toml"
        for arguments, words in (
                ((self.folder / "nosuch.toml",), ("nosuch.toml", "no such file")),
                ((self.folder,), (str(self.folder),)),
                ((case, *sets("numerics.clf=1")), ("numerics.clf", 'did you mean "cfl"')),
                ((case, *sets("numerics.cfl=fast")), ("numerics.cfl", "fast")),
                ((case, *sets("numerics.cfl=-1")), ("numerics.cfl", "-1")),
                ((case, *sets("numerics.flux=hlcc")), ("numerics.flux", "hllc")),
                ((case, *sets("stop")), ("--set stop",)),
                ((case, *sets("=3")), ("--set",)),
                ((case, *sets("mesh.generator=boxx")), ("mesh.generator", "box")),
                ((case, *sets("mesh.nx=-3")), ("nx", "-3")),
                ((case, *sets("mesh.file=a.msh")), ("mesh.generator", "exactly one")),
                ((case, *sets("boundary.xmim.kind=slip_wall")), ("xmim", 'did you mean "xmin"')),
                ((case, *sets("forces.a.zones=xmni", "free_stream.density=1", "free_stream.pressure=1", "free_stream.mach=1")),
                 ("forces.a.zones", 'did you mean "xmin"')),
                ((CASES / "from_file.toml",), ("from_file.toml:", "mesh.file: there is no mesh file", "mesh.su2")),
                ((CASES / "from_file.toml", *sets("mesh.file=nosuch.su2")), ("--set mesh.file=nosuch.su2: mesh.file: there is no mesh file",))):
            with self.subTest(arguments=arguments):
                printed = self.weft("check", *arguments, code=FAILED)
                self.assertEqual(printed.count("weft: error:"), 1, printed)
                for word in words:
                    self.assertIn(word, printed)

    def test_a_limit_of_the_size_of_files_is_an_error(self):
        run = ["run", *self.coarse("sod", results="results")]
        for command in (["mesh", "generate", "naca", "naca.msh"], ["mesh", "generate", "naca", "naca.h5"], run):
            with self.subTest(command=command):
                done = subprocess.run(["bash", "-c", 'ulimit -f 16 && exec "$@"', "bash", WEFT, *map(str, command)], cwd=self.folder,
                                      env=environment(), timeout=PATIENCE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                self.assertEqual(done.returncode, FAILED, done.stdout)
                self.assertIn("File too large", done.stdout)
        # The run failed in the first file of its results, after the log and the record were begun.
        self.assertIn("File too large", (self.folder / "results" / "run.log").read_text())
        self.assertEqual(json.loads((self.folder / "results" / "run.json").read_text())["calls"][-1]["status"], "failed")

    def test_names_both_checkpoints_where_both_are_damaged(self):
        case = self.coarse("sod", "output.checkpoint_steps=2")
        self.weft("run", *case)
        for name in ("checkpoint.h5", "checkpoint_previous.h5"):
            os.truncate(self.folder / "sod" / name, 2000)
        printed = self.weft("run", *case, "--resume", code=FAILED)
        self.assertIn("checkpoint.h5: cannot open it", printed)
        self.assertIn("checkpoint_previous.h5, is damaged, too: give --overwrite", printed)

    def test_a_run_reports_all_errors_that_check_reports(self):
        wrong = {
            "keys and zones": sets("numerics.cfll=1", "numerics.cfl=-1", "boundary.xmim.kind=slip_wall", "probes.far.at=[7.0, 0.0]"),
            "of the mesh alone": sets("boundary.lid.kind=slip_wall", "probes.far.at=[7.0, 0.0]", "monitors.out.zones=xmx"),
        }
        for name, words in wrong.items():
            case = [*self.coarse("sod"), *words]
            checked = self.weft("check", *case, code=FAILED)
            self.assertGreaterEqual(checked.count("weft: error: "), 3, checked)
            for command in (["run", *case], ["run", *case, *ranks(3)], ["run", *case, "--sweep", "gas.gamma=1.4"]):
                with self.subTest(errors=name, command=command):
                    said = self.weft(*command, code=FAILED)
                    self.assertEqual([line for line in said.splitlines() if line.startswith("weft: error: ")], checked.splitlines())
        self.assertEqual(self.weft("plan", *self.coarse("sod"), *wrong["keys and zones"], "--ranks", "2", code=FAILED).count("weft: error: "), 4)

    def test_keys_of_a_zone_that_the_mesh_lacks_name_the_zone(self):
        for key in ("pressure=3", "x=1", "kind=slipwall"):
            for command in ("check", "run"):
                with self.subTest(key=key, command=command):
                    printed = self.weft(command, *self.coarse("sod", f"boundary.lid.{key}"), code=FAILED)
                    self.assertEqual(printed.count("weft: error: "), 1, printed)
                    self.assertIn(f"weft: error: --set boundary.lid.{key}: boundary.lid.kind: the mesh generator box has no boundary zone \"lid\"; "
                                  "its zones are xmin, xmax, ymin, ymax", printed)
        self.assertIn("boundary.lid.kind: is required", self.weft("check", *self.coarse("sod", "boundary.lid.x=1", "mesh.file=none.msh"), code=FAILED))

    def test_all_ranks_report_it_once(self):
        began = time.monotonic()
        printed = self.weft("run", *self.coarse("sod", "boundary.lid.kind=slip_wall"), *ranks(3), code=FAILED)
        self.assertEqual(printed.count("weft: error"), 1, printed)
        self.assertNotIn("alone", printed)
        self.assertLess(time.monotonic() - began, 20)

    def test_names_the_line_of_the_case(self):
        text = (CASES / "sod.toml").read_text().replace('limiter = "barth_jespersen"', 'limiter = "barth"')
        (self.folder / "case.toml").write_text(text)
        line = 1 + text[:text.index('limiter = ')].count("\n")
        self.assertIn(f"case.toml:{line}:", self.weft("check", "case.toml", code=FAILED))
        (self.folder / "case.toml").write_text("title = 'deep'\n" + "a." * 200_000 + "a = 1\n")
        self.assertIn("case.toml:2:202: a key or value is nested more than 100 levels", self.weft("check", "case.toml", code=FAILED))
        (self.folder / "case.toml").write_text("[mesh\n")
        self.assertIn("case.toml:1:", self.weft("check", "case.toml", code=FAILED))

    def test_of_the_command_line(self):
        for arguments, problem, command in (
                ((), "a command is missing; choose one of run, check,", "weft"),
                (("fly",), 'there is no command "fly"; choose one of run, check,', "weft"),
                (("run",), "case is required", "weft run"),
                (("run", "a.toml", "-n", "0"), "--ranks: must be a number > 0, is 0", "weft run"),
                (("run", "a.toml", "-n", "two"), "is two", "weft run"),
                (("run", "a.toml", "--set"), "--set: ", "weft run"),
                (("run", "a.toml", "--fast"), "--fast", "weft run"),
                (("mesh",), "a command is missing; choose one of", "weft mesh"),
                (("mesh", "convert", "a.su2", "b.su2", "--scale", "nan"), "--scale: must be", "weft mesh convert"),
                (("mesh", "convert", "a.su2"), "is required", "weft mesh convert")):
            with self.subTest(arguments=arguments):
                printed = self.weft(*arguments, code=USAGE)
                self.assertRegex(printed, rf"^weft: error: .*{re.escape(problem)}.*; see {command} --help\n$")
        self.assertRegex(self.weft("--version"), r"^weft \d+\.\d+\.\d+\n$")
        self.assertIn("run", self.weft("--help"))
        self.assertIn("--resume", self.weft("run", "--help"))


class BadState(InFolder):
    def test_stops_with_the_cell_and_its_fields(self):
        # Roe's linearised solver cannot open a vacuum, however short the step.
        wrong = ["numerics.flux=roe", "initial.kind=expression", "initial.velocity_x_expression=x < 0.5 ? -40 : 40"]
        for n in (1, 2):
            with self.subTest(ranks=n):
                printed = self.weft("run", *self.coarse("sod", *wrong, "output.exact_errors=false", steps=500, results=f"bad{n}"),
                                    *ranks(n), code=PHYSICS)
                self.assertEqual(printed.count("weft: error"), 1, printed)
                for word in ("became unphysical at step", "element", "density", "neighbour", "lower cfl"):
                    self.assertIn(word, printed)
                self.assertTrue((self.folder / f"bad{n}" / "fields_failed.hdf").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
