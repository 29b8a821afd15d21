"""tools/detail/gpu_tests.py, and the stages of tools/gpu-check that it runs, with programs in place of GoogleTest's and a sanitizer.

    gpu_tests_test.py path/to/weft [unittest arguments]
"""
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

from weft_support import PATIENCE, SOURCE, InFolder, alive, at_work, descendants

SCRIPT = SOURCE / "tools" / "detail" / "gpu_tests.py"
# Runs tests by their names: each writes its name into the file `ran`.
PROGRAM = """#!/usr/bin/env python3
import fnmatch, os, sys, time
TESTS = ["CudaFast.a", "CudaFast.b", "CudaFast.c/0", "CudaFast.c/1", "CudaSlow.a", "CudaSkips.a", "CudaFails.a", "CudaNccl.a", "Host.a"]
options = dict(word.lstrip("-").partition("=")[::2] for word in sys.argv[1:])
chosen, _, out = options["gtest_filter"].partition("-")
names = [n for n in TESTS if any(fnmatch.fnmatch(n, p) for p in chosen.split(":")) and not any(fnmatch.fnmatch(n, p) for p in out.split(":"))]
if "gtest_list_tests" in options:
    for suite in dict.fromkeys(n.split(".")[0] for n in names):
        print(suite + ".")
        for n in names:
            if n.startswith(suite + "."):
                print("  " + n.split(".")[1] + "  # GetParam() = 1")
    sys.exit()
code = 0
for n in names:
    with open("ran", "a") as ran:
        ran.write(f"{n} on {os.environ.get('CUDA_VISIBLE_DEVICES')}\\n")
    print("[ RUN      ] " + n, flush=True)
    if "Slow" in n and os.path.exists("slow"):
        time.sleep(100)
    if "Fails" in n and not os.path.exists("repaired"):
        print(f"[  FAILED  ] {n} (1 ms)", flush=True)
        code = 1
    else:
        print(f"[  {'SKIPPED ]' if 'Skips' in n else '     OK ]'} {n} (1 ms)", flush=True)
print("[  PASSED  ] 1 test.")
sys.exit(1 if os.path.exists("fails_on_rank_1") else code)
"""
SANITIZER = """#!/usr/bin/env python3
import os, subprocess, sys
print("========= COMPUTE-SANITIZER", flush=True)
leaks = open("leak").read().split() if "memcheck" in sys.argv and os.path.exists("leak") else []
for library in leaks:
    print(f"========= Leaked 512 bytes at 0x1\\n=========     Host Frame: x in {library}\\n=========", flush=True)
program = next(k for k, word in enumerate(sys.argv) if word.endswith("_tests"))
done = subprocess.run(sys.argv[program:])
if os.path.exists("hazard"):
    print("========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)")
print(f"========= ERROR SUMMARY: {len(leaks)} errors", flush=True)
sys.exit(9 if leaks else done.returncode)
"""
# Runs a script of Python; when a slow test has begun, a thread that is not the main one receives SIGTERM.
ON_ANOTHER_THREAD = """
import runpy, signal, sys, threading, time
def receive():
    while "Slow" not in open("ran").read():
        time.sleep(0.05)
    time.sleep(0.2)
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
threading.Thread(target=receive, daemon=True).start()
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
# Ends a group that ignores SIGTERM, as does a process in a session of its own that it has started. Prints the numbers of both.
STUBBORN = """
source "$1"
set -m
(trap '' TERM; setsid sh -c 'echo $$ >below; exec sleep 60' & exec sleep 60) &
set +m
until [[ -s below ]]; do sleep 0.05; done
cat below
echo $!
sleep() { :; }
end_processes $!
"""


class Replaced(InFolder):
    def setUp(self):
        super().setUp()
        for name, text in (("x_tests", PROGRAM), ("compute-sanitizer", SANITIZER)):
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)
        (self.folder / "ran").touch()


class InGroups(Replaced):
    def run_groups(self, *options, code, chosen="*uda*:-*Fails*", before=(), jobs=2):
        """Returns what is printed, and the tests that ran."""
        (self.folder / "ran").write_text("")
        environment = {name: value for name, value in os.environ.items() if name != "CUDA_VISIBLE_DEVICES"}
        done = subprocess.run([sys.executable, SCRIPT, "--passed", "passed/x.json", "--filter", chosen, "--jobs", str(jobs), *options,
                               f"{self.folder}/x_tests", *(["--", *before] if before else [])],
                              cwd=self.folder, env=environment, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, sorted(line.split()[0] for line in (self.folder / "ran").read_text().splitlines())

    def test_run_once_until_they_have_passed(self):
        said, ran = self.run_groups(code=0, chosen="*uda*:-*Fails*:*Skips*")
        self.assertEqual(ran, ["CudaFast.a", "CudaFast.b", "CudaFast.c/0", "CudaFast.c/1", "CudaNccl.a", "CudaSlow.a"])
        self.assertIn("6 passed (0 in earlier calls), 0 failed, 0 skipped, 0 to be run again", said)
        said, ran = self.run_groups(code=1, chosen="*uda*")
        self.assertEqual(ran, ["CudaFails.a", "CudaSkips.a"])
        self.assertIn("6 passed (6 in earlier calls), 1 failed, 1 skipped, 0 to be run again", said)
        self.assertIn("[  FAILED  ] CudaFails.a", said)
        (self.folder / "repaired").touch()
        said, ran = self.run_groups(code=0, chosen="*uda*")
        self.assertEqual(ran, ["CudaFails.a", "CudaSkips.a"])
        self.assertIn("7 passed (6 in earlier calls), 0 failed, 1 skipped", said)
        self.assertIn("    0.0 s  CudaFails.a\n", said)
        (self.folder / "x_tests").write_text(PROGRAM.replace("1 test.", "2 test."))  # another build, of the same size
        self.assertEqual(len(self.run_groups(code=0, chosen="*uda*")[1]), 8)
        self.assertEqual(len(self.run_groups(code=0, chosen="*uda*", before=("env",))[1]), 8)
        self.run_groups(code=77, chosen="nothing")
        said, _ = self.run_groups(code=1, chosen="*Skips*")
        self.assertIn("0 passed (0 in earlier calls), 0 failed, 1 skipped", said)

    def test_that_fail_without_saying_so_have_failed(self):
        for file, before in (("fails_on_rank_1", ()), ("hazard", (f"{self.folder}/compute-sanitizer", "--tool", "racecheck"))):
            with self.subTest(file):
                (self.folder / file).touch()
                said, _ = self.run_groups(code=1, before=before)
                self.assertIn("0 passed (0 in earlier calls), 7 failed, 0 skipped", said)
                (self.folder / file).unlink()
                said, ran = self.run_groups(code=0, before=before)
                self.assertEqual(len(ran), 7)

    def test_are_distributed_over_gpus(self):
        self.run_groups("--gpus", "2", code=0, jobs=4)
        gpus = {line.split()[2] for line in (self.folder / "ran").read_text().splitlines()}
        self.assertEqual(gpus, {"0", "1"})
        self.run_groups("--all-gpus", code=0, before=("env",))
        self.assertEqual({line.split()[2] for line in (self.folder / "ran").read_text().splitlines()}, {"None"})

    def test_end_at_the_time_and_go_on(self):
        (self.folder / "slow").touch()
        began = time.monotonic()
        said, _ = self.run_groups("--end", str(time.time() + 8), code=75)
        self.assertLess(time.monotonic() - began, 60)
        self.assertIn("was ended at the time, in CudaSlow.a", said)
        self.assertRegex(said, r"5 passed \(0 in earlier calls\), 0 failed, 1 skipped, 1 to be run again")
        (self.folder / "slow").unlink()
        said, ran = self.run_groups(code=0)
        self.assertEqual(ran, ["CudaSkips.a", "CudaSlow.a"])
        (self.folder / "slow").touch()  # in a group with others, of which nothing is known that sanitizers print at their end
        said, _ = self.run_groups("--end", str(time.time() + 8), code=75, chosen="*Slow*:CudaFast.[ab]", before=("env",), jobs=1)
        self.assertIn("2 passed", said)
        self.assertEqual(self.run_groups("--end", "1", code=75, before=("env",))[1], [])

    def test_end_when_another_thread_receives_the_signal(self):
        (self.folder / "slow").touch()
        done = subprocess.run([sys.executable, "-c", ON_ANOTHER_THREAD, SCRIPT, "--passed", "passed/x.json", "--filter", "CudaSlow.a",
                               f"{self.folder}/x_tests"], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, -signal.SIGTERM, done.stdout + done.stderr)
        self.assertIn("1 to be run again", done.stdout)

    def test_are_killed_with_their_group(self):
        done = subprocess.run(["bash", "-c", STUBBORN, "bash", SOURCE / "tools" / "detail" / "until_end.sh"], cwd=self.folder,
                              capture_output=True, text=True, timeout=PATIENCE)
        numbers = [int(word) for word in done.stdout.split()]
        self.assertEqual(len(numbers), 2, done.stdout + done.stderr)
        time.sleep(0.5)
        self.assertEqual([at_work(pid) for pid in numbers if alive(pid)], [])

    def test_that_hang_have_failed(self):
        (self.folder / "slow").touch()
        said, _ = self.run_groups("--patience", "2", code=1)
        self.assertIn("did not end in 2.0 s: CudaSlow.a", said)

    def test_leaks_of_nccl_are_no_errors(self):
        before = (f"{self.folder}/compute-sanitizer", "--tool", "memcheck")
        (self.folder / "leak").write_text("libnccl.so.2")
        self.run_groups("--leaks", code=0, before=before)
        (self.folder / "leak").write_text("libweft.so libnccl.so.2")
        before += ("--leak-check", "full")
        said, _ = self.run_groups("--leaks", code=1, before=before)
        self.assertIn("ended with 9", said)
        (self.folder / "leak").unlink()
        said, _ = self.run_groups("--leaks", code=0, before=before)
        self.assertIn("0 in earlier calls", said)


class Stages(Replaced):
    """Stages of tools/gpu-check, in a copy of its scripts."""

    def setUp(self):
        super().setUp()
        shutil.copytree(SOURCE / "tools", self.folder / "tools")
        (self.folder / "built" / "tests").mkdir(parents=True)
        for name in ("array_tests", "kernels_tests"):
            shutil.copy(self.folder / "x_tests", self.folder / "built" / "tests" / name)
        for name, text in (("nvidia-smi", "echo 'GPU 0'"), ("mpirun", 'while [ "${1%_tests}" = "$1" ]; do shift; done\nexec "$@"')):
            (self.folder / name).write_text(f"#!/bin/sh\n{text}\n")
            (self.folder / name).chmod(0o755)
        (self.folder / "repaired").touch()

    def check(self, stage, *more):
        """Returns exit code, what is printed, and the tests that ran."""
        (self.folder / "ran").write_text("")
        environment = {name: value for name, value in os.environ.items() if name != "CUDA_VISIBLE_DEVICES"}
        done = subprocess.run(["tools/gpu-check", "--build", "built", "--out", "logs", "--jobs", "4", "--only", stage, *more], cwd=self.folder,
                              env=environment | {"PATH": f"{self.folder}:{os.environ['PATH']}"}, capture_output=True, text=True, timeout=2 * PATIENCE)
        return done.returncode, done.stdout, sorted(line.split()[0] for line in (self.folder / "ran").read_text().splitlines())

    def test_are_continued_by_the_next_call(self):
        (self.folder / "slow").touch()
        code, said, ran = self.check("synccheck", "--seconds", "12")
        self.assertNotEqual(code, 0, said)
        self.assertRegex(said, r"unfinished .*synccheck +10 passed \(0 in earlier calls\), 0 failed, 2 skipped, 2 to be run again")
        self.assertNotIn("CudaNccl.a", ran)
        (self.folder / "slow").unlink()
        code, said, ran = self.check("synccheck")
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"passed .*synccheck +12 passed \(10 in earlier calls\), 0 failed, 2 skipped, 0 to be run again")
        self.assertEqual(ran, ["CudaSkips.a"] * 2 + ["CudaSlow.a"] * 2)

    def test_on_ranks_leave_out_what_does_not_communicate(self):
        code, said, ran = self.check("ranks")
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"passed .*ranks +7 passed \(0 in earlier calls\), 0 failed, 1 skipped, 0 to be run again")
        (self.folder / "fails_on_rank_1").touch()
        (self.folder / "logs" / "passed" / "ranks-2.json").unlink()
        code, said, _ = self.check("ranks", "--seconds", "60")
        self.assertEqual(code, 1, said)
        self.assertRegex(said, r"FAILED .*ranks")

    def test_take_paths_relative_to_the_folder_of_the_caller(self):
        here = self.folder / "here"
        (here / "packages").mkdir(parents=True)
        for debs, code in (("packages", 0), ("none", 2)):
            done = subprocess.run(["../tools/gpu-check", "--build", "../built", "--out", "logs", "--debs", debs, "--only", "info"], cwd=here,
                                  capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn(f"no {self.folder.resolve()}/built/bin/weft", (here / "logs" / "info.log").read_text())
        self.assertFalse((self.folder / "logs").exists())

    def test_of_memcheck_fail_for_leaks(self):
        (self.folder / "leak").write_text("libweft.so")
        code, said, _ = self.check("memcheck")
        self.assertEqual(code, 1, said)
        self.assertRegex(said, r"FAILED .*memcheck")

    def test_end_with_their_processes(self):
        (self.folder / "slow").touch()
        for more in ((), ("--seconds", "100")):
            with self.subTest(more):
                process = subprocess.Popen(["tools/gpu-check", "--build", "built", "--out", "logs", "--only", "synccheck,initcheck", *more],
                                           cwd=self.folder, env=os.environ | {"PATH": f"{self.folder}:{os.environ['PATH']}"},
                                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
                until = time.monotonic() + PATIENCE
                while "CudaSlow" not in (self.folder / "ran").read_text() and time.monotonic() < until:
                    time.sleep(0.1)
                family = descendants(process.pid)
                os.killpg(process.pid, signal.SIGINT)
                said, _ = process.communicate(timeout=PATIENCE)
                self.assertNotIn("synccheck", said)  # the next stage
                time.sleep(1)
                self.assertEqual([at_work(pid) for pid in family if alive(pid)], [], said)
                (self.folder / "ran").write_text("")


if __name__ == "__main__":
    unittest.main(verbosity=2)
