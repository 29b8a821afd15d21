#!/usr/bin/python3
"""docs/guide/case_reference.md says what `weft reference` says.

    tests/cases/case_reference_test.py WEFT [--write]      WEFT: the program; --write: write the page again
"""
import difflib
import pathlib
import subprocess
import sys
import textwrap

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guide" / "case_reference.md"
HEADER = """# Every key of a case

Printed by `weft reference`; do not edit. `weft new` writes commented cases to start from, and
`weft check CASE` finds what is wrong with one. After a change of keys, write this page again:
`tests/cases/case_reference_test.py build/dev/bin/weft --write`.

"""


def wrapped(text):
    """Breaks the prose at 100 columns; tables and headings are lines."""
    return "\n".join(line if line[:1] in ("|", "#") else textwrap.fill(line, 100, break_long_words=False, break_on_hyphens=False)
                     for line in text.split("\n"))


def main():
    printed = subprocess.run([sys.argv[1], "reference"], check=True, capture_output=True, text=True).stdout
    wanted = HEADER + wrapped(printed.rstrip("\n")) + "\n"
    if "--write" in sys.argv:
        PAGE.write_text(wanted)
        return 0
    found = PAGE.read_text() if PAGE.exists() else ""
    if found == wanted:
        return 0
    sys.stdout.writelines(difflib.unified_diff(found.splitlines(True), wanted.splitlines(True), str(PAGE), "weft reference", n=0))
    print(f"{PAGE} is out of date; write it again: {sys.argv[0]} {sys.argv[1]} --write")
    return 1


sys.exit(main())
