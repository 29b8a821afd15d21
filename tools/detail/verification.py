"""What tools/verify is made of: the report, the runs and their results, the pictures."""
import collections
import csv
import itertools
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import textwrap
import threading
import time
import typing

import h5py
import numpy

try:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from PIL import Image  # comes with matplotlib
except ImportError:
    plt = None  # a report that does not draw needs none

ROOT = pathlib.Path(__file__).resolve().parents[2]
RANKS = 2  # ranks of each run, unless -n is given


def named_ranks(options):
    """What a command that is written down needs to run on as many ranks as this one."""
    return f" -n {options.ranks}" if options.ranks != RANKS else ""


def machine(weft):
    """What `weft info` says about this one: "2 x NVIDIA A100, 32 hardware threads"."""
    text = subprocess.run([weft, "info"], capture_output=True, text=True).stdout
    names = collections.Counter(re.findall(r"^GPU \d+ +([^,]+),", text, re.MULTILINE))
    return ", ".join([f"{count} x {name}" for name, count in names.items()] + re.findall(r"^machine (\d+ hardware threads?)", text, re.MULTILINE))


def replace_text(file, text):
    """Writes a file whole or not at all."""
    part = file.with_name(f"{file.name}.part")
    part.write_text(text)
    os.replace(part, file)


def wrapped(text):
    """Wraps the prose of a text at 100 columns; headings, tables and pictures remain lines."""
    lines = []
    for line in text.split("\n"):
        prose = len(line) > 100 and not line.startswith(("#", "|", "!", " "))
        rest = "  " if line.startswith("- ") else ""
        lines += textwrap.wrap(line, 100, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False) if prose else [line]
    return "\n".join(lines)


class Known(typing.NamedTuple):
    """A known miss of a row: declared where the row is made, as long as the row misses its gate."""
    reason: str
    most: float  # how far the figure may be beyond its gate, in the unit of the margin of the row
    noise: float = 0.0  # how far the figure may be within its gate although it misses it otherwise


# Rule of gates, in the headers of pages.
GATES = "a row whose gate is missed fails the command, unless the miss is known: declared with its reason and its largest size until the row keeps its gate"


def outcome(reports):
    """Counts of the rows, in words, and the exit code."""
    verdicts = collections.Counter(row[3] for report in reports for _, _, rows, _ in report.sections for row in rows)
    known = f", {verdicts['missed']} missed as known" if verdicts["missed"] else ""
    return f"{verdicts['pass']} passed{known}, {verdicts['FAIL']} failed", 1 if verdicts["FAIL"] else 0


class Report:
    """Collects rows (what, measured, gate, verdict, note on the verdict) under headings, and prints them as they come."""

    def __init__(self, full, weft=None, label="", changed=lambda: None):
        self.full = full  # all grids
        self.weft = weft  # the program that draws pictures; None: without pictures
        self.draws = weft is not None
        self.label = label  # before each row that is printed, where cases go on side by side
        self.changed = changed  # called after each row
        self.sections = []

    def section(self, title, text):
        self.sections.append((title, text, [], []))
        if not self.label:
            print(f"\n== {title}", flush=True)

    def row(self, what, measured, gate, good, known=None, margin=0.0):
        """A row of a known miss has a margin: how far the figure is within its gate, negative beyond it."""
        verdict, note = "pass" if good else "FAIL", ""
        if known and not good and -margin <= known.most:
            verdict, note = "missed", f"known: {known.reason}"
        elif known and not good:
            note = f"by more than the {known.most:g} of the known miss: {known.reason}"
        elif known and margin <= known.noise:
            note = f"within the noise of {known.noise:g} of a known miss: {known.reason}"
        elif known:
            verdict, note = "FAIL", f"keeps its gate; remove the known miss: {known.reason}"
        self.sections[-1][2].append((what, measured, gate, verdict, note))
        shown = "ok  " if verdict == "pass" else "miss" if verdict == "missed" else verdict
        print(f"  {shown} {self.label}{what}: {measured}   [{gate}]{f'   ({note})' if note else ''}", flush=True)
        self.changed()

    def failed(self, case, failure):
        """A row of a case whose run failed, with the end of what the run said."""
        if not self.sections:
            self.section(case, "")
        text = str(getattr(failure, "stderr", None) or failure).strip()
        print("\n".join(text.splitlines()[-15:]), flush=True)
        self.row(case, "the run failed", "runs", False)

    def picture(self, name, caption):
        self.sections[-1][3].append((name, caption))

    def markdown(self, header, folder="verification/"):
        """The document; its pictures lie in `folder`."""
        out = [wrapped(header)]
        for title, text, rows, pictures in self.sections:
            out.append(f"\n## {title}\n\n{wrapped(text)}\n\n| what | measured | gate | |\n| --- | --- | --- | --- |")
            out += [f"| {what} | {measured} | {gate} | {verdict if verdict == 'pass' else f'**{verdict}**'}{f' ({note})' if note else ''} |"
                    for what, measured, gate, verdict, note in rows]
            for name, caption in pictures:
                out.append(f"\n![{caption}]({folder}{name})\n\n" + wrapped(f"*{caption}*"))
        return "\n".join(out) + "\n"


