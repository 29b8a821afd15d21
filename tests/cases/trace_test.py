"""Traces of runs: their file, its bound, runs that fail or are killed, and summaries.

    trace_test.py path/to/weft [unittest arguments]
"""
import json
import os
import signal
import time
import unittest

from weft_support import FAILED, INTERRUPTED, PHYSICS, USAGE, InFolder, alive, descendants, is_rank, ranks

PHASES = {"run", "mesh", "generate mesh", "build mesh", "partition", "move cells", "enter faces", "solver", "discretization", "gradient weights",
          "initial state", "time stepping", "step", "stages", "smallest time step", "histories", "write fields", "write checkpoint"}


class Traces(InFolder):
    def read(self, file="trace.json"):
        return json.loads((self.folder / file).read_text())

    def spans(self, trace):
        return [event for event in trace["traceEvents"] if event["ph"] == "X"]

    def steps(self, trace, rank=0):
        return [event["args"]["step"] for event in self.spans(trace) if event["name"] == "step" and event["pid"] == rank]

    def run_traced(self, *overrides, n=2, steps=5, code=0, more=()):
        return self.weft("run", *self.coarse("naca0012", *overrides, steps=steps), *ranks(n), "--trace", "trace.json", *more, code=code)

    def test_a_run_on_one_to_three_ranks(self):
        for n in (1, 2, 3):
            with self.subTest(ranks=n):
                said = self.run_traced(n=n, steps=8, more=["--overwrite"])
                self.assertIn("trace in trace.json", said)
                trace = self.read()
                spans = self.spans(trace)
                self.assertEqual({event["pid"] for event in spans}, set(range(n)))
                for rank in range(n):
                    names = {event["name"] for event in spans if event["pid"] == rank}
                    self.assertFalse(PHASES - names, PHASES - names)
                    self.assertEqual(self.steps(trace, rank), list(range(8)))
                self.assertGreaterEqual(min(event["ts"] for event in spans), 0)
                begins, ends = ([event["id"] for event in trace["traceEvents"] if event["ph"] == ph] for ph in "sf")
                self.assertEqual(sorted(begins), sorted(ends))
                self.assertEqual(len(set(begins)), len(begins))
                self.assertEqual(len(begins) > 0, n > 1)
                started = [event for event in spans if event["name"] == "start exchange"]
                for event in started:
                    self.assertTrue(n == 1 or any(key.startswith("bytes to rank") for key in event["args"]), event)

    def test_spans_of_a_thread_are_nested_and_clocks_agree(self):
        self.run_traced(n=2)
        trace = self.read()
        ends = {}
        for rank in (0, 1):
            spans = sorted((event for event in self.spans(trace) if event["pid"] == rank and event["tid"] == 0),
                           key=lambda event: (event["ts"], -event["dur"]))
            open_ones = []
            for event in spans:
                begin, end = round(1000 * event["ts"]), round(1000 * (event["ts"] + event["dur"]))  # ns
                while open_ones and open_ones[-1] <= begin:
                    open_ones.pop()
                self.assertTrue(not open_ones or end <= open_ones[-1], event)
                open_ones.append(end)
            run = next(event for event in spans if event["name"] == "run")
            ends[rank] = run["ts"] + run["dur"]
        self.assertLess(abs(ends[0] - ends[1]), 1e6)  # us; both leave the last collective of the run
        sent = {event["id"]: event["ts"] for event in trace["traceEvents"] if event["ph"] == "s"}
        ended = {(event["pid"], event["args"]["exchange"], event["args"]["round"]): event["ts"] + event["dur"]
                 for event in self.spans(trace) if event["cat"] == "finish"}
        self.assertTrue(ended)
        for event in trace["traceEvents"]:  # no message ends before it begins
            if event["ph"] == "f":
                plan, index, number, _, to = map(int, event["id"].split("."))
                exchange = next(i for i, e in enumerate(trace["weft"]["ranks"][to]["exchanges"]) if (e["plan"], e["index"]) == (plan, index))
                self.assertGreater(ended[to, exchange, number], sent[event["id"]], event)

    def test_only_the_first_and_the_last_steps_are_kept(self):
        self.run_traced(steps=50, more=["--trace-steps", "3"])
        trace = self.read()
        self.assertEqual(self.steps(trace), [0, 1, 2, 47, 48, 49])
        self.assertEqual(trace["weft"]["ranks"][0]["steps"], 50)
        names = {event["name"] for event in self.spans(trace)}
        self.assertIn("discretization", names)  # the start
        self.assertIn("last output", names)
        long = (self.folder / "trace.json").stat().st_size
        self.run_traced(steps=200, more=["--trace-steps", "3", "--overwrite"])
        self.assertLess((self.folder / "trace.json").stat().st_size, 1.1 * long)
        said = self.weft("trace", "summary", "trace.json")
        self.assertIn("200 steps", said)
        self.assertIn("events of 6 steps", said)

    def test_the_rates_of_tasks(self):
        self.run_traced(n=2)
        rank = self.read()["weft"]["ranks"][0]
        self.assertGreater(min(rank["rates"]["host"]), 1e8)  # measured: more than 0.1 GB/s and GFLOP/s
        self.assertEqual(rank["rates"]["device"], [0, 0])
        said = self.weft("trace", "summary", "trace.json")
        self.assertRegex(said, r"tasks on the host, .*; roofline of a rank: copy [0-9.]+ GB/s, [0-9.]+ GFLOP/s\n")
        for task in ("gradients and fluxes (inner, first half)", "fluxes of partition interfaces", "update"):
            row = next(line for line in said.partition("tasks on the host")[2].splitlines() if line.strip().startswith(task))
            self.assertGreater(float(row.split()[-2]), 0.01, row)  # % of the roofline
        given = self.weft("trace", "summary", "trace.json", "--host-bandwidth", "1000", "--host-flops", "2000")
        self.assertIn("roofline of a rank: copy 1000.0 GB/s, 2000.0 GFLOP/s", given)
        self.weft("trace", "summary", "trace.json", "--host-flops", "0", code=USAGE)

    def test_the_summary_as_json(self):
        self.run_traced(n=2, steps=6)
        said = json.loads(self.weft("trace", "summary", "--json", "trace.json", "trace.json"))
        self.assertEqual((said["format"], said["command"], len(said["traces"])), (1, "trace summary", 2))
        trace = said["traces"][1]
        self.assertEqual((trace["file"], trace["ranks"], trace["gpus"]), ("trace.json", 2, None))
        recording, plans = trace["recording"], trace["plans"]
        self.assertEqual((recording["steps"], recording["kept"]), (6, 6))
        self.assertLessEqual(recording["computed"], recording["step"])
        self.assertTrue(0 <= recording["overlap"] <= 1)
        self.assertTrue(0 <= plans["hidden_share"] <= 1)
        for of in plans["exchanges"]:
            self.assertLessEqual(of["hidden"], of["can_be_hidden"] + 1e-12, of)
        self.assertIn(f"hidden communication: {100 * plans['hidden_share']:.1f} %", self.weft("trace", "summary", "trace.json"))

    def test_results_are_those_of_a_run_without_a_trace(self):
        self.weft("run", *self.coarse("naca0012", results="plain"), *ranks(2))
        self.weft("run", *self.coarse("naca0012", results="traced"), *ranks(2), "--trace", "traced/trace.json")
        self.assert_same_end("plain", "traced")
        self.assertTrue((self.folder / "traced" / "trace.json").exists())
        self.weft("run", *self.coarse("naca0012", results="traced", steps=6), *ranks(2), "--trace", "traced/trace.json", "--resume")
        self.assertEqual(len(self.steps(self.read("traced/trace.json"))), 1)

    def test_a_run_that_becomes_unphysical_leaves_its_trace(self):
        for n in (1, 3):
            with self.subTest(ranks=n):
                wrong = ("numerics.flux=roe", "initial.kind=expression", "initial.velocity_x_expression=x < 0.5 ? -40 : 40", "output.exact_errors=false")
                said = self.weft("run", *self.coarse("sod", *wrong, steps=500), *ranks(n), "--trace", "trace.json", "--overwrite", code=PHYSICS)
                self.assertIn("weft: error:", said)
                trace = self.read()
                self.assertEqual({event["pid"] for event in self.spans(trace)}, set(range(n)))
                self.assertTrue(self.steps(trace))

    def start_endless(self, n):
        process = self.start("run", *self.coarse("vortex", "stop.time=1e9", "mesh.n=32", steps=10**9), *ranks(n), "--trace", "trace.json", "--trace-steps", "4",
                             "--watchdog", "30")  # a rank that waits for another says where
        self.wait_for_steps(process)
        return process

    def test_an_interrupted_run_leaves_its_trace(self):
        process = self.start_endless(2)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        code, said = self.ended(process, 60)
        self.assertEqual(code, INTERRUPTED, said)
        trace = self.read()
        self.assertEqual(len(self.steps(trace)), 8)
        self.assertEqual(max(self.steps(trace)) + 1, trace["weft"]["ranks"][1]["steps"])

    def test_a_killed_run_leaves_its_start(self):
        process = self.start_endless(2)
        until = time.monotonic() + 60
        while not self.steps(self.read()) and time.monotonic() < until:
            time.sleep(0.1)
        at_work = [pid for pid in descendants(process.pid) if is_rank(pid) and alive(pid)]
        os.kill(at_work[1], signal.SIGKILL)
        self.ended(process, 60)
        trace = self.read()
        self.assertEqual(self.steps(trace, 1), [0, 1, 2, 3])
        self.assertIn("4 steps", self.weft("trace", "summary", "trace.json"))

    def test_a_file_that_cannot_be_written_is_an_error_before_the_run(self):
        (self.folder / "notes.txt").write_text("mine\n")
        (self.folder / "folder").mkdir()
        for path, words in (("notes.txt/trace.json", "notes.txt"), ("folder", "is no trace"), ("notes.txt", "is no trace"),
                            ("/proc/trace.json", "/proc/trace.json")):
            for n in (1, 3):
                with self.subTest(path=path, ranks=n):
                    said = self.weft("run", *self.coarse("naca0012"), *ranks(n), "--trace", path, code=FAILED)
                    self.assertEqual(said.count("weft: error: "), 1, said)
                    self.assertIn(words, said)
                    self.assertFalse((self.folder / "naca0012").exists())
        self.assertEqual((self.folder / "notes.txt").read_text(), "mine\n")

    def test_an_error_of_the_case_comes_before_the_trace(self):
        said = self.weft("run", *self.coarse("naca0012", "numerics.cfll=1"), "--trace", "trace.json", code=FAILED)
        self.assertIn("numerics.cfll", said)
        self.assertFalse((self.folder / "trace.json").exists())

    def test_options_that_do_not_go_together(self):
        case = self.coarse("naca0012")
        for words in (["--trace", "t.json", "--sweep", "gas.gamma=1.4"], ["--trace-steps", "3"], ["--trace"],
                      ["--trace", "t.json", "--trace-steps", "0"]):
            with self.subTest(words=words):
                self.weft("run", *case, *words, code=USAGE)


