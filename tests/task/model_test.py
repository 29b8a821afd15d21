"""Checks the model of the executor of task graphs with spin: all orders of steps are right, and each mutation is found.

    model_test.py path/to/executor.pml [unittest arguments]

Exits with 77 where spin is not installed.
"""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MODEL = Path(sys.argv.pop(1)).resolve()
MUTATIONS = ("SLEEP", "COUNT", "ORDER", "WAKE", "LOSE")


def search(*options):
    """Returns the report of a search of all states."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["spin", *options, "-a", MODEL], cwd=folder, check=True, capture_output=True, text=True)
        flags = ["-O2", "-w", "-DSAFETY", "-DCOLLAPSE", "-DMEMLIM=2000"]
        subprocess.run(["cc", *flags, "-o", "pan", "pan.c"], cwd=folder, check=True)
        return subprocess.run(["./pan", "-m1000000"], cwd=folder, check=False, capture_output=True, text=True).stdout


class Model(unittest.TestCase):
    def test_every_order_of_steps_is_right(self):
        report = search()
        self.assertRegex(report, r"errors: 0\b")
        self.assertNotIn("Search not completed", report)
        self.assertGreater(float(re.search(r"([\d.e+]+) states, stored", report)[1]), 1e6)

    def test_mutations_are_found(self):
        for mutation in MUTATIONS:
            with self.subTest(mutation):
                self.assertIn(mutation, MODEL.read_text())
                self.assertRegex(search(f"-D{mutation}"), r"pan:1: (invalid end state|assertion violated)")


if __name__ == "__main__":
    if shutil.which("spin") is None:
        print("skipped: spin is not installed (Debian: spin)")
        sys.exit(77)
    unittest.main()
