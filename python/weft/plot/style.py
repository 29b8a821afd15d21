"""Sizes, resolutions and the style of all pictures."""
import matplotlib
from matplotlib.axes import Axes
from matplotlib.ticker import ScalarFormatter

CM = 1 / 2.54  # inches
WIDTH = 16 * CM  # width of a single picture: two columns of a journal
DPI = {"png": 200, "pdf": 400, "svg": 200}  # resolution of the picture, or of the fields in it
# As journals ask for it: words as such, in fonts that the file contains (TrueType, "type 42").
STYLE = {
    "pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none", "svg.hashsalt": "weft", "font.family": "DejaVu Sans", "font.size": 8,
    "axes.titlesize": 8, "figure.titlesize": 8, "legend.fontsize": 7, "axes.linewidth": 0.6, "lines.linewidth": 1.0,
    "xtick.major.width": 0.6, "ytick.major.width": 0.6, "xtick.major.size": 2.5, "ytick.major.size": 2.5,
    "axes.formatter.limits": (-4, 5), "axes.formatter.use_mathtext": True,
}


def begin_command():
    """Prepares matplotlib for a command: pictures in files only, in this style."""
    matplotlib.use("Agg")
    matplotlib.rcParams.update(STYLE)


class PlainLabels(ScalarFormatter):
    """Numbers along an axis as text, with their common power of ten as a formula. Matplotlib parses each number as a formula, too, which takes
    a third of the time of a page of pictures."""

    def __call__(self, x, pos=None):
        return super().__call__(x, pos).removeprefix(r"$\mathdefault{").removesuffix("}$")


def with_plain_labels(figure):
    """Returns the figure, whose linear axes have such labels."""
    for axes in figure.findobj(Axes):
        for axis in (axes.xaxis, axes.yaxis):
            if type(axis.get_major_formatter()) is ScalarFormatter:
                axis.set_major_formatter(PlainLabels())
    return figure
