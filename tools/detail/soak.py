#!/usr/bin/python3
"""Lets a flow run for minutes on several GPUs, and looks at what only time shows.

    python3 tools/detail/soak.py --weft build/gpu/bin/weft --ranks 4 --seconds 240
    python3 tools/detail/soak.py --weft build/dev/bin/weft --ranks 2 --seconds 20 --device host

A closed periodic box of hexahedra with a scalar, ghosts exchanged in every stage: for half of the time as many steps as it takes, then the
same steps again, then a run of which one rank is killed. A row each, and the exit code is 0 only if all of them hold:
  conservation   mass, energy and the scalar's amount have not moved by more than the rounding of so many steps;
  memory         of the ranks, and of the GPUs, is from the middle to the end what it was when the run had settled;
  same bits      both halves end with the same state, and their integrals on the way are the same text;
  end            no run waited longer than the watchdog lets it;
  killed rank    the others end within seconds, and one of them says why.
"""
import argparse
import csv
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy

from runs import ENVIRONMENT, kill_all, processes_of, ranks_of, rows_of

EPS = numpy.finfo(float).eps
WATCHDOG = 30  # s that a rank may wait
SETTLED = 0.3  # fraction of a run after which all buffers have been created
LEAST = 5  # minimum number of memory measurements after that
HOST_GROWTH, DEVICE_GROWTH = 8, 4  # MiB of a rank, of a GPU: more is a leak
SECONDS_TO_END = 15  # limit for the end of the other ranks after one was killed, s

CASE = """
device = "{device}"
[mesh]
generator = "box"
nx = {edge}
ny = {edge}
nz = {edge}
elements = "hexahedra"
warp = 0.03
""" + "".join(f'[[mesh.periodic]]\nfrom = "{a}min"\nto = "{a}max"\ntranslation = {t}\n' for a, t in
              (("x", [1, 0, 0]), ("y", [0, 1, 0]), ("z", [0, 0, 1]))) + """
[initial]
kind = "expression"
density_expression = "1 + 0.2*sin(6.283185307179586*x)*cos(6.283185307179586*(y+z))"
velocity_x_expression = "0.5 + 0.1*sin(6.283185307179586*y)"
velocity_y_expression = "-0.3 + 0.1*sin(6.283185307179586*z)"
velocity_z_expression = "0.2*cos(6.283185307179586*x)"
pressure_expression = "1 + 0.2*sin(6.283185307179586*(x+y))"
[scalars.dye]
initial = "1 + 0.5*sin(6.283185307179586*z)"
[numerics]
cfl = 0.5
[output]
directory = "{folder}"
integrals = true
history_steps = {interval}
"""


