"""Pictures of what `weft bench kernels` measures: kernels below the roofline of a copy, and their shares of its rate."""
import json

import matplotlib.pyplot as plt

from .errors import PlotError
from .style import CM

COPY = "#7a8794"
PROVIDERS = {"own": "#2f7fc1", "library": "#d9702b"}
LABELS = {"own": "Weft", "library": "library"}
GIGA = 1e9
ROOFLINE, BAR = 7.5 * CM, 0.42 * CM  # heights


def name_of_machine(machine):
    return f"{machine['cpu']}, {machine['compiler']}" if "cpu" in machine else f"{machine['gpu']}, CUDA {machine['cuda']}"


def read_results(results):
    """Returns the document of a path, or of a dictionary that is one. Raises PlotError where it is none."""
    where = "the results"
    if not isinstance(results, dict):
        where = results
        try:
            results = json.loads(results.read_text(encoding="utf-8"))
        except OSError as error:
            raise PlotError(f"{where}: cannot be read ({error.strerror}); give a file of weft bench kernels --json FILE") from None
        except ValueError:
            results = None
    try:
        machine = results["machine"]
        if results["command"] != "bench kernels" or machine["copy"]["median"] <= 0 or machine["copy"]["bytes"] <= 0:
            raise ValueError
        name_of_machine(machine)
        for row in results["rows"]:
            row["kernel"], row["type"], row["input"], row["entries"], row["operations"]  # noqa: B018 (raises KeyError)
            if row["bytes"] <= 0 or not all(times[name] > 0 for times in row["times"].values() for name in ("median", "least", "largest")):
                raise ValueError
    except (KeyError, TypeError, ValueError, AttributeError):
        raise PlotError(f"{where}: not results of weft bench kernels, or damaged; give a file of weft bench kernels --json FILE") from None
    if not results["rows"]:
        raise PlotError(f"{where}: has no rows; measure at least one kernel")
    return results


def largest_inputs(rows):
    """Returns the rows with the most entries, one for each kernel, type and input, in the order of the table."""
    largest = {}
    for row in rows:
        key = row["kernel"], row["type"], row["input"]
        if key not in largest or row["entries"] > largest[key]["entries"]:
            largest[key] = row
    return list(largest.values())


def name_of(row):
    return ", ".join(part for part in (row["kernel"], row["type"], row["input"]) if part)


def draw_roofline(axes, rows, copy):
    """Draws rates of operations over operations per byte, and the line on which kernels are as fast as the copy (bytes/s)."""
    counted = [row for row in rows if row["operations"] > 0]
    if counted:
        ends = [pick(row["operations"] / row["bytes"] for row in counted) for pick in (min, max)]
        ends = [ends[0] / 2, 2 * ends[1]]
        axes.plot(ends, [end * copy / GIGA for end in ends], color=COPY, label=f"copy, {copy / GIGA:.4g} GB/s")
    kernels = list(dict.fromkeys(row["kernel"] for row in counted))
    colours = plt.get_cmap("tab20")
    for row in counted:
        colour = colours(kernels.index(row["kernel"]) % 20)
        for provider, marker in (("own", "o"), ("library", "x")):
            if provider in row["times"]:
                axes.plot([row["operations"] / row["bytes"]], [row["operations"] / row["times"][provider]["median"] / GIGA], marker,
                          color=colour, markersize=4, linestyle="")
    handles, labels = axes.get_legend_handles_labels()
    for kernel in kernels:
        handles.append(plt.Line2D([], [], marker="s", linestyle="", color=colours(kernels.index(kernel) % 20)))
        labels.append(kernel)
    for provider, marker in (("own", "o"), ("library", "x")):
        handles.append(plt.Line2D([], [], marker=marker, linestyle="", color="0.3"))
        labels.append(LABELS[provider])
    axes.legend(handles, labels, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("operations per byte (minimum traffic)")
    axes.set_ylabel("$10^9$ operations/s")
    axes.grid(alpha=0.3)


def draw_shares(axes, rows, copy):
    """Draws the rates of bytes relative to the copy as bars, with the ranges of the runs as lines."""
    for index, (provider, colour) in enumerate(PROVIDERS.items()):
        for place, row in enumerate(rows):
            times = row["times"].get(provider)
            if times is None:
                continue
            share, low, high = (row["bytes"] / times[name] / copy for name in ("median", "largest", "least"))
            at = place + (index - 0.5) * 0.4 * (len(row["times"]) > 1)
            axes.barh(at, share, 0.4, color=colour)
            axes.plot([low, high], [at, at], color="0.2", linewidth=0.8)
    axes.axvline(1, color=COPY, label="copy")
    axes.set_yticks(range(len(rows)), [name_of(row) for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("share of the rate of the copy, bytes/s")
    handles = [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in PROVIDERS.values()] + [axes.lines[-1]]
    axes.legend(handles, [*(LABELS[provider] for provider in PROVIDERS), "copy"], frameon=False, ncols=3, loc="lower center",
                bbox_to_anchor=(0.5, 1))
    axes.grid(axis="x", alpha=0.3)


def draw(results, options):
    """Returns a figure of read_results(): the roofline above, the shares of the copy below."""
    machine, rows = results["machine"], largest_inputs(results["rows"])
    copy = machine["copy"]["bytes"] / machine["copy"]["median"]
    bars = max(3 * CM, BAR * len(rows) + 1.6 * CM)
    figure = plt.figure(figsize=(options.size[0], options.size[1] or ROOFLINE + bars), constrained_layout=True)
    roofline, shares = figure.subplots(2, 1, height_ratios=(ROOFLINE, bars))
    draw_roofline(roofline, rows, copy)
    draw_shares(shares, rows, copy)
    commit = f", commit {results['commit']}" if results.get("commit") else ""
    figure.suptitle(options.title if options.title is not None else f"{name_of_machine(machine)}{commit}")
    return figure
