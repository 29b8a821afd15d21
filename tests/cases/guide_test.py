"""Runs the commands of every ```sh block of docs/guide/*.md and of the README's block of commands, which must do what they say.

    guide_test.py path/to/weft [unittest arguments]

Each block runs in a folder with the cases, meshes and small results that its page names. Runs are cut short. A block that cannot run in
a test follows a line `<!-- not run: REASON -->`; their number is a constant here. tutorial_test.py runs the ```console blocks. Exits with
77 where h5py or matplotlib is missing, with which pictures are drawn.
"""
import os
import re
import shutil
import subprocess
import sys
import unittest

try:
    import h5py  # noqa: F401
    import matplotlib  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}; apt-get install python3-h5py python3-numpy python3-matplotlib")
    sys.exit(77)

from weft_support import COARSE, PATIENCE, SOURCE, WEFT, InFolder, environment, sets

GUIDE = SOURCE / "docs" / "guide"
NOT_RUN = 6  # blocks: quickstart, Gmsh, pip, kernels on a GPU, a build with nvcc, a batch system
BLOCK = re.compile(r"^(?:<!-- not run: ([^\n]+) -->\n)?```(\w*)\n(.*?)^```", re.S | re.M)
DRAWN = (".png", ".pdf", ".gif", ".svg")


def blocks(page):
    """Yields (reason why it is not run, commands) of each sh block."""
    for reason, language, text in BLOCK.findall(page.read_text()):
        if language == "sh":
            lines = [re.split(r"\s+#", line)[0].strip() for line in text.splitlines()]
            yield reason, [line for line in lines if line]


class Guide(InFolder):
    def shell(self, command):
        """Runs a command as a reader does, but cuts runs short; it must succeed without a word on standard error."""
        if re.search(r"weft run ", command):
            self.runs = getattr(self, "runs", 0) + 1
            command = re.sub(r"(run naca0012\.toml)", rf"\1 {' '.join(sets(*COARSE['naca0012'], 'stop.steps=20', 'output.history_steps=5'))}",
                             command)
            if "--sweep" in command:  # each has the page's folder for itself
                command += f" --set output.directory=results/sweep_{self.runs}"
        variables = {"PATH": f"{WEFT.parent}:{os.environ['PATH']}", "HOME": str(self.folder), "LC_ALL": "C.UTF-8", "MANPAGER": "cat"}
        done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], cwd=self.folder, env=environment() | variables,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=2 * PATIENCE, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), f"{command}\n{done.stdout}")
        for line in done.stdout.splitlines():
            if line.endswith(DRAWN) and " " not in line:
                self.assertTrue((self.folder / line).exists(), line)
        return done.stdout

    def run_page(self, page):
        count = 0
        for reason, commands in blocks(page):
            for command in commands if not reason else []:
                if "man -l" in command and not shutil.which("man"):
                    continue
                with self.subTest(page=page.name, command=command):
                    printed = self.shell(command)
                    count += 1
                    if command.startswith("weft plot") and "--list" not in command and "--help" not in command:
                        self.assertTrue(printed.strip().endswith(DRAWN), printed)
        return count

    def test_blocks_that_are_not_run(self):
        reasons = [reason for page in sorted(GUIDE.glob("*.md")) for reason, _ in blocks(page) if reason]
        self.assertEqual(len(reasons), NOT_RUN, reasons)
        for page in GUIDE.glob("*.md"):  # no block of commands hides behind another language, or none
            for _, language, text in BLOCK.findall(page.read_text()):
                if language not in ("sh", "console"):
                    self.assertNotRegex(text, r"(?m)^(\$ )?(weft|gmsh|mpirun) ", f"{page.name}: mark this block as sh")

    def test_looking(self):
        for name, steps in (("naca0012", 800), ("forward_step", 5), ("sod", 5)):
            self.weft("run", *self.coarse(name, "output.history_steps=20", steps=steps, results=f"results/{name}"))
        self.small_wing("results/wing", steps=800)
        self.weft("mesh", "generate", "naca", "naca.su2", "-p", "around=24", "-p", "radial=8")
        (self.folder / "results" / "polar").mkdir()
        (self.folder / "results" / "polar" / "polar.csv").write_text(
            "free_stream.alpha,wing_cl,wing_cd,wing_cm,steps,residual,outcome,folder,verdict\n0,0.1,0.01,0,9,1e-3,good,a,good\n"
            "1,0.2,0.02,0,9,1e-3,good,b,good\n")
        self.assertGreater(self.run_page(GUIDE / "looking.md"), 15)
        self.assertEqual(self.run_page(GUIDE / "output.md"), 3)

    def test_sweep(self):
        self.weft("new", "naca0012")
        self.assertEqual(self.run_page(GUIDE / "sweep.md"), 3)

    def test_meshes(self):
        self.weft("mesh", "generate", "naca", "wing.msh", "-p", "around=32", "-p", "radial=8")
        self.assertEqual(self.run_page(GUIDE / "meshes.md"), 4)

    def test_command_line(self):
        for folder in (".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"):
            (self.folder / folder).mkdir(parents=True)
        self.assertGreaterEqual(self.run_page(GUIDE / "command_line.md"), 3)

    def test_where_time_goes(self):
        self.weft("new", "naca0012")
        self.assertEqual(self.run_page(GUIDE / "where_time_goes.md"), 3)
        self.assertIn('id="timeline"', (self.folder / "results" / "naca0012" / "report.html").read_text())

    def test_roofline(self):
        self.weft("new", "forward_step")
        self.assertEqual(self.run_page(GUIDE / "roofline.md"), 3)
        self.assertIn('id="roofline"', (self.folder / "results" / "forward_step" / "report.html").read_text())

    def test_no_page_is_left_out(self):
        run = {"roofline.md", "where_time_goes.md", "looking.md", "output.md", "sweep.md", "meshes.md", "command_line.md"}
        self.assertEqual({page.name for page in GUIDE.glob("*.md") if any(not reason for reason, _ in blocks(page))}, run)

    def test_the_readme(self):
        block = [commands for _, commands in blocks(SOURCE / "README.md") if commands[0].startswith("weft=")]
        self.assertEqual(len(block), 1)
        for command in block[0][1:]:
            with self.subTest(command=command):
                self.shell(command.replace("$weft", "weft"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
