"""The polar of a sweep: lift, drag and moment over its first key, and lift over drag; a curve for each value of the other keys."""
import csv

import matplotlib.pyplot as plt

from .errors import PlotError
from .names import label

NAME = "polar.csv"
AFTER = ("steps", "residual", "outcome", "folder", "verdict")  # the last columns
UNITS = {"alpha": "deg", "beta": "deg"}
MOST_CURVES = 12


def read(path):
    """The swept keys, the names of the forces, and the rows that have forces."""
    try:
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError) as error:
        raise PlotError(f"{path}: cannot be read: {error}") from None
    columns = list(rows[0]) if rows else []
    if tuple(columns[-len(AFTER):]) != AFTER:
        raise PlotError(f"{path}: is not the table of a sweep, or has no rows yet")
    forces = [name[:-3] for name in columns if name.endswith("_cl")]
    if not forces:
        raise PlotError(f"{path}: has no forces to draw; give the case a section [forces.<name>]")
    keys = columns[:columns.index(f"{forces[0]}_cl")]
    try:
        good = [{name: row[name] if name in AFTER else float(row[name]) for name in columns if name not in ("steps", "residual")}
                for row in rows if row[f"{forces[0]}_cl"]]
    except (TypeError, ValueError):
        raise PlotError(f"{path}: has a field that is no number") from None
    if not good:
        raise PlotError(f"{path}: no point of the sweep has forces")
    return keys, forces, good


def axis_label(key):
    name = key.rpartition(".")[2]
    return f"{label(name)} [{UNITS[name]}]" if name in UNITS else label(name)


def curves_of(keys, forces, rows):
    """(legend, rows in the order of the first key) of each force and value of the other keys."""
    for force in forces:
        groups = {}
        for row in rows:
            groups.setdefault(tuple(row[key] for key in keys[1:]), []).append(row)
        for values, group in groups.items():
            parts = [label(force)] if len(forces) > 1 else []
            parts += [f"{axis_label(key)} {value:g}" for key, value in zip(keys[1:], values)]
            yield force, ", ".join(parts), sorted(group, key=lambda row: row[keys[0]])


def polar(path):
    keys, forces, rows = read(path)
    figure, axes = plt.subplots(2, 2, figsize=(6.3, 4.8), constrained_layout=True)
    over_key = ((axes[0, 0], "cl", "Cl"), (axes[0, 1], "cd", "Cd"), (axes[1, 0], "cm", "Cm, positive nose-up"))
    lines = 0
    for force, legend, group in curves_of(keys, forces, rows):
        panels = [(panel, [row[keys[0]] for row in group], [row[f"{force}_{what}"] for row in group]) for panel, what, _ in over_key]
        panels.append((axes[1, 1], [row[f"{force}_cd"] for row in group], [row[f"{force}_cl"] for row in group]))
        for panel, x, y in panels:
            line, = panel.plot(x, y, label=legend or None)
            for a, b, row in zip(x, y, group):
                panel.plot(a, b, marker="o", markersize=3, color=line.get_color(), fillstyle="full" if row["outcome"] == "good" else "none")
        lines += 1
    for panel, _, name in over_key:
        panel.set_xlabel(axis_label(keys[0]))
        panel.set_ylabel(name)
    axes[1, 1].set_xlabel("Cd")
    axes[1, 1].set_ylabel("Cl")
    for panel in axes.flat:
        panel.grid(True, linewidth=0.3)
    if 1 < lines <= MOST_CURVES:
        axes[0, 0].legend()
    if any(row["outcome"] != "good" for row in rows):
        figure.suptitle("Hollow markers: runs whose verdict is not good")
    return figure
