"""weft bench kernels and weft.bench.kernels, with a program in place of the one that measures on a GPU; and with that one where there is a GPU.

    bench_kernels_test.py path/to/weft [unittest arguments]
"""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

try:
    import matplotlib
    import matplotlib.image
except ImportError:
    matplotlib = None  # then no pictures are drawn

from weft_support import FAILED, PATIENCE, SOURCE, USAGE, WEFT, InFolder, environment

sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "python"))
import weft.bench  # noqa: E402 (needs no compiled module)
from weft.errors import DeviceError, InputError, IoError  # noqa: E402

SPACE = (SOURCE / "apps" / "weft" / "kernel_space.hpp").read_text()
INPUTS = re.findall(r'\{kernels::Primitive::\w+, \d, "(\w+)", "([\w ]+)", "([\w %]*)"\}', SPACE)
TABLE = re.findall(r"^    \{Primitive::(\w+), (\d), Provider::(\w+),", (SOURCE / "src/weft/kernels/primitives/providers.hpp").read_text(), re.M)
NAMES, HOST_NAMES = (re.findall(r'"(\w+)"', SPACE.partition(f"{names} = ")[2].partition("}")[0]) for names in ("kMeasuredKernels", "kHostKernels"))
MANY, FEW = 1 << 27, 1_000_000
COPY_RATE = 2e12
NO_GPU = "kernels are measured on a GPU, and none can be used"

PROGRAM = """#!/usr/bin/python3
import json, os, pathlib, signal, sys
here = pathlib.Path(__file__).parent
with open(here / "calls", "a") as calls:
    print(*sys.argv[1:], file=calls)
answer = json.loads((here / "answer.json").read_text())
if answer["fails"]:
    print(answer["fails"], file=sys.stderr)
    sys.exit(1)
machine = answer["machine"]
if "--machine" in sys.argv:
    print(json.dumps({name: machine[name] for name in machine if name not in ("copy", "runs")}))
    sys.exit()
print(json.dumps(machine), flush=True)
only = sys.argv[sys.argv.index("--only") + 1].split(",") if "--only" in sys.argv else None
for row in answer["rows"]:
    if only is None or row["kernel"] in only:
        print(json.dumps(row), flush=True)
if answer["last"]:
    print(answer["last"], flush=True)
if answer["killed"]:
    os.kill(os.getpid(), signal.SIGKILL)
"""


def times(median, width=0.02):
    return {"median": median, "least": median * (1 - width), "largest": median * (1 + width)}


def row(kernel, type_="double", input_="", entries=MANY, operations=1.0, own=1e-3, library=None):
    """A row with 8 bytes an entry."""
    candidates = {"own": times(own)} | ({"library": times(library)} if library else {})
    return {"kernel": kernel, "type": type_, "input": input_, "entries": entries, "bytes": 8.0 * entries, "operations": operations * entries,
            "times": candidates}


def space():
    """Rows for the whole declared space, in which own kernels are twice as fast."""
    return [row(*each, entries=n, own=1e-3, library=2e-3) for n in (MANY, FEW) for each in INPUTS]


