#!/usr/bin/env python3
"""Prints how many tests of a JUnit file of ctest ran, failed and were skipped, or what those that failed printed.

    tools/detail/ctest_results.py counts ctest.xml
    tools/detail/ctest_results.py failures ctest.xml
"""
import re
import sys
import xml.etree.ElementTree as tree

# GoogleTest's lines of progress, with which the output of a failed test on 4 ranks is hundreds of lines long.
PROGRESS = re.compile(r"\[( RUN  |       OK|  SKIPPED|-{10}|={10}|  PASSED)|^\s*$|: Skipped$")
MOST_LINES = 40


def failures(suite: tree.Element) -> list[str]:
    lines = []
    for case in suite.iter("testcase"):
        if case.get("status") != "fail":
            continue
        failure = case.find("failure")
        lines.append(f"{case.get('name')} failed after {float(case.get('time', 0)):.0f} s: "
                     f"{'' if failure is None else failure.get('message', '')}".rstrip(": "))
        output = [line for line in (case.findtext("system-out") or "").splitlines() if not PROGRESS.search(line)]
        if len(output) > MOST_LINES:
            half = MOST_LINES // 2
            output = output[:half] + [f"... {len(output) - MOST_LINES} lines omitted ..."] + output[-half:]
        lines += ["    " + line for line in output]
    return lines


def main() -> None:
    what, path = sys.argv[1:]
    suite = tree.parse(path).getroot()
    if what == "counts":
        print(*(suite.get(key, 0) for key in ("tests", "failures", "skipped")))
    else:
        print("\n".join(failures(suite)))


if __name__ == "__main__":
    main()
