#!/usr/bin/python3
"""Runs tests of GoogleTest programs in groups, several at once, until a time; what has passed is not run again.

    gpu_tests.py --passed build/gpu-check/synccheck.json --filter '*uda*' --jobs 16 --gpus 2 --end 1764500000 \
                 build/gpu/tests/array_tests build/gpu/tests/flow_tests -- compute-sanitizer --tool synccheck --error-exitcode 9

A group is a process that runs several tests of a program; the words after -- come before the program. Groups are ended at --end (s since
1970), and are then run again by the next call. --passed names a file with the tests that have passed: they are left out as long as their
program, the words before it and the GPUs are the same. The tests that took longest are printed at the end. A group passes if it exits with
0 and its output has no report of a sanitizer, or, with --leaks, if there are no reports but leaks of NCCL communicators, which processes
keep until they end because other ranks may still use them. The exit code is 1 if a test has failed or all have skipped themselves,
otherwise 75 if some have not been run, 77 if the filter chooses none, and otherwise 0.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

UNFINISHED, NONE = 75, 77
GROUPS, GROUPS_PER_JOB = 12, 4  # at least, of each program; more groups balance the jobs, but each one starts program and sanitizer
SLOWEST = 20  # are printed
ERROR = re.compile(r"^=+ (?!COMPUTE-SANITIZER|ERROR SUMMARY: 0 |LEAK SUMMARY: 0 |RACECHECK SUMMARY: 0 )\S", re.M)


def tests_of(program, chosen):
    """Returns the full names of the tests of a program that a filter chooses."""
    listed = subprocess.run([program, "--gtest_list_tests", f"--gtest_filter={chosen}"], capture_output=True, text=True)
    if listed.returncode != 0:
        sys.exit(f"gpu_tests: error: {program} cannot list its tests: {listed.stderr or listed.stdout}")
    names, suite = [], ""
    for line in listed.stdout.splitlines():
        word = line.split("#")[0].strip()
        if line.startswith("  "):
            names.append(suite + word)
        elif word.endswith("."):
            suite = word
    return names


def leaks_of_nccl_alone(output, code):
    """Returns whether memcheck reports leaks of NCCL and nothing else, for tests that all passed. 9 is its --error-exitcode."""
    errors = sum(int(n) for n in re.findall(r"ERROR SUMMARY: (\d+) error", output))
    of_nccl = sum("libnccl" in leak for leak in re.split(r"^=+ Leaked ", output, flags=re.M)[1:])
    return code == 9 and "[  PASSED  ]" in output and "[  FAILED  ]" not in output and 0 < errors == of_nccl


class Tests:
    def __init__(self, options):
        self.options = options
        self.gpus = queue.Queue()
        for job in range(options.jobs):
            self.gpus.put(job % options.gpus)
        self.lock = threading.Lock()
        self.running = set()
        self.signal = None
        self.passed = self.read_passed()
        self.seconds = {}
        self.counts = {"passed": 0, "skipped": 0, "failed": 0}

    def key(self, program):
        state = os.stat(program)
        first = [os.path.realpath(shutil.which(word) or word) for word in self.options.before[:1]]
        devices = os.environ.get("CUDA_VISIBLE_DEVICES", self.options.gpus)
        return " ".join([*first, *self.options.before[1:], program, str(state.st_size), str(state.st_mtime_ns), f"GPUs {devices}"])

    def read_passed(self):
        try:
            return {key: set(names) for key, names in json.loads(self.options.passed.read_text()).items()}
        except (OSError, ValueError):
            return {}

    def add_passed(self, program, names):
        with self.lock:
            self.passed.setdefault(self.key(program), set()).update(names)
            part = self.options.passed.with_suffix(".part")
            part.write_text(json.dumps({key: sorted(names) for key, names in self.passed.items()}))
            part.replace(self.options.passed)

    def run(self, program, names):
        gpu = self.gpus.get()
        try:
            return self.run_on(gpu, program, names)
        finally:
            self.gpus.put(gpu)

    def run_on(self, gpu, program, names):
        if time.time() >= self.options.end:
            return
        folder = tempfile.mkdtemp(prefix="weft-gpu-")  # Open MPI loses folders that concurrent jobs share
        environment = os.environ | {"OMPI_MCA_orte_tmpdir_base": folder}
        if not self.options.all_gpus:
            environment.setdefault("CUDA_VISIBLE_DEVICES", str(gpu))
        command = [*self.options.before, program, f"--gtest_filter={':'.join(names)}", "--gtest_color=no"]
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, errors="replace", start_new_session=True)
        with self.lock:
            self.running.add(process)
        code = None
        try:
            output, _ = process.communicate(timeout=max(0.1, min(self.options.patience, self.options.end - time.time())))
            code = process.returncode if self.signal is None else None
        except subprocess.TimeoutExpired:
            output = self.ended(process)
        finally:
            with self.lock:
                self.running.discard(process)
            shutil.rmtree(folder, ignore_errors=True)
        if code is not None:
            self.judge(program, names, output, code)
        elif time.time() < self.options.end:
            self.report(program, names, output, f"did not end in {self.options.patience} s")
        else:
            last = re.findall(r"^\[ RUN      \] (\S+)", output, re.M)
            self.say(f"{program}: a group of {len(names)} tests was ended at the time, in {last[-1] if last else 'its start'}")

    @staticmethod
    def ended(process):
        """Ends a group, mpirun with its ranks; returns its output."""
        os.killpg(process.pid, signal.SIGTERM)
        try:
            return process.communicate(timeout=10)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return process.communicate()[0]

    def judge(self, program, names, output, code):
        skipped = set(re.findall(r"^\[  SKIPPED \] (\S+) \(", output, re.M)) & set(names)
        ended = (set(re.findall(r"^\[       OK \] (\S+) \(", output, re.M)) & set(names)) - skipped
        with self.lock:
            self.seconds |= {name: int(ms) / 1000 for name, ms in re.findall(r"^\[       OK \] (\S+) \((\d+) ms\)", output, re.M)}
        if (code == 0 and not ERROR.search(output)) or (self.options.leaks and leaks_of_nccl_alone(output, code)):
            self.add_passed(program, ended)
            self.count(passed=len(ended), skipped=len(skipped))
            for name in sorted(skipped):
                self.say(f"[  SKIPPED ] {name}")
        else:
            self.report(program, names, output, f"ended with {code}")

    def count(self, **more):
        with self.lock:
            for what, number in more.items():
                self.counts[what] += number

    def say(self, text):
        with self.lock:
            print(text, flush=True)

    def report(self, program, names, output, what):
        failed = set(re.findall(r"^\[  FAILED  \] ([^\s,]+)", output, re.M)) & set(names)
        self.count(failed=max(1, len(failed)))
        self.say(f"{program}: a group of {len(names)} tests {what}: {' '.join(names)}\n{output}")

    def go(self):
        everything = {program: tests_of(program, self.options.filter) for program in self.options.programs}
        if not any(everything.values()):
            return NONE
        before = 0
        work = []
        for program, names in everything.items():
            done = self.passed.get(self.key(program), set())
            left = [name for name in names if name not in done]
            before += len(names) - len(left)
            groups = min(len(left), max(GROUPS, GROUPS_PER_JOB * self.options.jobs))
            work += [(program, left[first::groups]) for first in range(groups)]  # neighbours are similar, and take similar times
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as jobs:
            submitted = [jobs.submit(self.run, *each) for each in work]
            # With a time limit: Python handles signals in this thread only, and one that another thread receives does not wake it.
            while concurrent.futures.wait(submitted, timeout=0.2).not_done:
                pass
        for done in submitted:
            done.result()
        total = sum(map(len, everything.values()))
        for name in sorted(self.seconds, key=self.seconds.get, reverse=True)[:SLOWEST]:
            print(f"{self.seconds[name]:7.1f} s  {name}")
        self.counts["passed"] += before
        left = total - sum(self.counts.values())
        print(f"{self.counts['passed']} passed ({before} in earlier calls), {self.counts['failed']} failed, {self.counts['skipped']} skipped, "
              f"{left} to be run again")
        if self.counts["failed"] > 0 or (left == 0 and self.counts["passed"] == 0):
            return 1
        return UNFINISHED if left > 0 else 0

    def end(self, number):
        """Ends all groups, called by a signal handler."""
        self.signal = number
        self.options.end = 0
        self.send(signal.SIGTERM)
        late = threading.Timer(8, self.send, [signal.SIGKILL])
        late.daemon = True
        late.start()

    def send(self, number):
        for process in list(self.running):
            try:
                os.killpg(process.pid, number)
            except ProcessLookupError:
                pass


def main():
    words = sys.argv[1:]
    before = words[words.index("--") + 1:] if "--" in words else []
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--passed", type=pathlib.Path, required=True)
    parser.add_argument("--filter", default="*")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--gpus", type=int, default=1, help="groups are distributed over so many")
    parser.add_argument("--all-gpus", action="store_true", help="each group sees all of them")
    parser.add_argument("--leaks", action="store_true", help="leaks do not count if all of them are those of NCCL")
    parser.add_argument("--patience", type=float, default=600, help="a group that takes longer, in s, has failed")
    parser.add_argument("--end", type=float, default=float("inf"))
    options = parser.parse_args(words[:words.index("--")] if "--" in words else words)
    options.before, options.gpus = before, max(1, options.gpus)
    options.passed.parent.mkdir(parents=True, exist_ok=True)
    tests = Tests(options)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: tests.end(number))
    code = tests.go()
    if tests.signal is not None:  # ends the program that has started this one, too
        signal.signal(tests.signal, signal.SIG_DFL)
        os.kill(os.getpid(), tests.signal)
    sys.exit(code)


if __name__ == "__main__":
    main()
