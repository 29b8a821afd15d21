"""weft run --sweep: points, their start, what is left for another call, what diverges.

    sweep_test.py path/to/weft [unittest arguments]
"""
import json
import shutil
import signal
import subprocess
import unittest

from weft_support import DONE, FAILED, INTERRUPTED, NOT_CONVERGED, PATIENCE, PHYSICS, WEFT, InFolder, ranks

try:
    import h5py
except ImportError:
    h5py = None

ALPHA = "free_stream.alpha"


class Sweep(InFolder):
    def sweep(self, *arguments, case="naca0012", overrides=(), steps=20, results="polar", code=DONE):
        words = [word if word.startswith("-") or word.isdigit() else f"--sweep={word}" for word in map(str, arguments)]
        return self.weft("run", *self.coarse(case, "output.history_steps=5", *overrides, steps=steps, results=results), *words, code=code)

    def points(self, results="polar"):
        return json.loads((self.folder / results / "sweep.json").read_text())["points"]

    def test_table_of_all_combinations(self):
        printed = self.sweep(f"{ALPHA}=0:2:1", "free_stream.mach=0.5,0.7")
        names = [f"alpha_{a}_mach_{m}" for a in (0, 1, 2) for m in (0.5, 0.7)]
        table = self.rows("polar/polar.csv")
        self.assertEqual([row["folder"] for row in table], names)
        self.assertEqual([(float(row[ALPHA]), float(row["free_stream.mach"])) for row in table], [(a, m) for a in (0, 1, 2) for m in (0.5, 0.7)])
        for row in table:
            last = self.rows(f"polar/{row['folder']}/forces.csv")[-1]
            for what in ("cl", "cd"):
                self.assertEqual(float(row[f"airfoil_{what}"]), float(last[f"airfoil_{what}"]))
            self.assertAlmostEqual(float(row["airfoil_cm"]), -float(last["airfoil_cmz"]), 14)  # nose-up
            self.assertEqual((row["steps"], row["outcome"]), ("20", "not good"))
        self.assertIn("point 6 of 6: free_stream.alpha = 2, free_stream.mach = 0.7; starts from alpha_1_mach_0.7", printed)
        lines = printed[printed.index("alpha  mach"):].splitlines()
        self.assertEqual([line.split()[:2] for line in lines[1:7]], [[str(a), str(m)] for a in (0, 1, 2) for m in (0.5, 0.7)])
        # Each point starts from the nearest of those before it, the latest of several.
        self.assertEqual([point["started_from"] for point in self.points()],
                         ["", names[0], names[0], names[1], names[2], names[3]])
        if h5py is not None and shutil.which("python3"):
            self.assertTrue((self.folder / "polar" / "polar.png").exists() or "drew nothing" in printed)

    @unittest.skipUnless(h5py, "this Python has no h5py (Debian: python3-h5py)")
    def test_starts_from_the_state_of_the_point_before(self):
        self.sweep(f"{ALPHA}=1,1.5")
        def density(point, step):
            with h5py.File(self.folder / "polar" / point / f"fields_000000{step}.hdf") as file:
                return file["VTKHDF/CellData/density"][()]
        self.assertTrue((density("alpha_1.5", "00") == density("alpha_1", "20")).all())
        self.assertFalse((density("alpha_1", "00") == density("alpha_1", "20")).all())

    def test_the_first_point_is_the_run_of_its_case(self):
        self.sweep(f"{ALPHA}=1,2")
        self.weft("run", *self.coarse("naca0012", "output.history_steps=5", f"{ALPHA}=1", steps=20, results="alone"))
        self.assert_same_end("alone", "polar/alpha_1")

    def test_unsteady_cases_and_swept_starts_begin_at_their_own_start(self):
        self.sweep("gas.gamma=1.3,1.4", case="sod", steps=5)
        self.assertEqual([point["started_from"] for point in self.points()], ["", ""])
        self.weft("run", *self.coarse("sod", "output.history_steps=5", "gas.gamma=1.4", results="alone"))
        self.assert_same_end("alone", "polar/gamma_1.4")
        self.sweep("stop.steps=5,10", results="steps")
        self.assertEqual([(point["started_from"], point["steps"]) for point in self.points("steps")], [("", 5), ("", 10)])

    def test_goes_on_with_what_is_not_done(self):
        one, more = f"{ALPHA}=0,1", f"{ALPHA}=0,1,2"
        self.sweep(more, results="whole")
        self.sweep(one)
        before = (self.folder / "polar" / "alpha_0" / "run.json").read_bytes()
        self.assertIn("already holds points of a sweep", self.sweep(more, code=FAILED))
        printed = self.sweep(more, "--resume")
        self.assertEqual(printed.count("done already"), 2)
        self.assertEqual((self.folder / "polar" / "alpha_0" / "run.json").read_bytes(), before)
        for point in ("alpha_0", "alpha_1", "alpha_2"):
            self.assert_same_end(f"whole/{point}", f"polar/{point}")
        self.assertEqual((self.folder / "polar" / "polar.csv").read_bytes(), (self.folder / "whole" / "polar.csv").read_bytes())
        # More steps: every point goes on from its checkpoint. Another scheme: refused.
        self.assertEqual(self.sweep(more, "--resume", steps=30).count("resumed from"), 3)
        self.assertEqual({row["steps"] for row in self.rows("polar/polar.csv")}, {"30"})
        self.assertIn("changes the physics", self.sweep(more, "--resume", overrides=["numerics.cfl=0.5"], steps=30, code=FAILED))
        self.sweep(more, "--resume", "--accept-changes", overrides=["numerics.cfl=0.5"], steps=40)
        self.assertNotIn("done already", self.sweep(more, "--overwrite"))
        self.assertEqual((self.folder / "polar" / "polar.csv").read_bytes(), (self.folder / "whole" / "polar.csv").read_bytes())

    def test_earlier_points_are_kept_unless_they_are_to_be_replaced(self):
        def folders():
            table = [row["folder"] for row in self.rows("polar/polar.csv")]
            self.assertEqual([point["folder"] for point in self.points()], table)
            return table
        self.sweep(f"{ALPHA}=0,1")
        before = {file.name: file.read_bytes() for file in (self.folder / "polar").iterdir() if file.is_file()}
        self.assertIn("already holds points of a sweep", self.sweep(f"{ALPHA}=2", code=FAILED))
        self.assertEqual({file.name: file.read_bytes() for file in (self.folder / "polar").iterdir() if file.is_file()}, before)
        self.assertFalse((self.folder / "polar" / "alpha_2").exists())
        self.sweep(f"{ALPHA}=2", "--resume")
        self.assertEqual(folders(), ["alpha_0", "alpha_1", "alpha_2"])
        self.assertIn(before["polar.csv"].decode(), (self.folder / "polar" / "polar.csv").read_text())
        said = self.sweep(f"{ALPHA}=2", "free_stream.mach=0.4", *ranks(2), "--resume", code=FAILED)
        self.assertIn("polar: this folder holds points of a sweep over free_stream.alpha; sweep the same keys in this order", said)
        self.sweep(f"{ALPHA}=2", "--overwrite")
        self.assertEqual(folders(), ["alpha_2"])
        (self.folder / "polar" / "sweep.json").write_text('{"points": [{"folder": "alpha_2"')
        self.assertIn("sweep.json: the table of the points that are done is damaged; delete it", self.sweep(f"{ALPHA}=3", "--resume", code=FAILED))
        (self.folder / "polar" / "sweep.json").unlink()
        self.sweep(f"{ALPHA}=2,3", "--resume")
        self.assertEqual(folders(), ["alpha_2", "alpha_3"])

    def test_forces_without_coefficients_are_left_out(self):
        floor = ["boundary.ymin.kind=slip_wall", 'forces.floor.zones=["ymin"]']
        printed = self.sweep("gas.gamma=1.3,1.4", case="sod", overrides=floor, steps=5)
        self.assertIn("floor: force (", printed)
        self.assertNotIn("Cm is positive nose-up", printed)
        self.assertNotIn("the polar was not drawn", printed)
        self.assertFalse((self.folder / "polar" / "polar.png").exists())
        self.assertEqual([point["forces"] for point in self.points()], [{}, {}])
        self.assertEqual(list(self.rows("polar/polar.csv")[0]), ["gas.gamma", "steps", "residual", "outcome", "folder", "verdict"])

    def test_an_interrupt_ends_it_and_resume_finishes_it(self):
        process = self.start("run", *self.coarse("naca0012", steps=10**7, results="polar"), f"--sweep={ALPHA}=0,1")
        self.wait_for_steps(process)
        process.send_signal(signal.SIGTERM)
        code, printed = self.ended(process, 60)
        self.assertEqual(code, INTERRUPTED, printed)
        self.assertEqual(printed.count("not computed"), 2, printed)
        self.assertFalse((self.folder / "polar" / "alpha_1").exists())
        step = json.loads((self.folder / "polar" / "alpha_0" / "run.json").read_text())["calls"][-1]["step"]
        printed = self.weft("run", *self.coarse("naca0012", steps=step + 10, results="polar"), f"--sweep={ALPHA}=0,1", "--resume")
        self.assertIn(f"at step {step}", printed)
        self.assertEqual([point["steps"] for point in self.points()], [step + 10, step + 10])

    def test_goes_on_after_a_point_that_diverges(self):
        # Roe's linearised solver cannot open a vacuum: at the low pressure the gas flies apart.
        wrong = ["numerics.flux=roe", "initial.kind=expression", "initial.velocity_x_expression=x < 0.5 ? -40 : 40", "output.exact_errors=false"]
        for launch in ([], ranks(2)):
            printed = self.sweep("initial.pressure_expression=1,100000", *launch, "--overwrite", case="sod", overrides=wrong, steps=100, code=PHYSICS)
            self.assertEqual([point["outcome"] for point in self.points()], ["diverged", "not good"])
            self.assertIn("pressure_expression_1: ", printed)
            self.assertRegex(printed, r"(?m)^ +1 .* diverged$")
            self.assertIn("diverged: ", (self.folder / "polar" / "polar.csv").read_text())
        again = self.sweep("initial.pressure_expression=1,100000", "--resume", case="sod", overrides=wrong, steps=100, code=PHYSICS)
        self.assertEqual(again.count("done already"), 2)

    def test_a_point_that_diverges_after_a_start_from_another_starts_again(self):
        # From the state at a low pressure the jump at the walls is 1e5; from [initial] there is none.
        for launch in ([], ranks(2)):
            printed = self.sweep("free_stream.pressure=1e-5,1", *launch, "--overwrite", case="wedge", overrides=["free_stream.mach=6.0"], steps=100)
            self.assertIn("weft: warning: pressure_1: ", printed)
            self.assertIn("; it started from pressure_1e-05, and starts again from [initial]\n", printed)
            self.assertEqual([(point["outcome"], point["started_from"]) for point in self.points()], [("not good", ""), ("not good", "")])
        self.weft("run", *self.coarse("wedge", "output.history_steps=5", "free_stream.mach=6.0", steps=100, results="alone"), *ranks(2))
        self.assert_same_end("alone", "polar/pressure_1")

    def test_values_are_bare_numbers(self):
        for value in ("2deg", '"2deg"', "2 deg"):
            printed = self.sweep(f"{ALPHA}={value}", code=FAILED)
            self.assertIn('"2deg" is not a number; leave out "deg": values have the unit that weft reference gives the key', printed)
        self.assertIn('"steep" is not a number; write --sweep KEY=', self.sweep(f"{ALPHA}=steep", code=FAILED))

    def test_on_several_ranks_and_strict(self):
        self.sweep(f"{ALPHA}=0,1", results="one")
        self.sweep(f"{ALPHA}=0,1", *ranks(3), "--strict", results="three", code=NOT_CONVERGED)
        for one, three in zip(self.rows("one/polar.csv"), self.rows("three/polar.csv")):
            for what in ("cl", "cd", "cm"):
                self.assertAlmostEqual(float(one[f"airfoil_{what}"]), float(three[f"airfoil_{what}"]), 10)
        # A residual that falls while the forces move is not good; of the wedge the forces have too few rows to be judged.
        easy = ["stop.residual=0.9", "output.history_steps=10"]
        self.sweep(f"{ALPHA}=1,2", "--strict", overrides=easy, results="moving", code=NOT_CONVERGED)
        self.sweep("free_stream.mach=2.5,3", "--strict", case="wedge", overrides=easy, steps=200, results="easy")

    def test_on_a_gpu(self):
        if not json.loads(self.weft("info", "--json"))["cuda"]["gpus"]:
            self.skipTest("needs a GPU; weft info says why none is used")
        self.sweep(f"{ALPHA}=0,1,2", results="host")
        self.sweep(f"{ALPHA}=0,1,2", "--device=cuda", results="cuda")
        for host, cuda in zip(self.rows("host/polar.csv"), self.rows("cuda/polar.csv")):
            for what in ("cl", "cd", "cm"):
                self.assertAlmostEqual(float(host[f"airfoil_{what}"]), float(cuda[f"airfoil_{what}"]), 10)

    @unittest.skipUnless(h5py, "this Python has no h5py (Debian: python3-h5py)")
    def test_picture(self):
        def plot(*rows):
            folder = self.folder / "table"
            folder.mkdir(exist_ok=True)
            (folder / "polar.csv").write_text("\n".join(rows) + "\n")
            done = subprocess.run([WEFT, "plot", folder], capture_output=True, text=True, timeout=PATIENCE)
            return done.returncode, done.stdout + done.stderr
        head, tail = f"{ALPHA},free_stream.mach,wing_cl,wing_cd,wing_cm,", "steps,residual,outcome,folder,verdict"
        code, said = plot(head + tail, '0,0.5,0.1,0.01,0,9,1e-3,good,a,"well, good"', "1,0.5,,,,,,diverged,b,diverged: so", "2,0.5,0.2,0.02,0,9,1e-3,not good,c,so")
        self.assertEqual((code, said), (0, f"{self.folder / 'table' / 'polar.png'}\n"))
        self.assertGreater((self.folder / "table" / "polar.png").stat().st_size, 20000)
        for rows, why in (((head + tail,), "has no rows yet"), ((f"{ALPHA},{tail}", "0,9,1e-3,good,a,so"), "has no forces to draw"),
                          ((head + tail, "0,0.5,,,,,,diverged,a,so"), "no point of the sweep has forces"),
                          ((head + tail, "0,0.5,x,1,1,9,1,good,a,so"), "is no number"), (("a,b", "1,2"), "is not the table of a sweep")):
            code, said = plot(*rows)
            self.assertEqual(code, 1)
            self.assertIn(why, said)
            self.assertNotIn("Traceback", said)

    def test_wrong_sweeps(self):
        for words, said in (
                (["free_stream.alfa=0,1"], '--sweep free_stream.alfa=0: free_stream.alfa: unknown key; did you mean "alpha"?'),
                ([f"{ALPHA}=0,one"], f'--sweep {ALPHA}=0,one: "one" is not a number'), ([f"{ALPHA}="], "the list of values is empty"),
                ([f"{ALPHA}=1,,2"], '"" is not a number'), ([ALPHA], "a sweep needs a key and values"), ([f"{ALPHA}=0:1"], '"0:1" is not a range'),
                ([f"{ALPHA}=0:1:0.3"], "steps of 0.3 from 0 do not come to 1"), ([f"{ALPHA}=0:1:0"], "do not come to 1"),
                ([f"{ALPHA}=1,1"], "1 is given twice"), ([f"{ALPHA}=1", f"{ALPHA}=2"], "is swept twice"), ([f"{ALPHA}=0:100000:1"], "more than 1000"),
                ([f"{ALPHA}=0:40:1", "free_stream.mach=0.1:0.4:0.01"], "more than 1000 points"),
                (["mesh.around=32,64"], "a sweep has one mesh, and this key changes it"), (["output.history_steps=1,2"], "changes what is written"),
                (["numerics.flux=1"], "--sweep numerics.flux=1: numerics.flux: "), (["numerics.cfl=0.5,20"], "--sweep numerics.cfl=20: numerics.cfl: must be"),
                (["title=1"], "--sweep title=1: title: ")):
            with self.subTest(words=words):
                self.assertIn(said, self.sweep(*words, code=FAILED))
                self.assertFalse((self.folder / "polar").exists())
        self.assertIn("the list of values is empty", self.sweep(f"{ALPHA}=", *ranks(2), code=FAILED))
        self.weft("run", *self.coarse("naca0012", results="single"))
        self.assertIn("holds the results of a single run", self.sweep(f"{ALPHA}=1", "--overwrite", results="single", code=FAILED))


if __name__ == "__main__":
    unittest.main()