class Soak:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch
        self.edge = options.edge or (24 if options.device == "host" else 96)
        self.interval = options.interval or (20 if options.device == "host" else 200)
        self.failures = 0
        self.process = None  # last run

    def row(self, what, good, text):
        self.failures += not good
        print(f"  {'ok  ' if good else 'FAIL'} {what}: {text}", flush=True)

    def start(self, name, *stops):
        """A run in a session of its own, `process` from here on."""
        folder = self.scratch / name
        (self.scratch / f"{name}.toml").write_text(CASE.format(device=self.options.device, edge=self.edge, folder=folder, interval=self.interval))
        words = [str(self.options.weft), "run", str(self.scratch / f"{name}.toml"), "--watchdog", str(WATCHDOG)]
        for stop in stops:
            words += ["--set", stop]
        if self.options.ranks > 1:
            words += ["-n", str(self.options.ranks)]
        with open(self.scratch / f"{name}.log", "w") as log:
            self.process = subprocess.Popen(words, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                            start_new_session=True)
        return self.process

    def end(self):
        """Kills what there still is of the last run."""
        if self.process:
            kill_all(processes_of(self.process.pid))
            self.process.wait()

    def log(self, name):
        return (self.scratch / f"{name}.log").read_text().strip()

    def integrals(self, name):
        try:
            with open(self.scratch / name / "integrals.csv", newline="") as file:
                return list(csv.DictReader(file))
        except OSError:
            return []

    def memory(self, session):
        """Returns MiB of the largest rank on the host, and MiB in use on the fullest GPU (None: unknown)."""
        resident = []
        for number in ranks_of(session) or [session]:
            try:
                status = pathlib.Path("/proc", str(number), "status").read_text()
            except OSError:
                continue
            resident += [int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS")]
        device = None
        if self.options.device == "cuda":
            visible = os.environ.get("CUDA_VISIBLE_DEVICES")
            try:
                messages = subprocess.run(["nvidia-smi", *(["-i", visible] if visible else []), "--query-gpu=memory.used", "--format=csv,noheader,nounits"],
                                      capture_output=True, text=True).stdout
            except OSError:  # there is none
                messages = ""
            used = [int(word) for word in messages.split() if word.isdigit()]
            device = max(used) if used else None
        return max(resident, default=0), device

    def watch(self, process, seconds):
        """Waits, and looks at the memory meanwhile: [(s since the start, host, device)]. Ends what is far too late."""
        begin, seen = time.monotonic(), []
        while process.poll() is None:
            passed = time.monotonic() - begin
            if passed > seconds + 4 * WATCHDOG:
                self.end()
                break
            seen.append((passed, *self.memory(process.pid)))
            try:
                process.wait(max(0.05, seconds / 40))
            except subprocess.TimeoutExpired:
                pass
        return seen

    def judge_memory(self, seen):
        settled = [s for s in seen if s[0] >= SETTLED * seen[-1][0]]
        for k, what, limit, whose in ((1, "host memory", HOST_GROWTH, "the largest rank"),
                                      (2, "GPU memory", DEVICE_GROWTH, "the fullest GPU, where that of other processes counts, too")):
            values = [s[k] for s in settled if s[k] is not None]
            if k == 2 and not values:
                if self.options.device == "cuda":
                    self.row(what, True, "nvidia-smi reports nothing")
                continue
            if len(values) < LEAST:
                self.row(what, False, f"the run was too short: {len(values)} looks at it after it had settled, of at least {LEAST}")
                continue
            middle = len(values) // 2  # at the very end some ranks have less than before
            marks = values[0], values[middle], max(values[middle:])
            self.row(what, marks[2] - marks[0] <= limit,
                     f"{marks[0]:.0f}, {marks[1]:.0f}, {marks[2]:.0f} MiB when settled, at the middle and at most after it, of {whose}")

    def judge_conservation(self, rows):
        steps = int(rows[-1]["step"])
        bound = EPS * (4 + 0.02 * steps)
        names = [name for name in rows[0] if name not in ("step", "time") and not name.startswith("momentum")]
        drift = {name: max(abs(float(row[name]) / float(rows[0][name]) - 1) for row in rows) for name in names}
        self.row("conservation", all(value <= bound for value in drift.values()),
                 ", ".join(f"{name} {value:.1e}" for name, value in drift.items()) + f" in {steps} steps (<= {bound:.1e})")

    def halves(self):
        """@returns whether both ended."""
        seconds = self.options.seconds / 2
        process = self.start("first", "stop.steps=1000000000", f"stop.wall_time={seconds}")
        seen = self.watch(process, seconds)
        rows = self.integrals("first")
        if process.returncode != 0 or len(rows) < 2:
            self.row("end", False, f"the first half ended with {process.returncode}: {self.log('first')[-600:]}")
            return
        self.judge_conservation(rows)
        self.judge_memory(seen)
        first = self.checkpoint("first")
        process = self.start("second", f"stop.steps={first[0]}")
        begin = time.monotonic()
        self.watch(process, 3 * seconds)
        took = time.monotonic() - begin
        if process.returncode != 0:
            self.row("end", False, f"the second half ended with {process.returncode}: {self.log('second')[-600:]}")
            return
        second = self.checkpoint("second")
        same = first[0] == second[0] and all(numpy.array_equal(a, b) for a, b in zip(first[1:], second[1:]))
        alike = rows == self.integrals("second")[:len(rows)]  # which ends with a row of its last step, as a run that its time ends does not
        self.row("same bits", same and alike, f"states after step {first[0]} are {'the same' if same else 'NOT the same'}, integrals {'too' if alike else 'NOT'}")
        self.row("end", True, f"{first[0]} steps in {seconds:.0f} s and again in {took:.0f} s")

    def checkpoint(self, name):
        with h5py.File(self.scratch / name / "checkpoint.h5", "r") as file:
            return int(file.attrs["Step"]), *(rows_of(file, field) for field in sorted(file["fields"]))

    def killed_rank(self):
        process = self.start("killed", "stop.steps=1000000000", "stop.wall_time=300")
        deadline = time.monotonic() + 4 * WATCHDOG
        while len(self.integrals("killed")) < 3 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.1)
        ranks = ranks_of(process.pid)
        if len(ranks) < self.options.ranks:
            self.end()
            self.row("killed rank", False, f"there were {len(ranks)} ranks: {self.log('killed')[-600:]}")
            return
        kill_all([(ranks[-1], "weft")])
        begin = time.monotonic()
        while (left := processes_of(process.pid)) and time.monotonic() - begin < 4 * WATCHDOG:
            time.sleep(0.05)
        took = time.monotonic() - begin
        self.end()
        messages = [line for line in self.log("killed").splitlines() if line.startswith("weft: error")]
        self.row("killed rank", not left and took <= SECONDS_TO_END and process.returncode != 0 and bool(messages),
                 f"the others ended after {took:.1f} s (<= {SECONDS_TO_END}): {messages[-1] if messages else 'without a message'}")

    def go(self):
        print(f"soak: {self.options.ranks} ranks, {self.options.device}, {self.edge}^3 cells", flush=True)
        try:
            self.halves()
            if self.options.ranks > 1:
                self.killed_rank()
        finally:
            self.end()
        return 1 if self.failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", type=pathlib.Path, required=True, help="the program")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=240, help="of both halves together (default: 240)")
    parser.add_argument("--device", choices=("host", "cuda"), default="cuda")
    parser.add_argument("--edge", type=int, help="cells along each edge of the box (default: 96, on the host 24)")
    parser.add_argument("--interval", type=int, help="steps between rows of integrals (default: 200, on the host 20)")
    options = parser.parse_args()
    if options.ranks < 1 or options.seconds <= 0:
        parser.error("--ranks and --seconds must be above 0")
    options.weft = options.weft.resolve()
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with tempfile.TemporaryDirectory(prefix="weft-soak-") as scratch:
        return Soak(options, pathlib.Path(scratch)).go()


if __name__ == "__main__":
    sys.exit(main())
