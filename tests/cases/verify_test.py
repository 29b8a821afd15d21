"""tools/verify: a page states what is missing when the command is interrupted, and is completed later; also without matplotlib. Known misses.
--meshes says which files it skipped, and fails on one that cannot be read and on a folder without any. The reference for blunt bodies.

    verify_test.py path/to/weft
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy

VERIFY = pathlib.Path(__file__).resolve().parents[2] / "tools" / "verify"

sys.path.insert(0, str(VERIFY.parent / "detail"))
from blunt_body_solution import BluntBody, interpolation, pitot  # noqa: E402
from verification import Known, Report, outcome  # noqa: E402
from verify_common import order_row  # noqa: E402
from verify_meshes import within  # noqa: E402

WEFT = pathlib.Path(sys.argv.pop(1)).resolve()
FILES = ["naca0012_inv.su2", "wedge_inv.su2", "sphere_slice_mixed.su2", "euler_vortex.msh", "onera_m6.msh"]
# Stands for weft on a machine with a GPU: computes free streams, on the host. Other runs fail. All hang while there is a file "hang", those of the vortex
# while there is a file "hang_in_vortex".
STAND_IN = """#!/bin/sh
[ "$1" = info ] && { echo "machine 16 hardware threads, 64 GiB memory"; echo "GPU 0  $(cat FOLDER/name), 1 GiB"; exit; }
echo "$CUDA_VISIBLE_DEVICES" >> FOLDER/gpus
[ -e FOLDER/hang ] && sleep 100
case "$2" in
  */free_*) file=$2; shift 4; exec WEFT run "$file" "$@" --set stop.steps=2 ;;
  */vortex_*) [ -e FOLDER/hang_in_vortex ] && sleep 100 ;;
