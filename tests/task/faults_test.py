"""Faults of one rank in a task graph: a task throws, a rank dies, hangs, or is late. No rank waits for ever.

    faults_test.py path/to/task_faults [unittest arguments]
"""
import os
import re
import subprocess
import sys
import time
import unittest

PROGRAM = sys.argv.pop(1)
PATIENCE = 60  # s; what a test takes is far below
RANKS = 2


class Faults(unittest.TestCase):
    def job(self, fault, threads=1):
        """Returns exit code, output, and seconds of a job whose last rank misbehaves."""
        began = time.monotonic()
        run = subprocess.run(["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(RANKS), PROGRAM, fault, str(threads)],
                             capture_output=True, text=True, timeout=PATIENCE, env=os.environ)
        return run.returncode, run.stdout + run.stderr, time.monotonic() - began

    def test_a_task_that_throws_ends_the_run_on_all_ranks(self):
        for threads in (1, 2):
            code, shown, _ = self.job("throw", threads)
            self.assertEqual(code, 3, shown)
            for rank in range(RANKS):
                self.assertIn(f"rank {rank}: task 'add': the pressure of cell 3 is negative; use a smaller time step", shown)

    def test_the_death_of_a_rank_ends_the_job(self):
        code, shown, seconds = self.job("kill")
        self.assertNotEqual(code, 0, shown)
        self.assertLess(seconds, 30)
        self.assertNotIn("sum", shown)

    def test_the_watchdog_names_tasks_rows_rank_and_bytes(self):
        code, shown, _ = self.job("hang")
        self.assertEqual(code, 124, shown)
        self.assertRegex(shown, r"weft: watchdog: rank 0 of 2 has waited \S+ s for the other ranks \(ghost rows of a task\)")
        self.assertIn("'finish pull u' waits for rank 1 (16 bytes); the ghost rows of 'u' are stale", shown)
        self.assertIn("tasks that wait: 'copy', 'measure'", shown)
        self.assertRegex(shown, r"rank 1 of 2 has computed for \S+ s since ")

    def test_a_late_rank_changes_nothing(self):
        for threads in (1, 2):
            code, shown, _ = self.job("late", threads)
            self.assertEqual(code, 0, shown)
            self.assertTrue(re.search(rf"^sum {5 * RANKS}$", shown, re.M), shown)
            self.assertNotIn("watchdog", shown)


if __name__ == "__main__":
    unittest.main()
