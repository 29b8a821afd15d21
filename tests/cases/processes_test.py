"""The processes of a run: its terminal, signals, lost ranks and launchers.

    processes_test.py path/to/weft [unittest arguments]
"""
import fcntl
import os
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import time
import unittest
from unittest import mock

from weft_support import (DONE, FAILED, INTERRUPTED, PATIENCE, USAGE, WEFT, InFolder, alive, descendants, environment, is_rank, parent_of,
                          ranks, sets)


class Terminal(InFolder):
    def shown(self, columns, *launch, then=None, steps=3000):
        """What a run shows on a terminal of this width, which is its controlling terminal. @param then  width after the first bar."""
        ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        case = map(str, self.coarse("vortex", "mesh.n=24", "stop.time=1e9", steps=steps))
        process = subprocess.Popen([WEFT, "run", *case, "--overwrite", *launch], cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL,
                                   stdout=theirs, stderr=theirs, start_new_session=True,
                                   preexec_fn=lambda: fcntl.ioctl(theirs, termios.TIOCSCTTY, 0))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        shown = b""
        end = time.monotonic() + PATIENCE
        with open(ours, "rb", buffering=0) as terminal:
            try:
                os.close(theirs)
                while select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
                    more = terminal.read(4096)
                    if not more:
                        break
                    shown += more
                    if then is not None and b" left " in shown:
                        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, then, 0, 0))
                        then = None
                else:
                    self.fail(f"the run has not ended after {PATIENCE} s: {shown[-200:]}")
            except OSError:
                pass  # the error of Linux if no process has the other end open
        self.assertEqual(process.wait(PATIENCE), DONE)
        return shown.decode()

    def lines(self, columns, *launch, **more):
        """The bars among them."""
        return [line.split("\x1b")[0] for line in self.shown(columns, *launch, **more).split("\r") if "step " in line and "left" in line]

    def test_the_bar_fits_a_terminal_that_changes(self):
        # From version 5 Open MPI passes on whole lines only: no bar.
        passes_bar = not re.search(r"Open MPI v([5-9]|\d\d)", self.weft("info"))
        for launch in ([], ranks(2)) if passes_bar else ([],):
            lines = self.lines(120, *launch, then=60, steps=9000)
            self.assertGreater(len(lines[0]), 60, launch)
            self.assertLess(len(lines[-1]), 60, launch)

    def test_the_verdict_has_a_colour(self):
        shown = self.shown(120, steps=20)
        self.assertIn("\x1b[33mverdict: incomplete: the number of steps is reached before the flow time of the case\x1b[0m", shown)
        log = (self.folder / "vortex" / "run.log").read_text()
        self.assertIn("\nverdict: incomplete", log)
        self.assertNotIn("\r", log)
        self.assertRegex(log, r"(?m)^ *[\d.]+ %  step \d+ ")

    def test_the_bar_fits_and_shows_the_time_left(self):
        for columns in (40, 80, 200):
            lines = self.lines(columns)
            self.assertTrue(lines)
            for line in lines:
                self.assertLess(len(line), columns)
                self.assertRegex(line, r" left (\?|\d+ s)$")
        self.assertIn(" dt ", lines[0])
        self.assertIn("[", lines[0])


# mpirun refuses root without these; weft -n sets them by itself.
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
           "OMPI_MCA_orte_execute_quiet": "1"}


