"""tools/performance-page: docs/performance.md is what it would write, and what it does with results and with files that break a rule.

    performance_page_test.py path/to/weft [unittest arguments]
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = {
    "date": "2026-11-22", "commit": "0123abc", "machine": "two H200", "hardware": "h", "compiler": "c",
    "tables": [{"name": "rates", "title": "Rates", "command": "bench x", "columns": [{"name": "cells"}, {"name": "one", "unit": "us"}, {"name": "two", "unit": "us"}],
                "rows": [["a / 1", 1048576, [1.5, 2]], ["b", 0, None]]}]}
STEM = "2026-11-22-0123abc-two-h200"


class PerformancePage(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.page = self.folder / "page"
        self.write(RESULTS, f"# Title\n\n{{{{table {STEM} rates}}}}\n\nOne {{{{value {STEM} rates; b; one}}}}.\n")

    def write(self, results, template=None):
        (self.folder / f"{STEM}.json").write_text(json.dumps(results) if isinstance(results, dict) else results)
        if template is not None:
            (self.folder / "page.md").write_text(template)

    def tool(self, *options, folder=True, text=None):
        where = ["--results", self.folder, "--page", self.page] if folder else []
        return subprocess.run([ROOT / "tools" / "performance-page", *where, *options], capture_output=True, text=True, input=text, check=False)

    def add(self, text, *options):
        return self.tool("--add", "-", "--machine", "H200", "--hardware", "h", "--compiler", "c", "--command", "bench x", "--date", "2026-11-23", "--commit", "0123abc", *options, text=text)

    def rejects(self, message):
        done = self.tool()
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn(message, done.stderr)
        self.assertFalse(self.page.exists(), "a page that breaks a rule was written")

    def test_the_page_of_this_tree_is_up_to_date(self):
        done = self.tool("--check", folder=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_tables_and_values(self):
        self.assertEqual(self.tool().returncode, 0)
        self.assertEqual(self.page.read_text(), "# Title\n\n**Rates**, us: `bench x` (two H200, 0123abc, 2026-11-22).\n\n| cells | one | two |\n| --- | --- | --- |\n"
                         "| a / 1 | 1,048,576 | 1.5, 2 |\n| b | 0 | |\n\nOne 0.\n")
        self.assertEqual(self.tool("--check").returncode, 0)

    def test_check_finds_a_page_that_was_edited_and_leaves_it(self):
        self.tool()
        edited = self.page.read_text().replace("1,048,576", "2,097,152")
        self.page.write_text(edited)
        done = self.tool("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("+| a / 1 | 1,048,576 | 1.5, 2 |", done.stdout)
        self.assertEqual(self.page.read_text(), edited)

    def test_digits_stay_as_measured(self):
        self.write(json.dumps(RESULTS).replace("1.5", "10.10").replace("null", "4.50e-4"))
        self.tool()
        self.assertIn("| a / 1 | 1,048,576 | 10.10, 2 |\n| b | 0 | 4.50e-4 |", self.page.read_text())

    def test_a_row_that_is_named_twice_or_not_at_all(self):
        for row in ("c", "b / 0 / 1"):
            with self.subTest(row=row):
                self.write(RESULTS, f"One {{{{value {STEM} rates; {row}; one}}}}.")
                self.rejects(f"has 0 rows '{row}'")
        twice = json.loads(json.dumps(RESULTS))
        twice["tables"][0]["rows"][0][0] = "b"
        self.write(twice, f"One {{{{value {STEM} rates; b; one}}}}.")
        self.rejects("has 2 rows 'b'")

    def test_files_that_break_a_rule(self):
        for change, message in (({"date": "2026-11-23"}, "the file must be named 2026-11-23-0123abc-two-h200.json"), ({"commit": "HEAD"}, "must have 7 hexadecimal digits"),
                                ({"compiler": ""}, "'compiler' must be a text"), ({"more": 1}, "and no others"), ({"tables": RESULTS["tables"] * 2}, "the same name"),
                                ({"tables": [RESULTS["tables"][0] | {"command": ""}]}, "'command' is empty"), ({"tables": [RESULTS["tables"][0] | {"rows": [[1]]}]}, "has 1 cells where there are 3")):
            with self.subTest(message):
                self.write(RESULTS | change)
                self.rejects(message)
        self.write("{")
        self.rejects(f"{STEM}.json")

    def test_a_page_that_is_too_long_or_too_wide(self):
        self.write(RESULTS, "\n\n".join(["A line."] * 101))
        self.rejects("has 201 lines where 200 are allowed")
        self.write(RESULTS, "x" * 101)
        self.rejects("has 101 columns where 100 are allowed")

    def test_json_and_tables_of_benchmarks_are_added(self):
        done = self.add('copy 4 TB/s\n\nOne GPU\n\n| elements | cells |\n| --- | --- |\n| hexahedra | 2,097,152 |\n| all | |\n\n'
                        '{"bench": "flow/residual", "ranks": 2, "rows": [{"elements": "quads", "rate": 1.30e9, "same": true}]}\n')
        self.assertEqual(done.returncode, 0, done.stderr)
        added = json.loads((self.folder / "2026-11-23-0123abc-h200.json").read_text())
        self.assertEqual([(table["name"], table["rows"]) for table in added["tables"]], [("one-gpu", [["hexahedra", 2097152], ["all", None]]), ("flow-residual", [["quads", 1.3e9, True]])])
        self.assertEqual(added["tables"][1]["notes"], "bench flow/residual, ranks 2")
        self.assertEqual(self.tool().returncode, 0)
        done = self.add('{"benchmark": "array/exchange_gpu",\n "results": [{"rows": 200}]}', "--name", "exchange", "--title", "Exchange")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("**Exchange**", self.tool("--print", self.folder / "2026-11-23-0123abc-h200.json").stdout)

    def test_objects_in_json_become_columns(self):
        self.add('{"command": "bench kernels", "machine": {"gpu": "g", "copy": {"bytes": 3}},\n'
                 ' "rows": [{"kernel": "sum", "times": {"own": {"median": 2}}}, {"kernel": "dot", "times": {}}]}')
        table, = json.loads((self.folder / "2026-11-23-0123abc-h200.json").read_text())["tables"]
        self.assertEqual((table["title"], table["notes"]), ("bench kernels", "command bench kernels, machine gpu g, machine copy bytes 3"))
        self.assertEqual([column["name"] for column in table["columns"]], ["kernel", "times own median"])
        self.assertEqual(table["rows"], [["sum", 2], ["dot", None]])

    def test_output_that_cannot_be_added_changes_nothing(self):
        self.add('{"bench": "b", "rows": [{"a": 1}]}')
        file = self.folder / "2026-11-23-0123abc-h200.json"
        before = file.read_text()
        for text, options, message in (("nothing", (), "neither a Markdown table nor JSON"), ('{"bench": "b", "rows": [{"a": 1}]}', (), "two tables have the same name"),
                                       ('{"a": 1}', (), "one list of objects"), ('{"bench": "x", "rows": [{"a": 1}]}', ("--hardware", "other"), "use the same words")):
            with self.subTest(message):
                done = self.add(text, *options)
                self.assertEqual(done.returncode, 2)
                self.assertIn(message, done.stderr)
                self.assertEqual(file.read_text(), before)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
