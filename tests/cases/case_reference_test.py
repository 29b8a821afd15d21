#!/usr/bin/python3
"""docs/guide/case_reference.md says what `weft reference` says, and the other pages of the guide name no keys that it does not have.

    tests/cases/case_reference_test.py WEFT [--write]      WEFT: the program; --write: write the page again
"""
import difflib
import pathlib
import re
import subprocess
import sys
import textwrap

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guide" / "case_reference.md"
HEADER = """# Every key of a case

Printed by `weft reference`; do not edit. `weft new` writes commented cases to start from, and
`weft check CASE` finds what is wrong with one. After a change of keys, write this page again:
`tests/cases/case_reference_test.py build/dev/bin/weft --write`.

A number has the unit of its row, or it is a text with another unit: `pressure = "1.2 bar"`,
`temperature = "15 degC"`, `time = "2 ms"`, `area = "20 cm^2"`; an unknown unit is an error, which
lists those that there are. Parameters of generators and numbers in formulas have no other unit.
Where `gas.gas_constant` is 10 or more (287.05 for air) a case is in SI units; otherwise it has none.

"""


BAD_KEYS = {"bad_input.md"}  # shows what the program says of keys that do not exist
OBJECTS = {"gpu_kernels.md": {"mesh"}, "python.md": {"mesh"}}  # sections whose names are those of objects of C++ or Python there
FILES = re.compile(r"\.(csv|h5|hdf|msh|su2|toml)$")


def known(reference):
    """Returns (names of the sections, pattern of all sections and keys) of what `weft reference` prints."""
    names, section, paths = set(), "", []
    for line in reference.splitlines():
        if line.startswith("## "):
            heading = re.fullmatch(r"## `\[+(.+?)\]+`", line)
            section = heading[1] if heading else ""
            names.add(section.split(".")[0])
            paths.append(section)
            if section.endswith(".scalars"):
                paths.append(f"{section}.<name>")
        elif section and (key := re.match(r"\| `([^`]+)`", line)):
            paths.append(f"{section}.{key[1]}")
    patterns = [re.sub(r"<\w+>", "[^.]+", path.replace(".", r"\.")) for path in paths if path]
    return names - {""}, re.compile("|".join(patterns))


def wrong_keys(reference):
    """Returns what stands in backticks on pages of the guide, looks like `section.key` or `section.key = value`, and is no key."""
    sections, keys = known(reference)
    wrong = []
    for page in sorted(PAGE.parent.glob("*.md")):
        if page == PAGE or page.name in BAD_KEYS:
            continue
        prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
        for span in re.findall(r"`([^`]+)`", prose):
            path = re.fullmatch(r"((\w+)(?:\.[\w*]+)+)(?:\s*=.*)?", span, re.S)
            if not path or path[2] not in sections - OBJECTS.get(page.name, set()) or FILES.search(path[1]):
                continue
            if not keys.fullmatch(path[1]):
                wrong.append(f"{page.name}: `{span}` is no key of a case")
    return wrong


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
    if wrong := wrong_keys(printed):
        print("\n".join(wrong))
        return 1
    found = PAGE.read_text() if PAGE.exists() else ""
    if found == wanted:
        return 0
    sys.stdout.writelines(difflib.unified_diff(found.splitlines(True), wanted.splitlines(True), str(PAGE), "weft reference", n=0))
    print(f"{PAGE} is out of date; write it again: {sys.argv[0]} {sys.argv[1]} --write")
    return 1


sys.exit(main())
