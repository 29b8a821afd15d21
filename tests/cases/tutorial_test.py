#!/usr/bin/python3
"""Runs the commands of docs/guide/tutorial.md in an empty folder, in order; a reader's commands must do what the page says.

    tests/cases/tutorial_test.py WEFT      WEFT: the program

Commands are the lines that begin with "$ " in ```console blocks. One whose output on the page has a line "weft: error: ..." must fail
with that line; any other must succeed. Runs are cut short: 20 steps for the first, 20 more for each that follows.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def commands(page):
    """(command, lines of its output) in the order of the page."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", page, re.S | re.M):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def main():
    weft = pathlib.Path(sys.argv[1]).resolve()
    environment = dict(os.environ, PATH=f"{weft.parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8",
                       OMPI_MCA_hwloc_base_binding_policy="none", OMPI_MCA_mpi_yield_when_idle="1",
                       OMPI_MCA_btl_vader_single_copy_mechanism="none")
    steps = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for command, output in commands((ROOT / "docs" / "guide" / "tutorial.md").read_text()):
            shortened = command
            if command.startswith("weft run "):
                steps += 20
                shortened += f" --set stop.steps={steps} --set output.history_steps=5"
            done = subprocess.run(["bash", "-c", shortened], cwd=folder, env=environment, capture_output=True, text=True, timeout=200)
            errors = [line for line in output if line.startswith("weft: error: ")]
            said = done.stdout + done.stderr
            good = (done.returncode != 0) == bool(errors) and all(line in said.splitlines() for line in errors)
            print(f"{'ok  ' if good else 'FAIL'} {shortened}", flush=True)
            if not good:
                failures += 1
                print(f"exit code {done.returncode}, and it said:\n{said}\nthe page promises: {errors or 'success'}")
    return 1 if failures or steps == 0 else 0


sys.exit(main())
