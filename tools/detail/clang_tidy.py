#!/usr/bin/env python3
"""Runs clang-tidy on the sources of a build directory and reports each finding once. See tools/tidy.

    clang_tidy.py BUILD_DIRECTORY JOBS PATTERN

A source found clean leaves a stamp in BUILD_DIRECTORY/tidy: the hash of its compile command, of each .clang-tidy above it and of every
file that it includes. As long as the hash is the same the source is not checked again.
"""
import concurrent.futures
import functools
import hashlib
import json
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TIDY = ["clang-tidy-16", "--quiet", "--warnings-as-errors=*"]
FINDING = re.compile(r"^\S[^:]*:\d+:\d+: (warning|error): .*$", re.M)
NOISE = re.compile(r"^( ?#\d+ |\d+ warnings? |PLEASE submit )")


def commands(build, pattern):
    """Returns the .cpp files of the repository in the build, with their entries in the compilation database, sorted. Writes that
    database to BUILD_DIRECTORY/tidy, without precompiled headers, which a build that has only been configured lacks."""
    found = {}
    entries = json.loads((build / "compile_commands.json").read_text())
    for entry in entries:
        entry["command"] = re.sub(r" -Winvalid-pch| -Xclang -include-pch -Xclang \S+", "", entry["command"])
    (build / "tidy").mkdir(exist_ok=True)
    (build / "tidy" / "compile_commands.json").write_text(json.dumps(entries))
    for entry in entries:
        path = (Path(entry["directory"]) / entry["file"]).resolve()
        if path.suffix == ".cpp" and path.is_relative_to(ROOT) and not path.is_relative_to(build):
            name = str(path.relative_to(ROOT))
            if re.search(pattern, name):
                found.setdefault(name, entry)
    return dict(sorted(found.items()))


@functools.cache
def digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def fingerprint(entry):
    """Returns a hash of all inputs of the result for a source; None if its includes cannot be found, which clang-tidy reports."""
    words = shlex.split(entry["command"])
    output = words.index("-o")
    compiling = words[:output] + words[output + 2:]
    done = subprocess.run([*compiling, "-M", "-MT", "it"], capture_output=True, text=True, cwd=entry["directory"])
    if done.returncode != 0:
        return None
    files = [name.replace("\\ ", " ") for name in re.split(r"(?<!\\)\s+", done.stdout.removeprefix("it:").replace("\\\n", " ")) if name]
    folders = [folder for folder in Path(entry["file"]).parents if folder.is_relative_to(ROOT)]
    parts = [*TIDY, *compiling, *(digest(folder / ".clang-tidy") for folder in folders if (folder / ".clang-tidy").exists())]
    parts += [f"{name} {digest(Path(entry['directory']) / name)}" for name in files]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def check(build, name, entry):
    """Returns (clang-tidy's process, seconds), or None if the source was clean before."""
    began = time.monotonic()
    key = fingerprint(entry)
    stamp = build / "tidy" / name.replace("/", "_")
    if key is not None and stamp.exists() and stamp.read_text() == key:
        return None
    done = subprocess.run([*TIDY, "-p", str(build / "tidy"), name], capture_output=True, text=True, errors="replace", cwd=ROOT)
    # The sources may have been edited in the meantime.
    if done.returncode == 0 and key is not None:
        digest.cache_clear()
        if fingerprint(entry) == key:
            stamp.write_text(key)
    return done, time.monotonic() - began


def findings_in(output):
    """Returns each finding with its notes: (first line, all lines), with paths relative to the repository."""
    output = output.replace(f"{ROOT}/", "")
    starts = [match.start() for match in FINDING.finditer(output)] + [len(output)]
    for begin, end in zip(starts, starts[1:]):
        block = output[begin:end].rstrip()
        yield block.split("\n", 1)[0], block


def main():
    build, jobs, pattern = Path(sys.argv[1]).resolve(), int(sys.argv[2]), sys.argv[3]
    entries = commands(build, pattern)
    if not entries:
        sys.exit(f"no source matches '{pattern}'")
    print(f"clang-tidy over {len(entries)} files", flush=True)
    seen, broken, known, slowest = set(), [], 0, (0.0, "none")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(check, build, name, entry): name for name, entry in entries.items()}
        for count, future in enumerate(concurrent.futures.as_completed(running), 1):
            if sys.stdout.isatty():
                print(f"\033[K[{count}/{len(entries)}]", end="\r", flush=True)
            name = running[future]
            result = future.result()
            if result is None:
                known += 1
                continue
            done, seconds = result
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
    print(f"{len(seen)} findings in {len(entries)} files, {known} of them known to be clean; slowest: {slowest[1]}, {slowest[0]:.0f} s")
    for name in broken:
        print(f"clang-tidy could not finish {name}")
    sys.exit(1 if seen or broken else 0)


if __name__ == "__main__":
    main()
