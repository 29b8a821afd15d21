"""Runs cases of tools/verify and writes their page."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import platform
import shutil
import signal
import subprocess
import tempfile
import threading

from verification import GATES, ROOT, Report, Runner, machine, named_ranks, replace_text


def hash_of_cases():
    """Of everything that decides what is run and measured, but for the program."""
    detail = ROOT / "tools" / "detail"
    files = [ROOT / "tools" / "verify", *sorted(detail.glob("verif*.py")), detail / "blunt_body_solution.py", *sorted((ROOT / "cases").glob("*.toml"))]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


class Verification:
    """Some cases, in sequence or concurrently, each with a report of its own, and their page."""

    def __init__(self, options, cases):
        self.options, self.cases, self.lock = options, cases, threading.Lock()
        draws = options.write and options.device == "host"
        self.reports = {case.__name__: Report(options.full, options.weft if draws else None, f"{case.__name__}: " if options.jobs > 1 else "", self.write)
                        for case in cases}
        self.done = set()
        self.machine = machine(options.weft) if options.write else ""
        program = os.stat(options.weft)
        self.what = {"ranks": options.ranks, "program": [program.st_size, program.st_mtime_ns], "machine": [platform.node(), self.machine], "cases": hash_of_cases()}
        page = hashlib.sha256(bytes(options.page.resolve())).hexdigest()[:8]
        self.notes = pathlib.Path(options.weft).with_name(f"verification-{options.device}-{page}.json")  # for --resume
        self.noted = {}  # sections of the cases that need not be run again

    def resume(self):
        """Takes over the cases that an interrupted command for the same page had finished.

        With the same program, cases and machine, and as many ranks.
        """
        try:
            notes = json.loads(self.notes.read_text())
        except (OSError, ValueError):
            notes = {}
        if notes.get("what") != self.what:
            print("nothing to resume: no command for this page was cut off that ran the same program and cases on as many ranks of this machine")
            return
        self.noted = notes["sections"]
        for name, sections in self.noted.items():
            self.reports[name].sections = [tuple(section) for section in sections]
            self.done.add(name)
        print(f"resumed after {', '.join(self.noted)}")

    def write(self):
        """The page, as far as it is known."""
        if self.options.write:
            with self.lock:
                replace_text(self.options.page, self.markdown())

    def markdown(self):
        options = self.options
        command = "tools/verify --full" + (" --device cuda" if options.device == "cuda" else "") + " --write" + named_ranks(options)
        ranks = f"{options.ranks} rank{'s' if options.ranks > 1 else ''}"
        header = f"Written by `{command}`; do not edit. Every row was measured by running `weft` on {ranks}"
        if options.device == "cuda":
            title = "Verification on GPUs"
            header += (f" with `--device cuda` ({self.machine}); {GATES}. The same cases on the host, with "
                       "pictures: [verification.md](../verification.md).")
        else:
            title = "Verification"
            header += (f"; {GATES}. Meshes that others made have a page of their own: "
                       "[verification/meshes.md](verification/meshes.md).")
        if missing := [name for name in self.reports if name not in self.done]:
            header += f"\n\n**Not complete**: the command was cut off, or has not ended yet. Rows are missing of: {', '.join(missing)}."
        whole = Report(True)
        whole.sections = [section for report in self.reports.values() for section in report.sections]
        return whole.markdown(f"# {title}\n\n{header}")

    def run_case(self, case, runner):
        report, ran = self.reports[case.__name__], True
        try:
            case(report, runner, self.options.full)
        except (RuntimeError, OSError, subprocess.CalledProcessError, LookupError, ValueError) as failure:
            if runner.stopped:
                return
            report.failed(case.__name__, failure)
            ran = False
        with self.lock:
            self.done.add(case.__name__)
            if ran and self.options.write:
                self.noted[case.__name__] = report.sections
                replace_text(self.notes, json.dumps({"what": self.what, "sections": self.noted}))
        self.write()

    def run(self):
        self.write()  # a page that cannot be written is known at once
        left = [case for case in self.cases if case.__name__ not in self.done]
        with tempfile.TemporaryDirectory(prefix="weft-verify-") as work:
            runner = Runner(self.options, pathlib.Path(work))

            def cut_off(number, _):
                runner.stop()
                print("\ncut off", flush=True)
                shutil.rmtree(work, ignore_errors=True)
                os._exit(128 + number)  # threads may wait for their runs

            signal.signal(signal.SIGTERM, cut_off)
            signal.signal(signal.SIGINT, cut_off)
            if self.options.jobs > 1:
                left.reverse()  # the longest are the last ones
            with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:  # signals are handled by this thread
                cases = [pool.submit(self.run_case, case, runner) for case in left]
                # With a time limit: Python handles signals in this thread only, and one that comes
                # just before it sleeps would not wake it.
                while concurrent.futures.wait(cases, timeout=0.2).not_done:
                    pass
            for case in cases:
                case.result()
