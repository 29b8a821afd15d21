"""Histories of a run: reading them, drawing them."""
import csv
import re
from pathlib import Path

import numpy as np

from .errors import PlotError
from .names import axis_label, label
from .pictures import sheet
from .style import CM

HISTORIES = ("residuals.csv", "forces.csv", "probes.csv", "monitors.csv", "integrals.csv")
BESIDE = {"step", "time", "dt", "cfl"}
MOST_IN_LEGEND = 12
# Endings of the columns of forces and probes: wall_cl and flap_cl share the axes of cl.
QUANTITY = re.compile(r".*?[.:/ _]?(cd|cl|cm[xyz]|cm_nose_up|[fm][xyz]|mass_flow|density|velocity_[xyz]|total_pressure|pressure|total_temperature|temperature)")


class NoRows(PlotError):
    """A history that has only just begun."""


def read_history(path):
    """Names of the columns, and the rows as an array. A last row that is cut off is left out: a run in progress, or one that was killed."""
    try:
        with open(path, newline="", errors="replace") as file:
            rows = list(csv.reader(file))
    except csv.Error as error:
        raise PlotError(f"{path}: is no table of numbers with commas between: {error}") from None
    except OSError as error:
        raise PlotError(f"{path}: cannot be read: {error.strerror}") from None
    if not rows or not rows[0]:
        raise PlotError(f"{path}: is empty")
    header, body = rows[0], []
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(header):
            if number == len(rows):
                break
            raise PlotError(f"{path}:{number}: has {len(row)} values for {len(header)} columns")
        try:
            body.append([float(value) for value in row])
        except ValueError as error:
            raise PlotError(f"{path}:{number}: {error}") from None
    if not body:
        raise NoRows(f"{path}: has no rows yet")
    return header, np.array(body)


def quantity(column):
    known = QUANTITY.fullmatch(column)
    return known.group(1) if known else column


class History:
    """A history in boxes, one for each quantity; all residuals share one.

    path: the file, or the name of a table; table: (header, rows) where it is not read from the file."""

    def __init__(self, path, si=False, table=None):
        self.path, self.si = Path(path), si
        self.header, self.table = table or read_history(path)
        self.residuals = "residual" in self.path.stem
        self.x = self.header.index("step") if "step" in self.header else 0
        boxes = {}
        for i, name in enumerate(self.header):
            if i != self.x and name not in BESIDE:
                boxes.setdefault("residual" if self.residuals else quantity(name), []).append(i)
        if not boxes:
            raise PlotError(f"{path}: has no column to draw other than {', '.join(self.header)}")
        # Columns that are zero throughout, such as those of the third direction of a plane mesh, are not drawn unless all are zero.
        moving = {name: [i for i in members if self.table[:, i].any()] for name, members in boxes.items()}
        self.boxes = {name: members for name, members in moving.items() if members} or boxes

    def draw(self, name, axes):
        members, steps = self.boxes[name], self.table[:, self.x]
        for i in members:
            y = self.table[:, i]
            if self.residuals:
                y = np.where(y > 0, y, np.nan)
            whose = self.header[i] if self.residuals else self.header[i][:-len(name)].rstrip(".:/ _")
            axes.plot(steps, y, linewidth=0.9, label=label(whose), marker="." if len(steps) == 1 else None)
        positive = self.residuals and (self.table[:, members] > 0).any()
        if positive:
            axes.set_yscale("log")
        axes.set_xlabel(axis_label(self.header[self.x], self.si))
        axes.set_ylabel(axis_label(name, self.si and not self.residuals))
        axes.grid(alpha=0.3, linewidth=0.4, which="both" if positive else "major")
        if len(members) <= MOST_IN_LEGEND and (self.residuals or self.header[members[0]] != name):
            axes.legend(frameon=False)

    def draw_time_step(self, axes):
        axes.plot(self.table[:, self.x], self.table[:, self.header.index("dt")], linewidth=0.9, marker="." if len(self.table) == 1 else None)
        axes.set_xlabel(axis_label(self.header[self.x], self.si))
        axes.set_ylabel(axis_label("dt", self.si))
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3, linewidth=0.4)


def history(these, options):
    """Draws all boxes of a History in one figure."""
    across = 1 if len(these.boxes) == 1 else 2
    down = -(-len(these.boxes) // across)
    figure = sheet(options, max(0.6 * options.size[0] if across == 1 else 0, 4.6 * CM * down))
    axes = figure.subplots(down, across, squeeze=False)
    for name, box in zip(these.boxes, axes.flat):
        these.draw(name, box)
    for box in axes.flat[len(these.boxes):]:
        box.set_visible(False)
    words = f"{label(these.path.stem)}, to {label(these.header[these.x])} {these.table[-1, these.x]:g}"
    figure.suptitle(words[:1].upper() + words[1:] if options.title is None else options.title)
    return figure
