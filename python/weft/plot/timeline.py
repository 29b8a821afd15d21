"""Timelines of the traces that `weft run --trace` writes: what the threads of each rank did when."""
import json
from pathlib import Path

import matplotlib.pyplot as plt

from .errors import PlotError
from .page import LINES

STEP = "step"  # the region of one time step
WAITING = "#b9bec6"
MOST_ROWS, MOST_NAMES = 24, len(LINES) - 1
WIDTH, ROW = 5.4, 0.26  # inches: of the axes, without names


class Trace:
    """The events of a trace. Times are in s since its first event."""

    def __init__(self, path):
        self.path = Path(path)
        try:
            content = json.loads(self.path.read_text(errors="replace"))
        except OSError as error:
            raise PlotError(f"{path}: cannot be read: {error.strerror}") from None
        except ValueError as error:
            raise PlotError(f"{path}: is no trace: {error}") from None
        try:
            self.ranks = content["weft"]["ranks"]
            self.spans = spans = [event for event in content["traceEvents"] if event["ph"] == "X"]
            self.streams = {}  # (rank, thread): name, of the streams of devices
            for event in content["traceEvents"]:
                if event.get("name") == "thread_name":
                    self.streams[event["pid"], event["tid"]] = event["args"]["name"]
            self.rows = {}  # (rank, thread): [(begin, end, name, is a wait, step)], an outer one before those in it
            for event in sorted(spans, key=lambda event: (event["ts"], -event["dur"])):
                begin = 1e-6 * event["ts"]
                self.rows.setdefault((event["pid"], event["tid"]), []).append(
                    (begin, begin + 1e-6 * event["dur"], event["name"], event["cat"] == "wait", event["args"].get("step", -1)))
        except (KeyError, TypeError) as error:
            raise PlotError(f"{path}: is no trace of weft: {error!r} is missing or wrong") from None

    def nodes(self):
        """(rank, thread, name, seconds, graph, node) of each execution of a node of a task graph."""
        for event in self.spans:
            numbers = event["args"]
            if "node" in numbers and "stage" in numbers:
                yield event["pid"], event["tid"], event["name"], 1e-6 * event["dur"], numbers["stage"], numbers["node"]

    def steps(self):
        """{step: (begin, end)} of the steps whose events were kept, over all ranks."""
        found = {}
        for spans in self.rows.values():
            for begin, end, name, _, step in spans:
                if name == STEP:
                    first, last = found.get(step, (begin, end))
                    found[step] = (min(first, begin), max(last, end))
        return found

    def windows(self):
        """[(words, begin, end)]: the start, and the last two steps that follow each other."""
        steps, ends = self.steps(), [end for spans in self.rows.values() for _, end, *_ in spans]
        if not ends:
            return []
        shown = [("The start", 0.0, min((begin for begin, _ in steps.values()), default=max(ends)))]
        if steps:
            last = max(steps)
            first = last - 1 if last - 1 in steps else last
            words = f"Step {last + 1:,} of this trace" if first == last else f"Steps {first + 1:,} and {last + 1:,} of this trace"
            shown.append((words, steps[first][0], steps[last][1]))
        return shown


def pieces(spans, begin, end):
    """[(begin, end, name, is a wait)]: the innermost spans between two times."""
    made, stack = [], []  # stack: [reached, end, name, is a wait]

    def add(top, to):
        low, high = max(top[0], begin), min(to, end)
        if high > low:
            made.append((low, high, top[2], top[3]))
        top[0] = max(top[0], to)

    def close(time):
        while stack and stack[-1][1] <= time:
            top = stack.pop()
            add(top, top[1])
            if stack:
                stack[-1][0] = max(stack[-1][0], top[1])

    for first, last, name, waits, _ in spans:
        if last <= begin or first >= end:
            continue
        close(first)
        if stack:
            add(stack[-1], first)
        stack.append([first, last, name, waits or bool(stack and stack[-1][3])])
    close(float("inf"))
    return made


def draw(trace, begin, end):
    """A figure of the threads of all ranks between two times: the innermost regions in colours, waits in grey."""
    rows = sorted(trace.rows)[:MOST_ROWS]
    made = {row: pieces(trace.rows[row], begin, end) for row in rows}
    seconds = {}
    for part in made.values():
        for low, high, name, waits in part:
            if not waits:
                seconds[name] = seconds.get(name, 0.0) + high - low
    names = sorted(seconds, key=lambda name: -seconds[name])
    colours = {name: LINES[min(k, MOST_NAMES)] for k, name in enumerate(names)}
    figure = plt.figure(figsize=(WIDTH, ROW * (len(rows) + 2)))
    axes = figure.add_axes((0, 0, 1, 1))
    several = any(row[1] for row in rows if row not in trace.streams)

    def title(row):
        rank, thread = row
        return f"rank {rank}, {trace.streams.get(row, f'thread {thread}')}" if several or row in trace.streams else f"rank {rank}"

    unit, scale = ("ms", 1e3) if end - begin < 1 else ("s", 1.0)
    for y, row in enumerate(rows):
        bars = {}
        for low, high, name, waits in made[row]:
            bars.setdefault(WAITING if waits else colours[name], []).append((scale * (low - begin), scale * (high - low)))
        for colour, spans in bars.items():
            axes.broken_barh(spans, (y - 0.4, 0.8), facecolors=colour, linewidth=0)
    axes.set_yticks(range(len(rows)), [title(row) for row in rows])
    axes.invert_yaxis()
    axes.set_xlim(0, scale * (end - begin))
    axes.set_xlabel(f"time, {unit}")
    shown = names[:MOST_NAMES] + (["other"] if len(names) > MOST_NAMES else [])
    keys = [plt.Rectangle((0, 0), 1, 1, color=colours.get(name, LINES[MOST_NAMES])) for name in shown]
    keys.append(plt.Rectangle((0, 0), 1, 1, color=WAITING))
    axes.legend(keys, [*shown, "waiting"], frameon=False, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -1.7 / (len(rows) + 2)))
    return figure


def add_timeline(report):
    """The section of the report on the trace in the results folder, if there is one."""
    trace = report.trace
    if trace is None:
        return
    windows = [(words, begin, end) for words, begin, end in trace.windows() if end > begin]
    if not windows:
        return
    report.page.section("timeline", "Timeline")
    made = []
    for words, begin, end in windows:
        caption = f"{words}: {1e3 * (end - begin):.4g} ms" if end - begin < 1 else f"{words}: {end - begin:.4g} s"
        made += report.drawn(lambda begin=begin, end=end: draw(trace, begin, end), caption, f"What each rank did when: {words.lower()}")
    report.page.pictures(made)
    more = f"; {len(trace.rows) - MOST_ROWS} more rows are not shown" if len(trace.rows) > MOST_ROWS else ""
    report.page.text(f"weft trace summary {trace.path} says more, and Perfetto (ui.perfetto.dev) shows all of it{more}.", "soft")
