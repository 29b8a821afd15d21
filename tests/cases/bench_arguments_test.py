"""The benchmark programs of a build, in the folder of weft: each describes its arguments and rejects others before it measures anything.

    bench_arguments_test.py path/to/weft [unittest arguments]
"""
import re
import subprocess
import unittest

from weft_support import PATIENCE, WEFT, InFolder, environment

PROGRAMS = sorted(WEFT.parent.glob("bench_*"))
WRONG_VALUES = {"bench_kernels_linear": ["--edge"], "bench_kernels_linear_host": ["--edge", "--threads"], "bench_task_overlap": ["--rows", "--tasks"],
                "bench_mesh_build": ["--n", "--threads"], "bench_array_exchange": ["--seconds"]}


class BenchArguments(InFolder):
    def run_program(self, program, *arguments):
        return subprocess.run([program, *arguments], cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=PATIENCE, check=False)

    def refused(self, program, *arguments):
        done = self.run_program(program, *arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("error: "), 1, done.stderr)
        self.assertTrue(done.stderr.startswith(f"{program.name}: error: "), done.stderr)
        self.assertTrue(done.stderr.endswith(f"; see {program.name} --help\n"), done.stderr)
        return done.stderr

    def test_help_and_wrong_arguments(self):
        self.assertGreater(len(PROGRAMS), 5)
        limited = set()
        for program in PROGRAMS:
            with self.subTest(program=program.name):
                done = self.run_program(program, "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(f"Usage: {program.name} [OPTIONS]", done.stdout)
                self.assertIn("--fast", self.refused(program, "--fast"))
                self.refused(program, "--fast", "3")
                for option in WRONG_VALUES.get(program.name, []):
                    for word in ("-1", "0x", "many", ""):
                        self.assertIn(f"error: {option}: ", self.refused(program, f"{option}={word}"))
                    self.assertIn(f"error: {option}: ", self.refused(program, option))
                for option, most in re.findall(r"(--\w+) .*, at most (\d+): ", done.stdout):
                    limited.add((program.name, option))
                    self.assertIn(f'"{int(most) + 1}" is no whole number from 1 to {most};', self.refused(program, f"{option}={int(most) + 1}"))
        for name in {"bench_kernels_linear", "bench_kernels_linear_host"} & {program.name for program in PROGRAMS}:
            self.assertIn((name, "--edge"), limited)  # larger boxes have counts beyond 32 bits


if __name__ == "__main__":
    unittest.main(verbosity=2)
