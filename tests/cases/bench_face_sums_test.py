"""bench_flow_face_sums on the host: every form that needs no GPU, in both layouts and all orders of cells, and wrong arguments.

    bench_face_sums_test.py path/to/weft path/to/bench_flow_face_sums [unittest arguments]
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
FORMS = ["gather, fluxes twice", "fluxes stored, gather", "scatter, by colours"]


class BenchFaceSums(InFolder):
    def bench(self, *arguments, **variables):
        return subprocess.run([str(BENCH), *arguments], cwd=self.folder, env=environment() | variables, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=PATIENCE)

    def test_forms_agree_and_repeat_their_bits(self):
        done = self.bench("1000", "host", "all", "all")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(done.stdout.splitlines()[-1])["rows"]
        self.assertEqual([(row["elements"], row["order"], row["layout"], row["form"]) for row in rows],
                         [(elements, order, layout, form) for elements in ("hexahedra", "tetrahedra")
                          for order in ("hilbert", "rcm", "as_read") for layout in ("AoS", "SoA") for form in FORMS])
        for row in rows:
            self.assertEqual(row["cells"], {"hexahedra": 10**3, "tetrahedra": 6 * 6**3}[row["elements"]])
            self.assertTrue(row["same_bits"])
            self.assertLess(float(row["difference"]), 1e-12)
            self.assertGreater(row["bytes"], 0)
            self.assertGreater(row["seconds"], 0)
            # A cell's faces have colours of their own, and a greedy colour is the first that neither cell has.
            faces = {"hexahedra": 6, "tetrahedra": 4}[row["elements"]]
            if row["form"] == "scatter, by colours":
                self.assertIn(row["kernels"] - 1, range(faces, 2 * faces))

    def test_one_of_several_ranks_computes(self):
        done = subprocess.run(["mpirun", "--oversubscribe", "-n", "2", str(BENCH), "1000", "host", "hexahedra"], cwd=self.folder,
                              env=environment() | MPIRUN, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count('"bench"'), 1)

    def test_without_a_gpu_there_is_nothing_to_measure(self):
        done = self.bench("1000", CUDA_VISIBLE_DEVICES="")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nothing to measure: ", done.stdout)

    def test_wrong_arguments(self):
        for arguments, says in ((["many"], '"many"'), (["0"], '"0"'), (["1000", "gpu"], '"gpu"'), (["1000", "host", "quads"], '"quads"'),
                                (["1000", "host", "all", "random"], '"random"'), (["--json"], "--json")):
            with self.subTest(arguments=arguments):
                done = self.bench(*arguments)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(says, done.stderr)
                self.assertIn("; see bench_flow_face_sums --help", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