class Summaries(InFolder):
    def test_says_where_the_time_went(self):
        self.weft("run", *self.coarse("naca0012", steps=10), *ranks(3), "--trace", "trace.json")
        said = self.weft("trace", "summary", "trace.json")
        for words in ("3 ranks, 10 steps", "phase, s", "build mesh", "gradient weights", "critical path of the last 10 steps", "on rank",
                      "overlap: ranks compute during", "waiting, ms a step", "messages of the whole run"):
            self.assertIn(words, said)
        self.assertRegex(said, r"(?m)^ +0 +1 +\d+ +\d+$")
        shares = [float(line.split()[-2]) for line in said.split("critical path")[1].split("\n\n")[0].splitlines()[1:] if line.endswith("%")]
        self.assertLess(sum(shares), 101)
        self.assertGreater(sum(shares), 80)

    def test_of_several_files_and_of_one_rank(self):
        self.weft("run", *self.coarse("naca0012"), "--trace", "one.json")
        said = self.weft("trace", "summary", "one.json", "one.json")
        self.assertEqual(said.count("1 rank, 5 steps"), 2)
        self.assertNotIn("messages of the whole run", said)

    def test_bad_files_are_named(self):
        self.weft("run", *self.coarse("naca0012"), "--trace", "good.json")
        good = (self.folder / "good.json").read_text()
        for name, text, words in (
                ("cut.json", good[:len(good) // 2], "the file ends in the middle of a trace"),
                ("empty.json", "", "the file ends in the middle of a trace"),
                ("case.toml", "[mesh]\nn = 3\n", "is not JSON"),
                ("run.json", '{"format": 1, "calls": []}', "no trace of weft"),
                ("other.json", '[{"ph": "X", "name": "a"}]', "no trace of weft"),
                ("rank.json", good.replace('"pid": 0, "tid"', '"pid": 9, "tid"'), "of the trace is wrong")):
            with self.subTest(file=name):
                (self.folder / name).write_text(text)
                said = self.weft("trace", "summary", name, code=FAILED)
                self.assertEqual(said.count("weft: error: "), 1, said)
                self.assertIn(name, said)
                self.assertIn(words, said)
        self.assertIn("no such file", self.weft("trace", "summary", "missing.json", code=FAILED))
        self.assertIn("did you mean good.json", self.weft("trace", "summary", "god.json", code=FAILED))

    def test_help(self):
        said = self.weft("trace", "--help")
        self.assertIn("summary", said)
        self.assertIn("weft trace summary trace.json", self.weft("trace", "summary", "--help"))
        self.weft("trace", code=USAGE)
        self.assertIn("--trace-steps", self.weft("run", "--help"))


if __name__ == "__main__":
    unittest.main()
