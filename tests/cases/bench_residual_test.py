"""bench_flow_residual: lines of generated meshes and of a file's, on one rank and on three, and files that are wrong.

    bench_residual_test.py path/to/weft path/to/bench_flow_residual [unittest arguments]
"""
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

from weft_support import PATIENCE, InFolder, environment

BENCH = pathlib.Path(sys.argv.pop(1)).resolve()
MPIRUN = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} | ({} if shutil.which("ssh") else {"OMPI_MCA_plm": "^rsh"})


class BenchResidual(InFolder):
    def bench(self, elements, *options, ranks=1):
        command = [str(BENCH), "20000", "host", elements, *options]
        if ranks > 1:
            command = ["mpirun", "--oversubscribe", "-n", str(ranks), *command]
        return subprocess.run(command, cwd=self.folder, env=environment() | MPIRUN, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)

    def rows(self, *arguments, ranks=1):
        done = self.bench(*arguments, ranks=ranks)
        self.assertEqual(done.returncode, 0, done.stderr)
        line = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(line["ranks"], ranks)
        for row in line["rows"]:
            self.assertGreater(min(row[what] for what in ("residuals_per_s", "in_step_per_s", "bytes", "mesh_s", "solver_s")), 0)
        return line["rows"]

    def test_generated_meshes(self):
        self.assertEqual([row["elements"] for row in self.rows("all")], [name for name in ("quads", "triangles", "hexahedra", "tetrahedra") for _ in range(2)])
        self.assertEqual([(row["elements"], row["gradient"], row["cells"]) for row in self.rows("hexahedra", "mixed", "1", "green_gauss")],
                         [("hexahedra", "green_gauss", 27**3)])

    def test_orders_of_cells(self):
        for order in ("hilbert", "rcm", "as_read"):
            with self.subTest(order=order):
                self.assertEqual([row["cells"] for row in self.rows("tetrahedra", "fp64", "1", "least_squares", order)], [6 * 15**3])
        done = self.bench("tetrahedra", "fp64", "1", "least_squares", "random")
        self.assertEqual((done.returncode, done.stderr), (2, 'bench_flow_residual: error: order: "random" is none of hilbert, rcm, as_read; see bench_flow_residual --help\n'))

    def test_wrong_arguments(self):
        for words, says in ((["--json"], "--json"), (["all", "half"], '"half" is none of fp64, mixed, fp32'), (["all", "fp64", "2x"], '"2x" is no whole number'),
                            (["all", "fp64", "1", "none"], '"none" is none of both, '), (["all", "fp64", "1", "both", "rcm", "hlc"], '"hlc" is none of ')):
            with self.subTest(words=words):
                done = self.bench(*words, ranks=3)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr.count("bench_flow_residual: error: "), 1, done.stderr)
                self.assertIn(says, done.stderr)
        done = self.bench("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("green_gauss", done.stdout)

    def test_a_mesh_of_a_file(self):
        for name in ("wing.su2", 'a "wing".h5'):
            self.weft("mesh", "generate", "naca", name, "-p", "around=64", "-p", "radial=32", "-p", "layers=10")
            for ranks in (1, 3):
                with self.subTest(name=name, ranks=ranks):
                    rows = self.rows(name, ranks=ranks)
                    self.assertEqual([(row["elements"], row["gradient"], row["cells"]) for row in rows],
                                     [(name, "least_squares", 64 * 32 * 10), (name, "green_gauss", 64 * 32 * 10)])

    def test_wrong_files(self):
        (self.folder / "bad.su2").write_text("NDIME= 2\nNELEM= x\n")
        for name, says in (("bad.su2", "bad.su2:2: expected an integer"), ("cubes", "there is no mesh file cubes"), (".", "a folder")):
            for ranks in (1, 3):
                with self.subTest(name=name, ranks=ranks):
                    done = self.bench(name, ranks=ranks)
                    self.assertEqual(done.returncode, 1)
                    self.assertEqual(done.stderr.count("bench_flow_residual: error: "), 1, done.stderr)
                    self.assertIn(says, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
