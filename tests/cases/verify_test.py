"""tools/verify --meshes: says which files it skipped, and fails on one that cannot be read and on a folder without any.

    verify_test.py path/to/weft
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

VERIFY = pathlib.Path(__file__).resolve().parents[2] / "tools" / "verify"
WEFT = pathlib.Path(sys.argv.pop(1)).resolve()
FILES = ["naca0012_inv.su2", "wedge_inv.su2", "sphere_slice_mixed.su2", "euler_vortex.msh", "onera_m6.msh"]


class Meshes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def verify(self, *options, code=1):
        done = subprocess.run([sys.executable, VERIFY, "--weft", WEFT, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def test_empty_folder(self):
        output = self.verify("--meshes", self.folder)
        for name in FILES:
            self.assertIn(f"skipped {name}: it is not in {self.folder}\n", output)
        self.assertIn("nothing to run", output)

    def test_truncated_file(self):
        (self.folder / "wedge_inv.su2").write_text("NDIME= 2\nNELEM= 2\n9 0 1 2 3\n")
        output = self.verify("--meshes", self.folder)
        self.assertIn("FAIL wedge_inv.su2: the run failed", output)
        self.assertIn("wedge_inv.su2:3: NELEM= 2 announces 2 lines, but 1 follow", output)
        self.assertIn("0 passed, 1 failed, 4 meshes skipped", output)
        self.assertIn("skipped euler_vortex.msh", output)

    def test_writes_no_page_without_every_file(self):
        (self.folder / "euler_vortex.msh").touch()
        self.assertIn("--write needs every file", self.verify("--meshes", self.folder, "--write"))

    def test_wrong_options(self):
        self.assertIn("there is no such folder", self.verify("--meshes", self.folder / "none", code=2))
        self.assertIn("goes without --full and --only", self.verify("--meshes", self.folder, "--full", code=2))
        self.assertIn("or with --meshes", self.verify("--write", code=2))
        self.assertIn("without --device cuda", self.verify("--meshes", self.folder, "--device", "cuda", "--write", code=2))


if __name__ == "__main__":
    unittest.main()
