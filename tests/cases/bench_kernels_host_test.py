"""weft bench kernels --device host, from Python too, and the program that it runs.

    bench_kernels_host_test.py path/to/weft [unittest arguments]
"""
import json
import re
import subprocess
import sys
import unittest

try:
    import matplotlib
except ImportError:
    matplotlib = None  # then no pictures are drawn

from weft_support import PATIENCE, SOURCE, WEFT, InFolder, environment

sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "python"))
import weft.bench  # noqa: E402 (needs no compiled module)

SPACE = (SOURCE / "apps" / "weft" / "kernel_space.hpp").read_text()
NAMES, HOST_NAMES = (re.findall(r'"(\w+)"', SPACE.partition(f"{names} = ")[2].partition("}")[0]) for names in ("kMeasuredKernels", "kHostKernels"))


class OnHost(InFolder):
    COMPARED = {"sum", "transform_reduce", "dot", "exclusive_scan", "inclusive_scan", "sort", "stable_sort_by_key", "segmented_sort", "copy_if",
                "partition", "unique", "stable_order", "bucket_sort", "bitonic_sort", "sort_unique"}

    def program(self, *arguments):
        """The finished run of the program that measures on the host."""
        return subprocess.run([WEFT.parent.parent / "libexec" / "weft" / "bench_kernels_host", *arguments], cwd=self.folder, env=environment(),
                              timeout=PATIENCE, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def test_every_kernel_has_rows(self):
        for entries in ("1", "5000"):
            done = self.program("--entries", entries)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            machine, *rows = map(json.loads, done.stdout.splitlines())
            self.assertEqual(list(machine), ["cpu", "compiler", "threads", "cache_bytes", "runs", "copy"])
            self.assertEqual({each["kernel"] for each in rows}, set(NAMES + HOST_NAMES))
            if entries != "1":
                self.assertEqual(len({(each["kernel"], each["type"], each["input"], each["entries"]) for each in rows}), len(rows))
            self.assertEqual({each["kernel"] for each in rows if "library" in each["times"]}, self.COMPARED)
            for each in rows:
                self.assertGreater(min(each["entries"], each["bytes"]), 0, each)
                for of_candidate in each["times"].values():
                    self.assertTrue(0 < of_candidate["least"] <= of_candidate["median"] <= of_candidate["largest"], each)

    def test_wrong_arguments_of_the_program(self):
        for words in (["--entries", "0"], ["--entries", "2x"], ["--entries"], ["--fast"]):
            done = self.program(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("unknown option; run weft bench kernels, which runs this program", done.stderr)

    def test_command_and_python(self):
        out = self.weft("bench", "kernels", "--device", "host", "--quick", "--only", "stencil,bucket_sort", "--json", "a.json")
        self.assertRegex(out, r"^.+, 1 thread, .+; medians of 5 runs, their range relative to the median\ncopy of memory, read \+ written: ")
        document = json.loads((self.folder / "a.json").read_text())
        self.assertEqual([(each["kernel"], list(each["times"])) for each in document["rows"]], [("bucket_sort", ["own", "library"]), ("stencil", ["own"])])
        result = weft.bench.kernels(["transpose"], device="host", quick=True, program=WEFT)
        self.assertEqual(({each["kernel"] for each in result.rows}, result.machine["threads"]), ({"transpose"}, 1))
        if matplotlib is not None:
            matplotlib.use("Agg")
            result = weft.bench.kernels(["sum"], device="host", quick=True, program=WEFT)
            result.picture(self.folder / "p.svg")
            self.assertIn(result.machine["cpu"].split()[0], (self.folder / "p.svg").read_text())


if __name__ == "__main__":
    unittest.main()
