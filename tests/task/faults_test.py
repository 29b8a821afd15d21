"""Faults of one rank in a task graph: a task throws, a rank dies, hangs, or is late; a file of an I/O task cannot be written. No
rank waits for ever, and files that were written stay whole.

    faults_test.py path/to/task_faults [unittest arguments]
"""
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = sys.argv.pop(1)
PATIENCE = 60  # s; what a test takes is far below
RANKS = 2


def command(fault, threads, *output):
    """The command line of a job whose last rank misbehaves. output: the folder and the size of the files."""
    return ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(RANKS), PROGRAM, fault, str(threads), *map(str, output)]


class Job(unittest.TestCase):
    def job(self, fault, threads=1, *output):
        """Returns exit code, output, and seconds of such a job."""
        began = time.monotonic()
        run = subprocess.run(command(fault, threads, *output), capture_output=True, text=True, timeout=PATIENCE, env=os.environ)
        return run.returncode, run.stdout + run.stderr, time.monotonic() - began


class Faults(Job):
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


class FaultsOfOutput(Job):
    """Each of five iterations replaces the file of each rank; its bytes are the number of the iteration."""
    LONG = 32 << 20  # bytes that are written for longer than a fault takes

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def state(self, rank, size):
        """Returns the iteration whose state the file of a rank has, and checks that it is whole."""
        content = (self.folder / f"state_{rank}.txt").read_bytes()
        self.assertEqual(content, content[:1] * size)
        return int(content[:1])

    def expect_error_on_every_rank(self, shown, error):
        for rank in range(RANKS):
            self.assertRegex(shown, rf"(?m)^rank {rank}: {error}")

    def test_without_a_fault_every_file_has_the_last_state(self):
        code, shown, _ = self.job("", 1, self.folder, 1000)
        self.assertEqual(code, 0, shown)
        self.assertEqual([self.state(rank, 1000) for rank in range(RANKS)], [5] * RANKS)

    def test_a_file_that_cannot_be_opened_ends_the_run_on_all_ranks(self):
        for threads in (1, 2):
            code, shown, _ = self.job("missing", threads, self.folder, 1000)
            self.assertEqual(code, 3, shown)
            name = re.escape(str(self.folder / "missing" / f"state_{RANKS - 1}.txt"))
            self.expect_error_on_every_rank(shown, rf"{name}: task 'write': cannot write it: its directory does not exist")
            self.assertEqual(self.state(0, 1000), 5)
            self.assertIn(self.state(RANKS - 1, 1000), (2, 4, 5))  # copies that were taken before the error are written

    def test_a_task_that_throws_while_a_file_is_written(self):
        for threads in (1, 2):
            code, shown, _ = self.job("throw", threads, self.folder, self.LONG)
            self.assertEqual(code, 3, shown)
            self.expect_error_on_every_rank(shown, "task 'add': the pressure of cell 3 is negative")
            self.assertEqual([self.state(0, self.LONG), self.state(RANKS - 1, self.LONG)], [5, 3])
            self.assertEqual(list(self.folder.glob("*.part")), [])

    def test_a_rank_that_dies_while_it_writes_leaves_the_last_whole_file(self):
        code, shown, seconds = self.job("kill", 1, self.folder, self.LONG)
        self.assertNotEqual(code, 0, shown)
        self.assertLess(seconds, 30)
        self.assertEqual(self.state(RANKS - 1, self.LONG), 2)
        self.state(0, self.LONG)

    def test_a_full_disk_ends_the_run_on_all_ranks(self):
        alone = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
        if subprocess.run([*alone, "mount -t tmpfs tmpfs /mnt"], capture_output=True).returncode:
            self.skipTest("needs to mount a small file system, which this user or container may not")
        size = 100000
        script = (f'mount -t tmpfs -o size=1024k tmpfs /mnt && "$@" 2>&1; code=$?; rm -f /mnt/fill; cp /mnt/* "{self.folder}";'
                  ' exit $code')
        run = subprocess.run([*alone, script, "nothing", *command("full", 1, "/mnt", size)], stdout=subprocess.PIPE, text=True,
                             timeout=PATIENCE, env=os.environ)
        self.assertEqual(run.returncode, 3, run.stdout)
        self.expect_error_on_every_rank(run.stdout, r"/mnt/state_\d.txt: task 'write': cannot write all of it: No space left on device")
        self.assertEqual(self.state(RANKS - 1, size), 2)
        self.state(0, size)
        self.assertEqual(list(self.folder.glob("*.part")), [])


if __name__ == "__main__":
    unittest.main()
