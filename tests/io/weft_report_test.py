"""Tests of `weft report`: what the page says of whole, running, killed, failed and half-written runs, and that it needs no other file.
Exits with 77 where h5py or matplotlib is missing."""
import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import h5py  # noqa: F401
    import matplotlib  # noqa: F401
    import numpy  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}; apt-get install python3-h5py python3-numpy python3-matplotlib")
    sys.exit(77)

sys.dont_write_bytecode = True
MODULES = Path(__file__).resolve().parents[2] / "python"
TOOL = [sys.executable, "-B", MODULES / "weft" / "plot", "report"]
sys.path[:0] = [str(MODULES), str(Path(__file__).resolve().parent / "support")]
import results  # noqa: E402

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Outline(html.parser.HTMLParser):
    """Tags that are not closed in order, ids, links, headings, pictures, and what would be fetched."""

    def __init__(self, text):
        super().__init__()
        self.open, self.wrong, self.ids, self.links, self.pictures, self.fetched, self.headings = [], [], [], [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "a":
            self.links.append(attrs["href"])
        if tag == "svg":
            self.pictures.append(attrs.get("aria-label", ""))
        for name in ("src", "href", "xlink:href"):
            if not attrs.get(name, "#").startswith(("#", "data:")):
                self.fetched.append(attrs[name])
        if tag in ("link", "iframe", "object", "embed"):
            self.fetched.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


class WeftReport(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def tool(self, *arguments, code=0):
        done = subprocess.run([*TOOL, *arguments], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def page(self, folder="run", word="finished"):
        said = self.tool(folder)
        self.assertIn(word, said)
        text = (self.folder / folder / "report.html").read_text()
        self.assertTrue(f'<span class="badge {word}">{word}</span>' in text, word)  # assertIn would print the page
        return text

    def draw_nothing(self):
        """Pictures take seconds."""
        for file in (self.folder / "run").iterdir():
            if file.suffix in (".hdf", ".csv"):
                file.unlink()

    def test_the_page_holds_everything_and_needs_nothing(self):
        results.make(self.folder / "run")
        text = self.page()
        for words in ("A &lt;small&gt; flow &amp; its page", "96", "4.5 million", "Cp along the walls", "20 iso-lines of density", "with streamlines",
                      "First state: step 0", "Mach number = 0.8", "weft run case.toml -n 2", "commit 0123456789ab", "64 triangles, 32 quads",
                      "2.0000e-03", "slip wall", "time stepping: 4 s (80.0 %)", "33 MiB", "0.125", "generator = &quot;square&quot;", "A processor"):
            self.assertTrue(words in text, words)
        outline = Outline(text)
        self.assertEqual((outline.open, outline.wrong, outline.fetched), ([], [], []))
        self.assertEqual(len(outline.ids), len(set(outline.ids)))
        self.assertEqual([link for link in outline.links if link[1:] not in outline.ids], [])
        self.assertGreaterEqual(len(outline.pictures), 9)
        self.assertTrue(all(outline.pictures))
        self.assertEqual(outline.headings[0], 1)
        self.assertTrue(all(after <= before + 1 for before, after in zip(outline.headings, outline.headings[1:])))
        self.assertIsNone(re.search(r"url\((?!#)|@import|https?://(?!www\.w3\.org/)", text))
        used = re.findall(r'(?:url\(#|href="#)([^")]+)', text)
        self.assertEqual([name for name in used if name not in outline.ids], [])
        self.assertFalse("#010203" in text)

    def test_zones_of_patterns_have_their_kinds(self):
        results.make(self.folder / "run")
        case = self.folder / "run" / "case.toml"
        case.write_text(results.CASE.replace("[boundary.round]", '[boundary."r?un*"]').replace('zones = ["round"]', 'zones = ["ro*"]'))
        self.assertTrue("slip wall" in self.page())
        from weft.plot.run_folder import RunFolder  # noqa: PLC0415
        run = RunFolder(self.folder / "run")
        self.assertEqual((run.kind_of("round"), run.kind_of("far"), run.kind_of("other")), ("slip_wall", "far_field", ""))
        self.assertIn("round", run.bodies())

    def test_the_verdict_on_the_run(self):
        verdict = {"good": False, "headline": "not converged: the number of steps is reached before the case's criterion of convergence",
                   "criteria": [{"key": "stop.residual", "wanted": "1e-06", "reached": "1.00e-04", "met": False},
                                {"key": "stop.steps", "wanted": "20", "reached": "20", "met": True}],
                   "decades": {"density": 4.04, "momentum_x": 3.5},
                   "forces": [{"name": "body", "since_step": 16, "drag": 0.012, "lift": 1e-4, "settled": False}],
                   "reference_lengths": 12.5, "domain_lengths": 0.25}
        results.make(self.folder / "run", results.call(verdict=verdict))
        self.draw_nothing()
        self.assertIn("the run is finished", self.tool("run"))
        text = (self.folder / "run" / "report.html").read_text()
        for words in ('<span class="badge amber">finished</span> <span>Not converged: the number of steps is reached', "1.00e-04", "not met", "momentum x",
                      "4.0", "1.2 %", "still moving", "12.5", "0.25"):
            self.assertTrue(words in text, words)
        outline = Outline(text)
        self.assertEqual((outline.open, outline.wrong, outline.fetched), ([], [], []))
        results.make(self.folder / "run", results.call(verdict=verdict | {"good": True, "headline": "converged: the residual has fallen"}))
        self.draw_nothing()
        self.assertTrue("<span>Converged: the residual has fallen, at step 20.</span>" in self.page())  # whose badge is green

    def test_how_the_run_stands(self):
        start = Path(f"/proc/{os.getpid()}/stat").read_text().rpartition(")")[2].split()[19]
        here = {"status": "running", "fraction": 0.5, "step": 10}
        for word, call, words in (
                ("stopped", {"status": "stopped", "reason": "interrupted"}, "goes on with --resume"),
                ("failed", {"status": "failed", "reason": "density < 0 in cell 7"}, "density &lt; 0 in cell 7"),
                ("running", here | {"pid": os.getpid(), "process_start": start}, "50 % of the way"),
                ("killed", here | {"pid": os.getpid(), "process_start": "1"}, "ended without a report (last update at step 10"),
                ("killed", here | {"host": "another"}, "On another, last update"),
                ("unknown", None, "no run.json")):
            with self.subTest(word=word):
                results.make(self.folder / "run", results.call(**(call or {})))
                self.draw_nothing()
                if call is None:
                    (self.folder / "run" / "run.json").unlink()
                self.assertTrue(words in self.page(word=word), words)
        results.make(self.folder / "run", results.call(step=10), results.call(first_step=10, command="weft run case.toml --resume"))
        self.draw_nothing()
        text = self.page()
        self.assertTrue("Call 2 of 2" in text)
        self.assertTrue("10 to 20" in text)

    def test_half_written_results(self):
        folder = results.make(self.folder / "run")
        last = folder / "fields_00000020.hdf"
        last.write_bytes(last.read_bytes()[:-500])
        (folder / "fields_00000030.hdf.part").write_text("unfinished")
        (folder / "residuals.csv").write_text("step,time,dt,density,energy\n10,0.25,0.025,1,2\n20,0.5,0.0")
        (folder / "forces.csv").write_text("step,time,body_cd,body_cl\n")
        (folder / "run.json").write_text('{"format": 1, "mesh": {"dim"')
        text = self.page(word="unknown")
        self.assertTrue("fields_00000020.hdf: cannot be read" in text)
        self.assertTrue("Last state: step 0" in text)
        self.assertTrue("Residual, to step 10" in text)
        for file in folder.iterdir():
            if file.name != "case.toml":
                file.unlink()
        self.assertTrue("There are no fields yet" in self.page(word="unknown"))
        (folder / "case.toml").write_text("not toml [")
        self.page(word="unknown")
        (folder / "run.json").write_text('{"calls": [{"status": "running"}], "mesh": {}}')  # another version's: all may be missing
        self.page(word="killed")

    def test_a_trace_is_shown_as_a_timeline(self):
        folder = results.make(self.folder / "run")
        self.draw_nothing()
        self.assertFalse('id="timeline"' in self.page())
        events = [{"name": "process_name", "ph": "M", "pid": rank, "args": {"name": f"rank {rank}"}} for rank in (0, 1)]

        def span(rank, name, begin, length, step=-1, cat="region"):
            events.append({"name": name, "cat": cat, "ph": "X", "pid": rank, "tid": 0, "ts": begin, "dur": length, "args": {"step": step}})

        for rank in (0, 1):
            span(rank, "build <mesh>", 0, 500)
            for step in range(3):
                span(rank, "step", 1000 + 100 * step, 90, step)
                span(rank, "flux", 1000 + 100 * step, 60 + 10 * rank, step)
                span(rank, "ghost rows", 1070 + 100 * step, 20, step, "wait")
        trace = {"weft": {"format": 1, "ranks": [{}, {}]}, "traceEvents": events}
        (folder / "trace.json").write_text(json.dumps(trace))
        text = self.page()
        for words in ('id="timeline"', "The start: 1 ms", "Steps 2 and 3 of this trace: 0.19 ms", "build &lt;mesh&gt;", "waiting", "rank 1", "weft trace summary"):
            self.assertTrue(words in text, words)
        outline = Outline(text)
        self.assertEqual((outline.open, outline.wrong, outline.fetched), ([], [], []))
        self.assertIsNone(re.search(r"https?://(?!www\.w3\.org/)", text))

    def trace_of_tasks(self, counts):
        def task(tid, name, begin, length, node):
            return {"name": name, "cat": "task", "ph": "X", "pid": 0, "tid": tid, "ts": begin, "dur": length, "args": {"stage": 0, "node": node}}

        events = [task(0, "fluxes", 0, 100, 0), task(0, "update", 100, 50, 1), task(0, "sums", 150, 10, 2), task(1000, "flux kernel", 10, 5, 3),
                  {"name": "thread_name", "ph": "M", "pid": 0, "tid": 1000, "args": {"name": "stream of tasks"}}]
        rank = {"graphs": [[[0], [0, 0], [0, 1], [0]]], "rates": {"host": [40e9, 20e9], "device": [0, 4e12]}}
        return {"weft": {"format": 1, "ranks": [rank | counts]}, "traceEvents": events}

    def test_the_rates_of_tasks_are_shown_below_the_roofline(self):
        folder = results.make(self.folder / "run")
        self.draw_nothing()
        counts = {"counts": [[[0, 1e6, 5e5], [1, 2e4, 4e5], [3, 1e7, 1e7]]]}
        (folder / "trace.json").write_text(json.dumps(self.trace_of_tasks(counts)))
        text = self.page()
        for words in ('id="roofline"', "copy 20 GB/s", "40 GFLOP/s", "fluxes, 67 %", "update, 33 %", "Tasks on the GPU", "flux kernel, 100 %",
                      "copy 4e+03 GB/s", "rank 0, stream of tasks"):
            self.assertTrue(words in text, words)
        self.assertFalse("sums, " in text)  # without a count
        outline = Outline(text)
        self.assertEqual((outline.open, outline.wrong, outline.fetched), ([], [], []))
        for none in ({}, {"counts": [[]]}):  # a trace of an earlier version; without counts
            (folder / "trace.json").write_text(json.dumps(self.trace_of_tasks(none)))
            self.assertFalse('id="roofline"' in self.page())
        (folder / "trace.json").write_text(json.dumps(self.trace_of_tasks({"counts": [[[0]]]})))
        text = self.page()
        self.assertTrue("is no trace of weft" in text)
        self.assertFalse('id="roofline"' in text)

    def test_a_damaged_trace_is_reported(self):
        folder = results.make(self.folder / "run")
        self.draw_nothing()
        for content, words in (('{"weft": {"format"', "trace.json: is no trace"), ("[]", "trace.json: is no trace of weft"),
                               ('{"weft": {"ranks": []}, "traceEvents": [{"ph": "X"}]}', "trace.json: is no trace of weft")):
            with self.subTest(content=content):
                (folder / "trace.json").write_text(content)
                text = self.page()
                self.assertTrue(words in text, words)
                self.assertFalse('id="timeline"' in text)
        (folder / "trace.json").write_text('{"weft": {"ranks": [{}]}, "traceEvents": []}')  # a run that has just begun
        self.assertFalse('id="timeline"' in self.page())

    def test_a_state_that_is_not_finite(self):
        folder = results.make(self.folder / "run", results.call(status="failed", reason="NaN"))
        (folder / "fields_00000020.hdf").rename(folder / "fields_failed.hdf")
        with h5py.File(folder / "fields_failed.hdf", "a") as file:
            file["VTKHDF/CellData/pressure"][...] = float("nan")
            file["VTKHDF/CellData/density"][3] = float("nan")
        text = self.page(word="failed")
        self.assertTrue("Where it failed: step 20" in text)
        self.assertTrue("96 cells of 96 without a finite pressure, density" in text)

    def test_a_missing_library_is_named(self):
        (self.folder / "h5py.py").write_text("raise ImportError('no h5py here')")
        for tool in ("plot", "report"):
            done = subprocess.run([*TOOL[:-1], tool, "run"], env=os.environ | {"PYTHONPATH": str(self.folder)}, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (1, "weft: error: no h5py here; apt-get install python3-h5py python3-numpy "
                                                                 "python3-matplotlib, or in a virtual environment pip install h5py "
                                                                 "matplotlib\n"))

    def test_mistakes_are_named(self):
        self.assertEqual(self.tool("rnu", code=1), 'weft: error: rnu: there is no such folder; give the folder that "results in" named at the end of '
                                                   'the run\n')
        results.make(self.folder / "run")
        self.assertIn('did you mean "run"', self.tool("rnu", code=1))
        self.assertIn("is a file; give the results folder", self.tool("run/case.toml", code=1))
        self.assertIn("holds no results itself, but 1 folder with results: run; give one of them: weft report run", self.tool(".", code=1))
        results.make(self.folder / "other")
        self.assertIn("2 folders with results: other, run", self.tool(".", code=1))
        (self.folder / "empty").mkdir()
        self.assertIn("holds no results of a run", self.tool("empty", code=1))
        self.assertIn("cannot be written", self.tool("run", "--output", "/proc/page.html", code=1))
        self.assertIn("is a folder", self.tool("run", "--output", "empty", code=1))
        self.assertIn("see weft report --help", self.tool(code=2))
        self.assertIn("see weft report --help", self.tool("run", "--outptu", "x", code=2))
        self.tool("run", "--output", "new/page.html")
        self.assertEqual(list((self.folder / "new").iterdir()), [self.folder / "new" / "page.html"])


if __name__ == "__main__":
    unittest.main()