PICTURES = ROOT / "docs" / "verification"
PYPLOT = threading.Lock()  # pyplot is for one thread at a time; cases draw in threads of their own


def draw_convergence(report, name, caption, series):
    """series: {label: (sizes, errors)}; a line of slope -2 to compare with."""
    if not report.draws:
        return
    with PYPLOT:
        figure, axes = plt.subplots(figsize=(6, 4.2))
        for label, (sizes, values) in series.items():
            axes.loglog(sizes, values, "o-", label=label, linewidth=1, markersize=4)
        sizes, values = next(iter(series.values()))
        axes.loglog(sizes, [values[0] * 0.5 * (sizes[0] / n) ** 2 for n in sizes], "k--", linewidth=0.8, label="second order")
        axes.set_xlabel("cells per edge"), axes.set_ylabel("L2 error of density")
        axes.legend(fontsize=8), axes.grid(True, which="both", linewidth=0.3)
        save(report, figure, name, caption)


def save(report, figure, name, caption):
    """Writes a figure of pyplot; for a thread that holds PYPLOT."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURES / name, dpi=90, bbox_inches="tight")
    plt.close(figure)
    report.picture(name, caption)


def draw_field(report, folder, field, name, caption, *options):
    """Adds the picture of the last field file that `weft plot` draws."""
    if not report.draws:
        return
    drawn = folder / f"{name}.png"
    subprocess.run([report.weft, "plot", folder, "--field", field, "--output", drawn, *options], stdout=subprocess.DEVNULL, check=True)
    PICTURES.mkdir(parents=True, exist_ok=True)
    picture = Image.open(drawn).convert("RGB")
    picture.thumbnail((900, 900))  # the repository keeps every version: small ones
    picture.quantize(256, kmeans=1).save(PICTURES / name, optimize=True)
    report.picture(name, caption)


class Runner:
    def __init__(self, options, work):
        self.weft, self.ranks, self.device, self.work = os.path.abspath(options.weft), options.ranks, options.device, work
        self.running, self.lock, self.stopped = set(), threading.Lock(), False
        gpus = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
        self.gpus = itertools.cycle(gpus if options.ranks == 1 else [",".join(gpus)])  # for concurrent runs of one rank

    def environment(self):
        """The environment of the next run, which uses the next of the GPUs in CUDA_VISIBLE_DEVICES."""
        gpu = next(self.gpus)
        return {**os.environ, "CUDA_VISIBLE_DEVICES": gpu} if gpu else None

    def call(self, command):
        """Runs a command in a session of its own, which stop() ends with all that it started."""
        with self.lock:
            if self.stopped:
                raise RuntimeError("stopped")
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       start_new_session=True, env=self.environment())
            self.running.add(process)
        try:
            output, errors = process.communicate()
        finally:
            with self.lock:
                self.running.remove(process)
        if process.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}\n{output}\n{errors}")

    def stop(self):
        """Ends what runs; nothing more can be begun. Not for a thread in call()."""
        with self.lock:
            self.stopped, running = True, list(self.running)
        for number in (signal.SIGTERM, signal.SIGKILL):
            for process in running:
                try:
                    os.killpg(process.pid, number)
                except ProcessLookupError:
                    pass
            time.sleep(1 if number == signal.SIGTERM and running else 0)  # for a launcher to end its ranks

    def where(self):
        """The options of `weft run` for the device and the ranks."""
        return ["--device", self.device] + (["-n", str(self.ranks)] if self.ranks > 1 else [])

    def run(self, name, case, **overrides):
        """Runs a case text; overrides are key__sub=value. Returns its results folder."""
        folder = self.work / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        file = folder / "input.toml"
        file.write_text(case)
        return self.run_file(file, folder / "out", **overrides)

    def run_file(self, file, results, **overrides):
        """Runs a case file into the folder `results`, which it returns."""
        command = [self.weft, "run", str(file), *self.where(), "--set", f'output.directory="{results}"']
        for key, value in overrides.items():
            command += ["--set", f"{key.replace('__', '.')}={value}"]
        self.call(command)
        return results


def errors_of(folder):
    """{variable: {norm: value}} of errors.csv."""
    row = {key: values[-1] for key, values in history(folder, "errors").items()}
    names = [key[:-3] for key in row if key.endswith("_l1")]
    return {name: {norm: row[f"{name}_{norm}"] for norm in ("l1", "l2", "linf")} for name in names}


def history(folder, name):
    """Columns of a history as arrays."""
    with open(folder / f"{name}.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return {key: numpy.array([float(row[key]) for row in rows]) for key in rows[0]}


def polygon_areas(corners, first):
    """Areas of polygons in the plane z = 0; polygon k has the corners from first[k] to first[k + 1], counterclockwise."""
    following = numpy.arange(1, len(corners) + 1)
    following[first[1:] - 1] = first[:-1]
    x, y = corners[:, 0], corners[:, 1]
    return 0.5 * numpy.add.reduceat(x * y[following] - x[following] * y, first[:-1])


class Fields:
    """Cell centres and values of the last file of fields of a run, or of the first; or of those on its walls.

    With `flat`, of a two-dimensional mesh, the areas of the cells, too.
    """

    def __init__(self, folder, first=False, name="fields", flat=False):
        file = sorted(folder.glob(f"{name}_*.hdf"))[0 if first else -1]
        with h5py.File(file, "r") as h5:
            grid = h5["VTKHDF"]
            counts = [grid[k][:] for k in ("NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds")]
            points, connectivity, offsets = grid["Points"][:], grid["Connectivity"][:], grid["Offsets"][:]
            self.values = {name: grid["CellData"][name][:] for name in grid["CellData"]}
        centres, areas, point0, conn0, offset0 = [], [], 0, 0, 0
        for np_, nc, ni in zip(*counts):
            local = offsets[offset0:offset0 + nc + 1]
            ids = connectivity[conn0:conn0 + ni] + point0
            if nc:
                sums = numpy.add.reduceat(points[ids], local[:-1], axis=0)
                centres.append(sums / numpy.diff(local)[:, None])
                areas += [polygon_areas(points[ids], local)] if flat else []
            point0, conn0, offset0 = point0 + np_, conn0 + ni, offset0 + nc + 1
        self.centres = numpy.concatenate(centres)
        self.areas = numpy.concatenate(areas) if flat else None

    def __getitem__(self, name):
        return self.values[name]


def orders(values):
    return [math.log2(a / b) for a, b in zip(values, values[1:])]


def figures(values):
    return ", ".join(f"{v:.2e}" for v in values)