class Interrupted(InFolder):
    def endless(self, *more):
        return self.coarse("vortex", "stop.time=1e9", "mesh.n=32", results="endless", steps=10**9) + list(more)

    def left_after(self, seconds, processes):
        """Those that still live when this time is over."""
        end = time.monotonic() + seconds
        while any(map(alive, processes)) and time.monotonic() < end:
            time.sleep(0.1)
        return [pid for pid in processes if alive(pid)]

    def test_leaves_a_checkpoint_that_goes_on(self):
        for number, launch in ((signal.SIGINT, ranks(2)), (signal.SIGTERM, ranks(2)), (signal.SIGTERM, []), (signal.SIGINT, [])):
            with self.subTest(signal=number.name, launch=launch):
                process = self.start("run", *self.endless("--overwrite"), *launch)
                self.wait_for_steps(process)
                process.send_signal(number)
                code, printed = self.ended(process, 30)
                self.assertEqual(code, INTERRUPTED, printed)
                self.assertIn("stopped: interrupted", printed)
                self.assertTrue((self.folder / "endless" / "checkpoint.h5").exists())
        step = int(printed.split("stopped: interrupted, step ")[1].split(",")[0])
        self.assertIn(f"at step {step},", self.weft("run", *self.endless("--resume"), *sets(f"stop.steps={step + 3}")))

    def test_a_hangup_leaves_a_checkpoint(self):
        for launch in (ranks(2), []):
            with self.subTest(launch=launch):
                process = self.start("run", *self.endless("--overwrite"), *launch)
                self.wait_for_steps(process)
                for _ in range(4):  # the kernel, the shell and sshd send one each
                    process.send_signal(signal.SIGHUP)
                    time.sleep(0.01)
                code, printed = self.ended(process, 30)
                self.assertEqual(code, INTERRUPTED, printed)
                self.assertTrue((self.folder / "endless" / "checkpoint.h5").exists())

    def test_a_terminal_that_goes_leaves_a_checkpoint(self):
        for launch in (ranks(2), []):
            with self.subTest(launch=launch):
                shutil.rmtree(self.folder / "endless", ignore_errors=True)
                pid, terminal = os.forkpty()
                if pid == 0:
                    os.chdir(self.folder)
                    os.execve(WEFT, [str(WEFT), "run", *map(str, self.endless()), *launch], environment())
                shown = b""
                while b" step " not in shown:
                    shown += os.read(terminal, 4096)
                os.close(terminal)
                self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), INTERRUPTED)
                self.assertTrue((self.folder / "endless" / "checkpoint.h5").exists())

    def test_nohup_goes_on(self):
        process = self.start_with(lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN), "run", *self.endless(), *ranks(2))
        self.wait_for_steps(process)
        process.send_signal(signal.SIGHUP)
        self.wait_for_steps(process)
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.ended(process, 30)[0], INTERRUPTED)

    def test_reaches_the_ranks_where_the_caller_blocks_signals(self):
        blocked = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)
        for launch in (ranks(2), []):
            with self.subTest(launch=launch):
                process = self.start_with(lambda: signal.pthread_sigmask(signal.SIG_BLOCK, blocked), "run", *self.endless("--overwrite"), *launch)
                self.wait_for_steps(process)
                process.send_signal(signal.SIGINT)
                self.assertEqual(self.ended(process, 30)[0], INTERRUPTED)

    def test_reaches_ranks_to_which_mpirun_sends_nothing(self):
        process = self.start("run", *self.endless(), *ranks(2))
        self.wait_for_steps(process)
        mpirun = parent_of(next(filter(is_rank, descendants(process.pid))))
        os.kill(mpirun, signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        try:
            self.until_exists("checkpoint.h5")
        finally:
            os.kill(mpirun, signal.SIGCONT)
        self.assertEqual(self.ended(process, 30)[0], INTERRUPTED)

    def with_mpirun(self, script):
        """Starts a run whose mpirun is a shell script, which continues with the real one."""
        mpirun = self.folder / "mpirun"
        mpirun.write_text(f'#!/bin/sh\n{script}\nexec {shutil.which("mpirun")} "$@"\n')
        mpirun.chmod(0o755)
        with mock.patch.dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}"):
            return self.start("run", *self.endless(), *ranks(2))

    def until_exists(self, file):
        end = time.monotonic() + 30
        while not (self.folder / "endless" / file).exists() and time.monotonic() < end:
            time.sleep(0.1)
        self.assertTrue((self.folder / "endless" / file).exists(), file)

    def test_reaches_ranks_while_the_output_is_not_read(self):
        process = self.with_mpirun("yes &")
        self.until_exists("residuals.csv")
        process.send_signal(signal.SIGINT)
        self.until_exists("checkpoint.h5")

    def test_reaches_ranks_that_start_late(self):
        process = self.with_mpirun("trap '' USR1\nsleep 7")  # longer than a request waits for ranks of this machine
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        code, printed = self.ended(process, 60)
        self.assertEqual(code, INTERRUPTED, printed)

    def test_from_a_terminal_reaches_every_process_of_the_group(self):
        process = subprocess.Popen([WEFT, "run", *map(str, self.endless()), *ranks(2)], cwd=self.folder, env=environment(),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   start_new_session=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        self.wait_for_steps(process)
        os.killpg(process.pid, signal.SIGINT)
        code, printed = self.ended(process, 30)
        self.assertEqual(code, INTERRUPTED, printed)
        self.assertTrue((self.folder / "endless" / "checkpoint.h5").exists())

    def test_a_killed_rank_ends_the_job(self):
        process = self.start("run", *self.endless(), *ranks(2))
        self.wait_for_steps(process)
        at_work = [pid for pid in descendants(process.pid) if is_rank(pid)]
        self.assertEqual(len(at_work), 2)
        os.kill(at_work[1], signal.SIGKILL)
        code, printed = self.ended(process, 10)
        self.assertNotIn(code, (DONE, INTERRUPTED), printed)
        self.assertIn("a rank was killed by signal 9", printed)
        self.assertIn("--resume", printed)
        self.assertEqual(self.left_after(5, at_work), [])

    def test_the_watchdog_says_who_is_waited_for(self):
        process = self.start("run", *self.endless("--overwrite", "--watchdog", "2"), *ranks(2))
        self.wait_for_steps(process)
        workers = [pid for pid in descendants(process.pid) if is_rank(pid)]
        os.kill(workers[1], signal.SIGSTOP)
        code, printed = self.ended(process, 40)
        self.assertEqual(code, 124, printed)
        self.assertIn("weft: watchdog: rank ", printed)
        self.assertRegex(printed, r"has waited 2(\.\d+)? s for (rank \d|the other ranks) \(")
        self.assertEqual(self.left_after(5, workers), [])

    def test_before_the_ranks_are_there_it_is_not_lost(self):
        for delay in (0.1, 0.3, 0.6):
            process = self.start("run", *self.endless("--overwrite"), *ranks(2))
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            code, printed = self.ended(process, 30)
            self.assertEqual(code, INTERRUPTED, printed)

    def test_what_mpirun_refuses_is_reported(self):
        result = subprocess.run([WEFT, "info", "-n", "2", "--mpirun-options", "--hostfile nowhere"], cwd=self.folder, env=environment(),
                                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertNotEqual(result.returncode, DONE)
        self.assertIn("before any rank started", result.stderr)
        self.assertIn("mpirun -n 2 --hostfile nowhere true", result.stderr)

    def test_mpirun_gets_no_option_that_only_open_mpi_4_has(self):
        """Open MPI 5 ends with 213 at an option that it does not know, such as -q."""
        mpirun = self.folder / "mpirun"
        mpirun.write_text(f'#!/bin/sh\ntest "$1 $2 $3" = "-n 2 {WEFT}" || exit 213\nexec {shutil.which("mpirun")} "$@"\n')
        mpirun.chmod(0o755)
        self.assertIn("ranks   2", self.weft("info", *ranks(2), PATH=f"{self.folder}:{os.environ['PATH']}"))
        mpirun.write_text("#!/bin/sh\nexit 213\n")
        said = self.weft("info", *ranks(2), PATH=f"{self.folder}:{os.environ['PATH']}", code=213)
        self.assertIn("mpirun ended with 213 before any rank started", said)

    def test_an_mpirun_that_does_not_end_is_ended(self):
        process = self.start("run", *self.endless(), *ranks(2))
        self.wait_for_steps(process)
        at_work = [pid for pid in descendants(process.pid) if is_rank(pid)]
        os.kill(parent_of(at_work[0]), signal.SIGSTOP)  # so mpirun does not notice the end of its ranks
        for pid in at_work:
            os.kill(pid, signal.SIGKILL)
        began = time.monotonic()
        code, printed = self.ended(process, 50)
        self.assertIn("mpirun has not; it is killed", printed)
        self.assertEqual(code, 128 + signal.SIGKILL, printed)
        self.assertGreater(time.monotonic() - began, 10)

    def test_a_killed_launcher_leaves_no_process(self):
        process = self.start("run", *self.endless(), *ranks(2))
        self.wait_for_steps(process)
        family = descendants(process.pid)
        process.kill()
        process.wait()
        self.assertEqual(self.left_after(10, family), [])


class Nodes(InFolder):
    def test_that_do_not_share_the_results_folder(self):
        """Rank 1 works in a folder of its own, so the relative path of the results leads it elsewhere, as on another node."""
        (self.folder / "node1").mkdir()
        (self.folder / "start").write_text('#!/bin/sh\ntest "$OMPI_COMM_WORLD_RANK" = 1 && cd node1\nexec "$@"\n')
        (self.folder / "start").chmod(0o755)
        command = ["mpirun", "--oversubscribe", "-n", "2", self.folder / "start", WEFT, "run", *self.coarse("sod")]
        for stale in (False, True):
            if stale:  # the results of an older run, under the same name
                (self.folder / "node1" / "sod").mkdir()
                (self.folder / "node1" / "sod" / "fields_00000000.hdf.part").write_text("older")
            done = subprocess.run([*map(str, command), "--overwrite"], cwd=self.folder, env=environment() | AS_ROOT, timeout=PATIENCE,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, FAILED, done.stdout)
            self.assertRegex(done.stdout, r"sod/\w+\.\w+\.part: rank 1 on \S+ does not have the file of rank 0: ")
            self.assertIn("a file system that all nodes share", done.stdout)
            self.assertNotIn("alone", done.stdout)
        self.assertEqual((self.folder / "node1" / "sod" / "fields_00000000.hdf.part").read_text(), "older")


class Launcher(InFolder):
    def test_marks_nothing_but_its_own_file(self):
        """WEFT_STARTED comes from the environment: only the file in memory of a launcher is written."""
        precious = self.folder / "precious"
        precious.write_text("precious")
        os.symlink(precious, self.folder / "link")
        with open(precious, "a") as file:
            of_ours = f"/proc/{os.getpid()}/fd/{file.fileno()}"
            for name in (str(precious), str(self.folder / "link"), of_ours, of_ours + "x", "/proc/1/fd/../root", ""):
                self.weft("info", WEFT_STARTED=name)
        self.assertEqual(precious.read_text(), "precious")
        mark = os.memfd_create("weft-started")
        self.weft("info", WEFT_STARTED=f"/proc/{os.getpid()}/fd/{mark}")
        self.assertEqual(os.fstat(mark).st_size, 4)  # the number of the process
        os.close(mark)


class Launched(InFolder):
    """The number of ranks, and the exit code, where the surroundings have their own idea of them."""

    def test_a_failed_job_fails_where_the_caller_ignores_its_children(self):
        process = self.start_with(lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN), "run", "no_such_case.toml", *ranks(2))
        code, printed = self.ended(process, 60)
        self.assertEqual(code, FAILED, printed)
        self.assertIn("no_such_case.toml", printed)

    def test_another_number_of_ranks_under_a_launcher_is_an_error(self):
        for given, code in ((3, FAILED), (2, DONE), (None, DONE)):
            with self.subTest(given=given):
                asked = [] if given is None else ranks(given)
                done = subprocess.run(["mpirun", "-n", "2", str(WEFT), "check", *map(str, self.coarse("vortex")), *asked], cwd=self.folder,
                                      env=environment() | AS_ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                      timeout=PATIENCE)
                self.assertEqual(done.returncode, code, done.stderr)
                if code == FAILED:
                    self.assertEqual(done.stderr.count("-n 3 is asked for under a launcher that has started 2 ranks"), 1, done.stderr)

    def test_processes_that_do_not_see_each_other_are_an_error(self):
        for variable in ("PMI_SIZE", "SLURM_STEP_NUM_TASKS"):
            printed = self.weft("check", *self.coarse("vortex"), code=FAILED, **{variable: "4"})
            self.assertIn("the launcher has started 4 processes", printed)

    def test_a_batch_job_of_slurm_may_ask_for_ranks(self):
        printed = self.weft("info", *ranks(2), SLURM_STEP_NUM_TASKS="1", SLURM_JOB_ID="7", SLURM_PROCID="0")
        self.assertIn("ranks   2 ", printed)

    def test_far_more_ranks_than_cores_are_refused(self):
        # One core: more are not started on machines of many cores, and cores that this process must not use do not count.
        usable = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, usable)
        os.sched_setaffinity(0, {min(usable)})
        most = 16
        for command in (["info"], ["run", *self.coarse("vortex")], ["plan", *self.coarse("vortex"), "--ranks", 2]):
            printed = self.weft(*command, *ranks(most + 1), code=USAGE)
            self.assertIn(f"{most + 1} ranks are too many for this machine, which has 1 core ", printed)
            self.assertIn("--oversubscribe", printed)
        printed = self.weft("info", *ranks(most + 1), "--oversubscribe")
        self.assertIn(f"ranks   {most + 1} ", printed)

    def test_far_more_ranks_than_an_allocation_has_slots_are_refused(self):
        hosts = self.folder / "hosts"
        hosts.write_text("# ours\nn1 slots=4\nn1\nn2\n\n")
        for machines, variables in ((1, {"SLURM_JOB_NODELIST": "n1", "SLURM_JOB_NUM_NODES": "1"}),
                                    (2, {"SLURM_JOB_NODELIST": "n[1-2]", "SLURM_NNODES": "2"}),
                                    (2, {"PBS_NODEFILE": str(hosts)}), (2, {"LSB_HOSTS": "n1 n1 n2"}), (1, {"PE_HOSTFILE": "/nonexistent"}),
                                    (2, {"OMPI_MCA_orte_default_hostfile": str(hosts)})):
            with self.subTest(variables):
                printed = self.weft("info", *ranks(100_000), code=USAGE, **variables)
                self.assertIn(f"100000 ranks are too many for this allocation of {machines} machine", printed)
                self.assertIn("--oversubscribe", printed)

    def test_threads_are_bound_to_different_cores(self):
        usable = sorted(os.sched_getaffinity(0))
        for count in (1, 2, 3):
            printed = self.weft("run", *self.coarse("vortex", steps=2), "--overwrite", "--bind", "cores", "--trace", "trace.json",
                                *ranks(count))
            trace = (self.folder / "trace.json").read_text()
            if count > len(usable):
                self.assertIn(f"warning: bind: threads are not bound to cores, because {count} ranks of 1 thread on ", printed)
                self.assertNotIn("process_labels", trace)
                continue
            line, = (line for line in printed.splitlines() if line.startswith("threads are bound to cores "))
            cores = line.removeprefix("threads are bound to cores ").split(", ")
            self.assertEqual(len(set(cores)), count)
            self.assertIn(line, (self.folder / "vortex" / "run.log").read_text())
            for each in cores:
                self.assertIn(f'"labels": "cores {each}"', trace)

    def test_threads_that_have_no_cores_are_not_bound(self):
        usable = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, usable)
        os.sched_setaffinity(0, {min(usable)})
        run = ["run", *self.coarse("vortex", steps=2), "--overwrite"]
        printed = self.weft(*run, "--threads", 2, "--bind", "numa")
        self.assertIn("because 1 rank of 2 threads on ", printed)
        self.assertIn(" have 1 core; use fewer ranks or threads, or leave bind out", printed)
        self.assertNotIn("bound", self.weft(*run, "--threads", 2))
        self.assertIn("threads are bound to cores " + str(min(usable)), self.weft(*run, "--set", "bind=cores"))
        self.assertIn("--bind", self.weft(*run, "--bind", "sockets", code=USAGE))


if __name__ == "__main__":
    unittest.main(verbosity=2)
