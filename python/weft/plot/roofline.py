"""Rooflines of the traces that `weft run --trace` writes: the rates of tasks by their counted operations and bytes."""
import matplotlib.pyplot as plt

from .page import LINES

FIRST_STREAM = 1000  # threads of events from this number on are the streams of a device
TASK, SEGMENT = 0, 7  # kinds of nodes
MOST = len(LINES)
GIGA, WIDTH, HEIGHT = 1e9, 5.4, 3.0
ROOF = "#7a8794"


class Task:
    """The executions of a task on all ranks."""

    def __init__(self):
        self.seconds = self.flops = self.bytes = 0.0

    @property
    def intensity(self):
        return self.flops / self.bytes

    @property
    def rate(self):
        return self.flops / self.seconds


def tasks_of(trace, on_device):
    """{name: Task} of the tasks of the host or of the streams of a device that have counts, the longest first."""
    found = {}
    for rank, thread, name, seconds, stage, node in trace.nodes():
        of = trace.ranks[rank]
        kind = of["graphs"][stage][node][0]
        if (thread >= FIRST_STREAM) != on_device or (kind != TASK and (not on_device or kind == SEGMENT)):
            continue
        count = {number: (flops, moved) for number, flops, moved in of.get("counts", [[]] * (stage + 1))[stage]}.get(node)
        if count is None:
            continue
        task = found.setdefault(name, Task())
        task.seconds += seconds
        task.flops += count[0]
        task.bytes += count[1]
    good = {name: task for name, task in found.items() if task.seconds > 0 and task.flops > 0 and task.bytes > 0}
    return dict(sorted(good.items(), key=lambda item: -item[1].seconds))


def rates_of(trace, on_device):
    """FLOP/s and bytes/s of the machine for one rank, as means over the ranks that measured them; 0: not known."""
    lists = [rank.get("rates", {}).get("device" if on_device else "host", [0, 0]) for rank in trace.ranks]
    means = []
    for values in zip(*lists):
        known = [value for value in values if value > 0]
        means.append(sum(known) / len(known) if known else 0.0)
    return means


def draw(tasks, flops, bandwidth):
    """A figure of the rates of tasks over their intensities, below the roofline; areas are shares of the time."""
    figure = plt.figure(figsize=(WIDTH, HEIGHT))
    axes = figure.add_axes((0, 0, 1, 1))
    shown = list(tasks.items())[:MOST]
    low, high = (pick(task.intensity for _, task in shown) for pick in (min, max))
    low, high = low / 2, high * 2
    if flops > 0 and bandwidth > 0:
        high = max(high, 2 * flops / bandwidth)
    if bandwidth > 0:
        knee = min(high, flops / bandwidth if flops > 0 else high)
        axes.plot([low, knee], [low * bandwidth / GIGA, knee * bandwidth / GIGA], color=ROOF, label=f"copy {bandwidth / GIGA:.3g} GB/s")
        if knee < high:
            axes.plot([knee, high], [flops / GIGA] * 2, color=ROOF, linestyle="--", label=f"{flops / GIGA:.3g} GFLOP/s")
    whole = sum(task.seconds for task in tasks.values())
    for (name, task), colour in zip(shown, LINES):
        axes.scatter([task.intensity], [task.rate / GIGA], s=20 + 300 * task.seconds / whole, color=colour, alpha=0.8, linewidth=0,
                     label=f"{name}, {100 * task.seconds / whole:.0f} %", zorder=3)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(low, high)
    axes.set_xlabel("operations per byte (compulsory)")
    axes.set_ylabel("GFLOP/s of a rank")
    axes.grid(alpha=0.3)
    keys, words = axes.get_legend_handles_labels()
    keys = [key if key in axes.lines else plt.Line2D([], [], marker="o", linestyle="", color=key.get_facecolor()[0]) for key in keys]
    axes.legend(keys, words, frameon=False, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.18))
    return figure


def add_roofline(report):
    """The section of the report on the rates of the tasks of the trace in the results folder, if it has counts."""
    trace = report.trace
    if trace is None:
        return
    made = []
    for on_device, where in ((False, "CPU"), (True, "GPU")):
        try:
            tasks, rates = tasks_of(trace, on_device), rates_of(trace, on_device)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            report.notes.append(f"{trace.path}: is no trace of weft: {error!r} is missing or wrong")
            return
        if tasks:
            made += report.drawn(lambda tasks=tasks, rates=rates: draw(tasks, *rates), f"Tasks on the {where}, and their share of the time",
                                 f"Rates of the tasks on the {where} over their operations per byte")
    if not made:
        return
    report.page.section("roofline", "Roofline")
    report.page.pictures(made)
    report.page.text("The line is what the machine gives to a rank: the rate of a copy times the operations per byte, and that of "
                     "arithmetic without fused operations. Operations and bytes are counted, see the guide, roofline.", "soft")
