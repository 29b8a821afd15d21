"""Runs on two simulated nodes (tools/two-nodes): ranks of different nodes share the network and the file system, nothing else.

    two_nodes_test.py path/to/weft [unittest arguments]
"""
import pathlib
import shutil
import subprocess
import sys
import unittest

from weft_support import CASES, DONE, SOURCE, WEFT, InFolder, environment, sets

TOOL = SOURCE / "tools" / "two-nodes"
ARRAY_TESTS, IO_TESTS = (WEFT.parent.parent / "tests" / f"{module}_tests" for module in ("array", "io"))
SKIPPED = 77
HANGS_AFTER = 60  # seconds


SEND = """import os, socket, time
bytes_sent = 2_000_000
if os.environ["OMPI_COMM_WORLD_RANK"] == "0":
    with socket.create_server(("10.77.31.1", 5005)) as server, server.accept()[0] as connection:
        begin = time.monotonic()
        received = 0
        while received < bytes_sent:
            received += len(connection.recv(1 << 20))
        print(time.monotonic() - begin, "seconds", flush=True)
else:
    for attempt in range(200):
        try:
            with socket.create_connection(("10.77.31.1", 5005)) as connection:
                connection.sendall(bytes(bytes_sent))
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
"""


def on_two_nodes(*words, ranks=4, private=(), options=(), cwd=SOURCE):
    hidden = [word for folder in private for word in ("--private", str(folder))]
    command = [TOOL, "--ranks", str(ranks), *map(str, options), *hidden, *map(str, words)]
    variables = environment() | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    process = subprocess.Popen(command, cwd=cwd, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
    try:
        output, _ = process.communicate(timeout=HANGS_AFTER)
    except subprocess.TimeoutExpired:
        process.terminate()  # the tool removes its nodes, and with them every rank
        output, _ = process.communicate(timeout=HANGS_AFTER)
        raise AssertionError(f"still running after {HANGS_AFTER} s: {' '.join(map(str, words))}\n{output}") from None
    return process.returncode, output


class TwoNodes(InFolder):
    STEPS = 40

    def forward_step(self, results, *overrides):
        return ["run", CASES / "forward_step.toml", "--overwrite",
                *sets("mesh.h=0.05", f"output.directory='{results}'", *overrides)]

    def history(self, results):
        return (pathlib.Path(results) / "residuals.csv").read_text()

    def test_the_nodes_share_no_memory_and_the_exchange_works_between_them(self):
        # Transports within one machine are tested elsewhere: MessagesBetweenMachinesUseMpi simulates two machines by itself.
        array_suites = ["Exchange*", "GhostPlanTest", "PullTest/*", "PushTest", "CsrExchangeTest", "RedistributionTest", "*/TransportTest"]
        for program, suite in [*((ARRAY_TESTS, suite) for suite in array_suites), (IO_TESTS, "Checkpoint")]:
            with self.subTest(suite=suite):
                code, output = on_two_nodes(program, "--gtest_color=no", f"--gtest_filter={suite}.*")
                self.assertEqual(code, 0, output)
                self.assertRegex(output, r"\[  PASSED  \] [1-9]")
        self.assertIn("share no memory", on_two_nodes(WEFT, *self.forward_step(self.folder / "shared", "stop.steps=1",
                                                                              "transport=shared"))[1])

    def test_a_run_and_its_checkpoint_have_the_digits_of_one_node(self):
        here, there = self.folder / "one", self.folder / "two"
        self.weft(*self.forward_step(here, f"stop.steps={self.STEPS}"), "-n", 4)
        code, output = on_two_nodes(WEFT, *self.forward_step(there, f"stop.steps={self.STEPS // 2}"))
        self.assertEqual(code, DONE, output)
        resumed = [word for word in self.forward_step(there, f"stop.steps={self.STEPS}") if word != "--overwrite"]
        code, output = on_two_nodes(WEFT, *resumed, "--resume")
        self.assertEqual(code, DONE, output)
        self.assertEqual(self.history(there), self.history(here))

    def test_the_rate_of_the_cable_is_limited(self):
        # 2 MB between two processes without MPI take 0.16 s at 100 Mbit/s.
        (self.folder / "send.py").write_text(SEND)
        code, output = on_two_nodes("python3", self.folder / "send.py", ranks=2, options=["--rate", 100])
        if code == SKIPPED:
            self.skipTest(output)
        self.assertEqual(code, 0, output)
        self.assertGreater(float(output.split("seconds")[0].split()[-1]), 0.14, output)
        code, output = on_two_nodes("true", ranks=2, options=["--rate", 0])
        self.assertEqual(code, 2)
        self.assertIn("--rate takes a number", output)

    def test_results_in_a_folder_that_nodes_do_not_share_are_an_error_on_every_rank(self):
        local = self.folder / "local"
        local.mkdir()
        code, output = on_two_nodes(WEFT, *self.forward_step(local / "results", "stop.steps=5"), private=[local])
        self.assertNotEqual(code, DONE, output)
        self.assertIn("error", output)
        self.assertRegex(output, r"shared?\b")


if __name__ == "__main__":
    probe = subprocess.run([TOOL, "--ranks", "2", "true"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                           env=environment() | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}, timeout=60)
    if probe.returncode == SKIPPED or shutil.which("mpirun") is None:
        print(probe.stdout)
        sys.exit(SKIPPED)
    unittest.main()
