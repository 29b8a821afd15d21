"""tools/detail/soak.py: a short soak on the host passes, one that is stopped leaves no process running, and its check of the memory detects leaks.

    soak_test.py path/to/weft [unittest arguments]
"""
import argparse
import os
import signal
import subprocess
import sys
import time
import unittest
from unittest import mock

from weft_support import PATIENCE, SOURCE, WEFT, InFolder, descendants, environment, is_rank

sys.path.insert(0, str(SOURCE / "tools" / "detail"))
import soak


class OnTheHost(InFolder):
    def start(self, seconds):
        # AddressSanitizer keeps what was freed, up to this much (256 MiB by default): a process may grow by it.
        variables = {"TMPDIR": str(self.folder), "ASAN_OPTIONS": "quarantine_size_mb=1"}
        process = subprocess.Popen([sys.executable, soak.__file__, "--weft", WEFT, "--device", "host", "--seconds", str(seconds), "--edge", "10"],
                                   env=environment() | variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.kill)
        return process

    def wait_until(self, true):
        deadline = time.monotonic() + PATIENCE
        while not true():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_short(self):
        process = self.start(4)
        output, _ = process.communicate(timeout=5 * PATIENCE)
        self.assertEqual(process.returncode, 0, output)
        for row in ("conservation", "host memory", "same bits", "end", "killed rank"):
            self.assertIn(f"  ok   {row}: ", output)

    def test_stopped(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number):
                process = self.start(10 * PATIENCE)
                self.wait_until(lambda: sum(map(is_rank, descendants(process.pid))) == 3)  # weft, and the two ranks that it starts
                started = descendants(process.pid)
                process.send_signal(number)
                output, _ = process.communicate(timeout=PATIENCE)
                self.assertNotEqual(process.returncode, 0, output)
                self.wait_until(lambda: not any(map(is_rank, started)))
                self.assertEqual(list(self.folder.glob("weft-soak-*")), [])


class Memory(InFolder):
    def setUp(self):
        super().setUp()
        self.soak = soak.Soak(argparse.Namespace(device="cuda", edge=None, interval=None), self.folder)
        self.rows = []
        self.soak.row = lambda what, good, text: self.rows.append((what, good, text))

    def judge(self, host, device=(None,) * 20):
        self.rows.clear()
        self.soak.judge_memory([(float(at), *both) for at, both in enumerate(zip(host, device))])
        return [good for _, good, _ in self.rows]

    def test_without_nvidia_smi(self):
        with mock.patch.dict(os.environ, PATH=str(self.folder)):
            host, device = self.soak.memory(os.getsid(0))
        self.assertIsNone(device)
        self.assertGreaterEqual(host, 0)
        self.assertEqual(self.judge([100] * 20), [True, True])
        self.assertEqual(self.rows[1][2], "nvidia-smi reports nothing")

    def test_growth(self):
        self.assertEqual(self.judge([10] * 6 + [100] * 14, [10] * 6 + [500] * 14), [True, True])  # runs that had not settled
        self.assertIn("other processes counts", self.rows[1][2])
        self.assertEqual(self.judge([100] * 15 + [109] * 5, [500] * 20), [False, True])
        self.assertEqual(self.judge([100] * 20, [500] * 15 + [505] + [500] * 4), [True, False])

    def test_too_few_looks(self):
        self.assertEqual(self.judge([100] * 7, [500] * 7), [True, True])
        self.assertEqual(self.judge([100] * 6, [500] * 6), [False, False])
        self.assertIn("too short: 4 looks", self.rows[0][2])
        self.assertEqual(self.judge([]), [False, True])


if __name__ == "__main__":
    unittest.main(verbosity=2)
