#!/usr/bin/env python3
"""clang-tidy over the sources of a build directory, each finding named once. See tools/tidy.

    clang_tidy.py BUILD_DIRECTORY JOBS PATTERN
"""
import concurrent.futures
import json
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FINDING = re.compile(r"^\S[^:]*:\d+:\d+: (warning|error): .*$", re.M)
NOISE = re.compile(r"^( ?#\d+ |\d+ warnings? |PLEASE submit )")


def sources(build, pattern):
    """The repository's own .cpp files that the build compiles, sorted."""
    entries = json.loads((build / "compile_commands.json").read_text())
    paths = {(Path(entry["directory"]) / entry["file"]).resolve() for entry in entries}
    names = (path.relative_to(ROOT) for path in paths if path.is_relative_to(ROOT) and not path.is_relative_to(build.resolve()))
    return sorted(str(name) for name in names if name.suffix == ".cpp" and re.search(pattern, str(name)))


def check(build, source):
    began = time.monotonic()
    done = subprocess.run(["clang-tidy-16", "-p", str(build), "--quiet", "--warnings-as-errors=*", source], capture_output=True,
                          text=True, errors="replace", cwd=ROOT)
    return done, time.monotonic() - began


def findings_in(output):
    """Each finding with its notes: (first line, all lines), paths relative to the repository."""
    output = output.replace(f"{ROOT}/", "")
    starts = [match.start() for match in FINDING.finditer(output)] + [len(output)]
    for begin, end in zip(starts, starts[1:]):
        block = output[begin:end].rstrip()
        yield block.split("\n", 1)[0], block


def main():
    build, jobs, pattern = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    names = sources(build, pattern)
    if not names:
        sys.exit(f"no source matches '{pattern}'")
    print(f"clang-tidy over {len(names)} files", flush=True)
    seen, broken, slowest = set(), [], (0.0, "")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(check, build, name): name for name in names}
        for count, future in enumerate(concurrent.futures.as_completed(running), 1):
            name = running[future]
            done, seconds = future.result()
            slowest = max(slowest, (seconds, name))
            found = list(findings_in(done.stdout))
            for first, block in found:
                if first not in seen:
                    seen.add(first)
                    print(block, flush=True)
            if done.returncode < 0 or (done.returncode != 0 and not found):
                broken.append(name)
                words = [line for line in done.stderr.splitlines() if not NOISE.match(line)]
                print(f"{name}: clang-tidy ended with {done.returncode}", *words[:20], sep="\n", flush=True)
            if sys.stdout.isatty():
                print(f"\r\033[K[{count}/{len(names)}]", end="\r", flush=True)
    print(f"{len(seen)} findings in {len(names)} files; the slowest took {slowest[0]:.0f} s: {slowest[1]}")
    for name in broken:
        print(f"clang-tidy could not finish {name}")
    sys.exit(1 if seen or broken else 0)


if __name__ == "__main__":
    main()