class WithProgram(InFolder):
    """Has an installation of the tested program with another program in place of the measuring one."""

    def setUp(self):
        super().setUp()
        self.program = self.folder / "installed" / "bin" / "weft"
        self.measuring = self.folder / "installed" / "libexec" / "weft" / "bench_kernels_primitives"
        python = self.folder / "installed" / "share" / "weft" / "python"
        for folder in (self.program.parent, self.measuring.parent, python.parent):
            folder.mkdir(parents=True)
        try:
            os.link(WEFT, self.program)
        except OSError:  # on another file system
            shutil.copy(WEFT, self.program)
        python.symlink_to(SOURCE / "python")
        self.measuring.write_text(PROGRAM)
        self.measuring.chmod(0o755)
        self.answer = {"machine": {"gpu": "GPU of this test", "compute": "9.0", "cuda": "13.0", "driver": "13.1", "l2_bytes": 1 << 25, "runs": 20,
                                   "copy": {"bytes": COPY_RATE * 1e-3} | times(1e-3, 0.01)},
                       "rows": [row("sum", own=1e-3, library=5e-4), row("dot", own=2e-3, operations=2.0),
                                row("sort", "uint32", own=4e-3, library=5e-3, operations=0), row("sum", entries=FEW, own=1e-5, library=1e-5)],
                       "fails": "", "last": "", "killed": False}

    def bench(self, *arguments, code=0, **variables):
        """(standard output, standard error) of weft bench kernels with these arguments."""
        (self.measuring.parent / "answer.json").write_text(json.dumps(self.answer))
        variables = {"XDG_CACHE_HOME": str(self.folder / "cache")} | variables
        done = subprocess.run([self.program, "bench", "kernels", *map(str, arguments)], cwd=self.folder, env=environment() | variables,
                              timeout=PATIENCE, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("weft: error: "), 1 if code else 0, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout, done.stderr

    def refused(self, *arguments, code=FAILED, **variables):
        return self.bench(*arguments, code=code, **variables)[1]

    def calls(self):
        """The arguments of each run of the measuring program so far."""
        log = self.measuring.parent / "calls"
        return log.read_text().splitlines() if log.exists() else []


class Table(WithProgram):
    def test_has_both_providers_their_ranges_and_shares_of_the_copy(self):
        out, _ = self.bench()
        self.assertEqual(self.calls(), [""])
        self.assertIn("GPU of this test, CUDA 13.0, driver for CUDA 13.1; medians of 20 runs", out)
        self.assertIn("copy on the device, read + written: 2000.0 GB/s, range 2.0 %\n", out)
        lines = {(words[0], words[2]): words[1:] for words in (line.split() for line in out.splitlines()) if len(words) > 3 and words[0].endswith(",")}
        share = 8 * MANY / 1e-3 / COPY_RATE
        self.assertEqual(lines["sum,", str(MANY)],
                         ["double", str(MANY), "1000.00", "4.0", "500.00", "4.0", f"{share:.3f}", f"{2 * share:.3f}", "0.500"])
        self.assertEqual(lines["dot,", str(MANY)], ["double", str(MANY), "2000.00", "4.0", f"{share / 2:.3f}"])

    def test_options_reach_the_program(self):
        out, _ = self.bench("--quick", "--only", "sort,dot")
        self.assertEqual(self.calls(), ["--quick --only sort,dot"])
        self.assertNotIn("\nsum, ", out)
        self.assertIn("\nsort, uint32 ", out)

    def test_document(self):
        self.bench("--json", "a.json")
        document = json.loads((self.folder / "a.json").read_text())
        self.assertEqual((document["format"], document["command"], document["machine"]), (1, "bench kernels", self.answer["machine"]))
        self.assertEqual(document["rows"], self.answer["rows"])
        self.assertEqual(set(document), {"format", "version", "command", "commit", "machine", "rows"})
        self.bench("--json", "a.json", "--only", "dot")  # replaced
        self.assertEqual(len(json.loads((self.folder / "a.json").read_text())["rows"]), 1)

    def test_only_one_rank_measures(self):
        self.assertEqual(self.bench(OMPI_COMM_WORLD_RANK="1"), ("", ""))
        self.assertEqual(self.calls(), [])

    def test_wrong_arguments_measure_nothing(self):
        self.assertEqual((len(NAMES), len(HOST_NAMES)), (39, 6))
        self.assertIn(f'there is no kernel "srot"; the names are {", ".join(NAMES)}, and with --device host {", ".join(HOST_NAMES)}; see weft bench '
                      "kernels --help", self.refused("--only", "sum,srot", code=USAGE))
        for words, said in ((["--tune", "--quick"], "excludes"), (["--tune", "--only", "sum"], "excludes"), (["--cache", "c"], "requires --tune"),
                            (["--picture", "a.gif"], "pictures are .png, .pdf and .svg files, and a.gif is none"), (["--json", ""], "must not be empty"),
                            (["--only"], "--only"), (["extra"], "extra"), (["--device", "gpu"], 'kernels are measured on cuda or host, not "gpu"'),
                            (["--only", "bucket_sort"], "on the host alone; add --device host"), (["--tune", "--device", "host"], "providers on a GPU;")):
            self.assertIn(said, self.refused(*words, code=USAGE))
        for words, said in ((["--json", "none/a.json"], "none/a.json: its folder does not exist; create it, or choose another"),
                            (["--picture", "none/a.png"], "none/a.png: its folder does not exist"),
                            (["--json", "installed"], "installed: this is not a regular file, and is not replaced; give the name of a file")):
            self.assertIn(said, self.refused(*words))
        self.assertEqual(self.calls(), [])

    def test_errors_of_the_program(self):
        self.answer["fails"] = f"weft: error: {NO_GPU} (no driver); run where there is an NVIDIA GPU"
        self.assertEqual(self.refused("--json", "a.json"), self.answer["fails"] + "\n")
        self.assertFalse((self.folder / "a.json").exists())
        self.answer["fails"] = ""
        for last in ("{", "no JSON", '{"kernel": "sum"}', "[]", json.dumps(row("sum") | {"bytes": "many"})):
            self.answer["last"] = last
            self.assertIn("bench_kernels_primitives: printed a line that is no measurement (\"" + last[:20], self.refused())
        self.answer |= {"last": "", "killed": True}
        self.assertIn("bench_kernels_primitives: was ended by a signal (Killed); run it again", self.refused())
        self.measuring.write_text("#!/bin/sh\n")
        for words in ([], ["--tune"]):
            self.assertIn("bench_kernels_primitives: printed nothing; build the target bench_kernels_primitives, or install weft again", self.refused(*words))
        self.measuring.write_text("#!/none/such\n")
        self.assertIn("bench_kernels_primitives: cannot be started (No such file or directory)", self.refused())

    def test_a_build_without_the_program(self):
        self.measuring.unlink()
        self.assertRegex(self.refused(), rf"^weft: error: ({NO_GPU} \(.+\); .+|.*bench_kernels_primitives: the program that measures kernels is not "
                                         r"there; build the target bench_kernels_primitives, or install weft again)\n$")


class Tune(WithProgram):
    def setUp(self):
        super().setUp()
        self.answer["rows"] = space()

    def rows_of(self, kernel, type_, input_=""):
        return [each for each in self.answer["rows"] if (each["kernel"], each["type"], each["input"]) == (kernel, type_, input_)]

    def choices(self, *arguments):
        self.bench("--tune", "--json", "t.json", *arguments)
        found = json.loads((self.folder / "t.json").read_text())["choices"]
        return {(each["primitive"], each["entry_bytes"]): each for each in found}

    def test_every_row_of_the_table_is_chosen(self):
        self.assertGreater(len(INPUTS), 15)
        self.assertGreater(len(TABLE), 8)
        out, _ = self.bench("--tune")
        self.assertEqual(self.calls(), ["--machine", "--tiles --only sum,segmented_sum,exclusive_scan,sort,copy_if,unique,histogram"])
        self.assertIn(f"searching: both providers on {len(INPUTS)} inputs, with 134217728 and 1000000 entries, and 6 tile sizes of the sort\n", out)
        printed = re.findall(r"^    \{Primitive::(\w+), (\d), Provider::(\w+), ([\d.]+), \"(.*)\"\},\n        // as committed: (.*)$", out, re.M)
        self.assertEqual([each[:3] for each in printed], TABLE)
        self.assertIn(f"0 of {len(TABLE)} rows differ from the committed table\n", out)
        by_name = {each[:2]: each[3:] for each in printed}
        ratio, evidence, reason = by_name["histogram", "0"]
        self.assertEqual((ratio, reason), ("2", "faster in all runs"))
        self.assertRegex(evidence, r"^GPU of this test, weft bench kernels --tune, \S*, \d{4}-\d\d-\d\d: uint32, 256 bins; uint32, 8192 bins 2\.00; ")
        self.assertIn("; uint32, 256 bins, 1000000 entries 2.00", evidence)
        self.assertEqual(by_name["sort_keys", "0"][2], "there are no other tile sizes for keys of 1 and 2 bytes")

    def test_a_faster_provider_is_chosen_unless_the_digits_decide(self):
        for name in (("sort", "uint32"), ("histogram", "uint32", "8192 bins"), ("sum", "double"), ("segmented_sum", "double", "segments of 1000")):
            for each in self.rows_of(*name):
                each["times"]["library"] = times(5e-4)
        for each in self.rows_of("unique", "uint32"):
            each["times"] = {"own": times(1e-3, 0.1), "library": times(9e-4, 0.1)}
        chosen = self.choices()
        sort = chosen["sort_keys", 4]
        self.assertEqual((sort["provider"], sort["committed"], sort["differs"], sort["reason"]), ("library", "own", True, "faster in all runs"))
        self.assertIn("Provider::library, 0.5, ", sort["row"])
        for name in (("sum", 0), ("segmented_sum", 0)):
            self.assertEqual((chosen[name]["provider"], chosen[name]["reason"]), ("own", "sums of floating-point numbers must have the digits of the host"))
        self.assertEqual((chosen["histogram", 0]["provider"], chosen["unique", 0]["provider"]), ("own", "own"))
        self.assertIn("overlap", chosen["unique", 0]["reason"])
        out, _ = self.bench("--tune")
        self.assertIn("        // differs from the committed provider (own): faster in all runs\n", out)
        self.assertIn(f"1 of {len(TABLE)} rows differ", out)

    def test_tile_sizes(self):
        self.assertNotIn("tile sizes of the sort of", self.bench("--tune", "--cache", "none.json")[0])
        for each in self.rows_of("sort", "uint32"):
            each["times"] |= {"384 x 24": times(8e-4), "512 x 20": times(1.2e-3)}
        for each in self.rows_of("sort", "uint64"):
            each["times"]["384 x 24"] = times(1.01e-3)
        out, _ = self.bench("--tune")
        self.assertIn("tile sizes of the sort of uint32 keys: 384 x 24 takes 0.800 of the time of those of KeySortTuning\n", out)
        self.assertIn("tile sizes of the sort of uint64 keys: those of KeySortTuning, than which no other (1 measured) is faster in all runs\n", out)
        self.assertRegex(out, r"\n  tile sizes 384 x 24 +134217728 +800\.00 ")

    def test_results_are_cached_by_gpu_cuda_commit_and_program(self):
        first, _ = self.bench("--tune")
        cache = self.folder / "cache" / "weft" / "kernel_tuning.json"
        self.assertEqual(len(json.loads(cache.read_text())["entries"]), 1)
        again, _ = self.bench("--tune")
        self.assertRegex(again, rf"^from the cache {cache}, measured \d{{4}}-\d\d-\d\d; remove it to measure again\n")
        self.assertEqual(again[again.index("GPU of this test"):], first[first.index("GPU of this test"):])
        self.assertEqual([call.split()[0] for call in self.calls()], ["--machine", "--tiles", "--machine"])
        for change in ("gpu", "cuda"):
            self.answer["machine"][change] = "another"
            self.assertIn("searching: ", self.bench("--tune")[0])
        self.measuring.write_text(PROGRAM + "# built again\n")
        self.assertIn("searching: ", self.bench("--tune")[0])
        entries = json.loads(cache.read_text())
        self.assertEqual(len(entries["entries"]), 4)
        entries["entries"][-1]["commit"] = "of another build"
        cache.write_text(json.dumps(entries))
        self.assertIn("searching: ", self.bench("--tune")[0])
        # By default in the folder of the user, or in a file that is named.
        self.bench("--tune", XDG_CACHE_HOME="", HOME=str(self.folder))
        self.assertTrue((self.folder / ".cache" / "weft" / "kernel_tuning.json").exists())
        self.assertIn("neither XDG_CACHE_HOME nor HOME is set", self.refused("--tune", XDG_CACHE_HOME="", HOME=""))
        self.bench("--tune", "--cache", "mine.json")
        self.assertIn("from the cache mine.json", self.bench("--tune", "--cache", "mine.json")[0])

    def test_a_search_that_fails_is_not_cached(self):
        self.answer["killed"] = True
        self.refused("--tune", "--cache", "c.json")
        self.assertEqual(json.loads((self.folder / "c.json").read_text())["entries"], [])
        self.answer |= {"killed": False, "rows": [each for each in space() if each["kernel"] != "unique"]}
        self.assertIn("unique of 134217728 uint32 was not measured for both providers", self.refused("--tune", "--cache", "c.json"))
        self.assertEqual(json.loads((self.folder / "c.json").read_text())["entries"], [])

    def test_caches_that_cannot_be_used(self):
        (self.folder / "file").write_text("")
        for cache in ("file/c.json", "installed"):
            self.assertIn(cache.split("/")[0], self.refused("--tune", "--cache", cache))
        for text in ("", "{", "[]", '{"format": 1}', '{"command": "bench kernels --tune", "entries": 3}', "\0\1"):
            (self.folder / "c.json").write_text(text)
            self.assertIn("c.json: this is no cache of weft bench kernels --tune, or it is damaged; remove it, or choose another file with --cache",
                          self.refused("--tune", "--cache", "c.json"))
            self.assertEqual((self.folder / "c.json").read_text(), text)
        self.assertEqual(self.calls(), [])
        for entry in (3, {}, {"machine": {"gpu": "GPU of this test"}}):
            (self.folder / "c.json").write_text(json.dumps({"command": "bench kernels --tune", "entries": [entry]}))
            self.assertIn("an entry of this cache of weft bench kernels --tune is damaged", self.refused("--tune", "--cache", "c.json"))
        (self.folder / "c.json").unlink()
        self.bench("--tune", "--cache", "c.json")
        cache = json.loads((self.folder / "c.json").read_text())
        whole = json.dumps(cache)
        for damage in (lambda entry: entry["rows"][2]["times"]["own"].pop("least"), lambda entry: entry["machine"].pop("copy"),
                       lambda entry: entry["machine"].pop("runs"), lambda entry: entry.update(rows=[]), lambda entry: entry["rows"].pop()):
            cache = json.loads(whole)
            damage(cache["entries"][0])
            (self.folder / "c.json").write_text(json.dumps(cache))
            self.assertIn("c.json: an entry of this cache of weft bench kernels --tune is damaged", self.refused("--tune", "--cache", "c.json"))
        (self.folder / "c.json").unlink()
        del self.answer["machine"]["cuda"]
        self.assertIn("printed a line that is no measurement", self.refused("--tune", "--cache", "c.json"))


@unittest.skipIf(matplotlib is None, "matplotlib is not installed (Debian: python3-matplotlib)")
class Picture(WithProgram):
    def test_is_drawn(self):
        out, _ = self.bench("--picture", "a.png")
        self.assertTrue(out.endswith("\na.png\n"), out)
        self.assertGreater(matplotlib.image.imread(self.folder / "a.png")[..., :3].std(), 0.01)
        self.bench("--picture", "a.svg", "--json", "a.json")
        words = " ".join(re.findall(r"<(?:text|tspan)[^>]*>([^<]+)", (self.folder / "a.svg").read_text()))
        for word in ("GPU of this test, CUDA 13.0", "copy, 2000 GB/s", "sum, double", "dot, double", "sort, uint32", "Weft", "library"):
            self.assertIn(word, words)
        self.assertEqual(words.count("sum, double"), 1)  # the largest number of entries
        self.assertEqual(list(self.folder.glob("weft-kernels-*")), [])
        self.answer["rows"] = []
        self.assertIn("has no rows", self.refused("--picture", "none.png", TMPDIR=str(self.folder)))
        kept = list(self.folder.glob("weft-kernels-*"))  # the measurements of a picture that cannot be drawn
        self.assertEqual(len(kept), 1)
        self.assertEqual(json.loads(kept[0].read_text())["rows"], [])

    def test_values(self):
        from weft.plot import PlotError, kernels

        matplotlib.use("Agg")
        document = {"command": "bench kernels", "commit": "", "machine": self.answer["machine"], "rows": self.answer["rows"]}
        roofline, shares = kernels(document)
        self.assertAlmostEqual(roofline.lines[0].get_ydata()[0] / roofline.lines[0].get_xdata()[0], COPY_RATE / 1e9)
        self.assertEqual([line.get_ydata()[0] for line in roofline.lines[1:]], [MANY / 1e-3 / 1e9, MANY / 5e-4 / 1e9, 2 * MANY / 2e-3 / 1e9])
        share = 8 * MANY / 1e-3 / COPY_RATE
        for patch, value in zip(shares.patches, (share, share / 2, share / 4, 2 * share, share / 5), strict=True):
            self.assertAlmostEqual(patch.get_width(), value)
        machines = [{name: value for name, value in document["machine"].items() if name != missing} for missing in ("copy", "gpu", "cuda")]
        for wrong in (*(document | {"machine": machine} for machine in machines), {}, {"command": "info"}, document | {"rows": [3]}, document | {"rows": []}, document | {"machine": {}}, 3,
                      document | {"rows": [row("sum") | {"times": {"own": {"median": 1}}}]}, document | {"rows": [row("sum", own=-1.0)]}):
            with self.assertRaises(TypeError if wrong == 3 else PlotError):
                kernels(wrong)
        (self.folder / "no.json").write_text("{")
        for path in ("no.json", "none.json"):
            with self.assertRaises(PlotError):
                kernels(self.folder / path)


class FromPython(WithProgram):
    def kernels(self, **options):
        (self.measuring.parent / "answer.json").write_text(json.dumps(self.answer))
        return weft.bench.kernels(program=self.program, **options)

    def test_results(self):
        result = self.kernels(only=["sum", "dot"], quick=True)
        self.assertEqual(self.calls(), ["--quick --only sum,dot"])
        self.assertEqual([each["kernel"] for each in result.rows], ["sum", "dot", "sum"])
        self.assertEqual((result.rows, result.machine, result.choices), (self.answer["rows"][:2] + self.answer["rows"][3:], self.answer["machine"], None))
        self.assertIn("\nsum, double ", result.table())
        if matplotlib is not None:
            matplotlib.use("Agg")
            self.assertEqual(len(result.picture(self.folder / "p.png", title="mine")), 2)
            self.assertTrue((self.folder / "p.png").exists())

    def test_search(self):
        self.answer["rows"] = space()
        result = self.kernels(tune=True, cache=self.folder / "c.json")
        self.assertEqual(len(result.choices), len(TABLE))
        self.assertTrue((self.folder / "c.json").exists())

    def test_errors_have_the_text_of_the_program(self):
        with self.assertRaisesRegex(InputError, 'there is no kernel "x"; the names are sum, '):
            self.kernels(only="x")
        self.answer["fails"] = f"weft: error: {NO_GPU} (no driver); run where there is an NVIDIA GPU"
        with self.assertRaises(DeviceError) as caught:
            self.kernels()
        self.assertEqual(str(caught.exception), self.answer["fails"].removeprefix("weft: error: "))
        self.assertEqual((caught.exception.problem, caught.exception.suggestion), (f"{NO_GPU} (no driver)", "run where there is an NVIDIA GPU"))
        self.answer |= {"fails": "", "killed": True}
        with self.assertRaisesRegex(IoError, "was ended by a signal"):
            self.kernels()
        with self.assertRaisesRegex(IoError, "cannot be started"):
            weft.bench.kernels(program=self.folder / "none")


class OnGpu(InFolder):
    def test_measures(self):
        done = subprocess.run([WEFT, "bench", "kernels", "--quick", "--json", "a.json"], cwd=self.folder, env=environment(), timeout=10 * PATIENCE,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if NO_GPU in done.stderr:
            self.assertEqual((done.returncode, done.stdout), (FAILED, ""))
            self.skipTest(done.stderr.strip())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        document = json.loads((self.folder / "a.json").read_text())
        self.assertEqual({each["kernel"] for each in document["rows"]}, set(NAMES))
        measured = {(each["kernel"], each["type"], each["input"]) for each in document["rows"]}
        self.assertEqual([each for each in INPUTS if each not in measured], [])
        for each in document["rows"]:
            for of_candidate in each["times"].values():
                self.assertTrue(0 < of_candidate["least"] <= of_candidate["median"] <= of_candidate["largest"], each)


if __name__ == "__main__":
    unittest.main()