esac
echo "a stand-in does not run $2" >&2
exit 1
"""


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "matplotlib.py").write_text("raise ImportError('this machine has none')\n")
        (self.folder / "weft").write_text(STAND_IN.replace("WEFT", str(WEFT)).replace("FOLDER", str(self.folder)))
        (self.folder / "weft").chmod(0o755)
        (self.folder / "name").write_text("A GPU")
        self.page = self.folder / "gpu.md"

    def start(self, *options):
        words = [sys.executable, VERIFY, "--weft", self.folder / "weft", "--device", "cuda", "-n", "1", "--full", "--write", "--page", self.page]
        return subprocess.Popen([*words, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                env=dict(os.environ, PYTHONPATH=str(self.folder), PYTHONDONTWRITEBYTECODE="1", CUDA_VISIBLE_DEVICES="2,5"))

    def cut_off(self, after, *options):
        """@returns what a command said before and in the line that holds `after`, and ends it there."""
        process, output = self.start(*options), ""
        while after not in output:
            line = process.stdout.readline()
            self.assertNotEqual(line, "", output)
            output += line
        process.terminate()
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.assertEqual(self.runs(), [])
        return output

    def runs(self):
        """Commands of the stand-in that go on."""
        found = []
        for file in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                found.append(file.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
            except OSError:
                pass  # it has ended
        return [command for command in found if f"{self.folder}/weft run" in command]

    def test_cut_off_and_resumed(self):
        (self.folder / "hang_in_vortex").touch()
        output = self.cut_off("== Isentropic vortex")
        page = self.page.read_text()
        self.assertIn("Written by `tools/verify --full --device cuda --write -n 1`;", page)
        self.assertIn("(1 x A GPU, 16 hardware threads)", page)
        self.assertIn("**Not complete**: the command was cut off, or has not ended yet. Rows are missing of: vortex, ", " ".join(page.split()))
        self.assertEqual(page.count("| pass |"), 8, output)
        self.assertEqual(page.count("| **FAIL** |"), 1, output)

        # Another page does not go on from there, nor does another machine.
        (self.folder / "hang_in_vortex").rename(self.folder / "hang")
        self.assertIn("nothing to resume", self.cut_off("== Free stream", "--resume", "--page", self.folder / "other.md"))
        (self.folder / "name").write_text("Another GPU")
        self.assertIn("nothing to resume", self.cut_off("== Free stream", "--resume"))

        (self.folder / "name").write_text("A GPU")
        (self.folder / "hang").unlink()
        process = self.start("--resume", "--jobs", "4")
        output, _ = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 1, output)  # all the others fail
        self.assertIn("resumed after free_stream\n", output)
        self.assertIn("FAIL conservation: conservation: the run failed", output)
        self.assertIn("FAIL naca: naca: the run failed", output)
        page = self.page.read_text()
        self.assertNotIn("Not complete", page)
        self.assertEqual(page.count("| pass |"), 8)
        self.assertLess(page.index("## Free stream"), page.index("## NACA 0012"))
        runs = (self.folder / "gpus").read_text().split()
        self.assertGreater(len(runs), 8)
        self.assertEqual(set(runs), {"2", "5"})  # each run uses one of the GPUs that the command may use


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
        self.assertIn("--write needs every file", self.verify("--meshes", self.folder, "--write", "--device", "cuda"))

    def test_wrong_options(self):
        self.assertIn("there is no such folder", self.verify("--meshes", self.folder / "none", code=2))
        self.assertIn("goes without --full and --only", self.verify("--meshes", self.folder, "--full", code=2))
        self.assertIn("or with --meshes", self.verify("--write", code=2))
        self.assertIn("go with --full --write", self.verify("--page", self.folder / "page.md", code=2))
        self.assertIn("goes with --device cuda", self.verify("--full", "--write", "--page", self.folder / "page.md", code=2))
        self.assertIn("1 with --meshes", self.verify("--meshes", self.folder, "--jobs", "2", code=2))


class KnownMiss(unittest.TestCase):
    """A declared miss, its page and the exit code."""

    def report(self, full=True):
        report = Report(full)
        report.section("Title", "Text.")
        return report

    def order(self, order, full=True, **options):
        """Returns the last column of a row with this order, and what the command says."""
        report = self.report(full)
        order_row(report, "what", (16, 32), (1.0, 2.0 ** -order), 1.8, known=Known("a reason", most=0.05, noise=0.01), **options)
        return report.markdown("# Page").splitlines()[-1].split(" | ")[-1], *outcome([report])

    def test_order(self):
        self.assertEqual(self.order(1.76), ("**missed** (known: a reason) |", "0 passed, 1 missed as known, 0 failed", 0))
        self.assertEqual(self.order(1.74), ("**FAIL** (by more than the 0.05 of the known miss: a reason) |", "0 passed, 1 failed", 1))
        self.assertEqual(self.order(1.805), ("pass (within the noise of 0.01 of a known miss: a reason) |", "1 passed, 0 failed", 0))
        self.assertEqual(self.order(1.82), ("**FAIL** (keeps its gate; remove the known miss: a reason) |", "0 passed, 1 failed", 1))
        self.assertEqual(self.order(float("nan"))[1:], ("0 passed, 1 failed", 1))
        # On coarse grids the gate is lower. A bound on the error is another gate.
        self.assertEqual(self.order(1.76, full=False), ("pass |", "1 passed, 0 failed", 0))
        self.assertEqual(self.order(1.76, bound=0.1), ("**FAIL** |", "0 passed, 1 failed", 1))

    def test_percent(self):
        for value, verdict in ((0.964, "FAIL"), (0.968, "missed"), (0.99, "FAIL"), (1.032, "FAIL")):
            report = self.report()
            within(report, "what", value, 1, 3, known=Known("a reason", most=0.5))
            self.assertIn(f"**{verdict}**", report.markdown("# Page"))

    def test_rows_without_a_declaration(self):
        report = self.report()
        report.row("one", "0", "0", True)
        report.row("two", "1", "0", False)
        self.assertIn("| one | 0 | 0 | pass |\n| two | 1 | 0 | **FAIL** |\n", report.markdown("# Page"))
        self.assertEqual(outcome([report, report]), ("2 passed, 2 failed", 1))


class BluntBodySolution(unittest.TestCase):
    """The spectral solution satisfies what its equations do not contain."""

    def test_exact_relations(self):
        for mach in (3, 10):
            solution = BluntBody(mach, radial=10, angular=9, degrees=65)
            self.assertAlmostEqual(solution.pressure[0, 0] / pitot(mach), 1, delta=1e-5)
            # The flow between body and shock is that of the stream below the shock.
            chord = numpy.polynomial.legendre.leggauss(20)
            xi, weight = (chord[0] + 1) / 2, chord[1] / 2
            at = interpolation(xi, solution.xi, solution.xi_weight)
            flow = (weight @ (at @ (solution.density * solution.v))) * (solution.shock - 1)
            stream = mach * solution.shock * numpy.sin(solution.theta)
            self.assertLess(abs(flow - stream).max(), 1e-4 * stream.max())
            # Entropy is constant along the body.
            entropy = solution.pressure[0] / solution.density[0] ** 1.4
            self.assertLess(abs(entropy / entropy[0] - 1).max(), 1e-4)

    def test_does_not_depend_on_the_points(self):
        self.assertAlmostEqual(BluntBody(3).distance, 0.69812, delta=5e-6)
        self.assertAlmostEqual(BluntBody(3, radial=10, angular=10, degrees=65).distance, 0.69812, delta=3e-5)

    def test_end_in_subsonic_flow(self):
        with self.assertRaisesRegex(ValueError, "subsonic"):
            BluntBody(3, radial=8, angular=8, degrees=50)


if __name__ == "__main__":
    unittest.main()
