"""Draws the fields of a run as a moving picture."""
import contextlib
import subprocess

import h5py
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FFMpegWriter, PillowWriter

from .drawing import drawing_of
from .errors import PlotError
from .grid import Grid
from .output import warn
from .pictures import add_colour_bar, add_layers, field_canvas, limits, visible

WRITERS = {"gif": PillowWriter, "mp4": FFMpegWriter}


def readable(file):
    """Returns whether a file is whole enough to be opened; warns where it is not."""
    try:
        h5py.File(file).close()
    except OSError as error:
        warn(f"{file}: cannot be read ({error}); left out")
        return False
    return True


def written_at(path):
    """Returns when a file was last written, ns; None if there is none."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None


def reason(error):
    """Returns why a picture cannot be written; where the encoder failed, its first message."""
    messages = (getattr(error, "stderr", None) or "").strip().splitlines()
    return messages[0] if messages else error


def animate(files, name, path, options):
    """Draws `name` of each of the files, in one range of colours, into `path`, whose ending is one of WRITERS."""
    kind = path.suffix[1:]
    if not WRITERS[kind].isAvailable():
        raise PlotError("an MP4 needs ffmpeg: apt-get install ffmpeg, or make a GIF")
    files = [file for file in files if readable(file)]
    if len(files) < 2:
        raise PlotError(f"{path.parent}: has fields of {len(files)} {'step' if len(files) == 1 else 'steps'}, and nothing moves; let the run "
                        "write more of them: --set output.field_steps=..., or output.field_interval=... for one by time")
    if options.range:
        bounds = options.range
    else:  # files are read twice, so that one is in memory at a time
        seen = []
        for file in files:
            grid = Grid(file)
            seen += limits(visible(drawing_of(grid, grid.field(name), options.slice)[0], options.window), None)
        bounds = min(seen), max(seen)
    writer = WRITERS[kind](fps=options.fps, metadata={"title": name})
    figure, before = None, written_at(path)
    try:
        for number, file in enumerate(files):
            grid = Grid(file)
            if figure is None:
                figure, axes = field_canvas(grid, drawing_of(grid, grid.field(name), options.slice)[0], options)
                # Encoders of video take even sizes.
                figure.set_size_inches(np.round(figure.get_size_inches() * options.dpi / 2) * 2 / options.dpi)
                writer.setup(figure, path, dpi=options.dpi)
            for old in [*axes.images, *axes.collections, *axes.patches, *axes.texts]:
                old.remove()
            cells, words = add_layers(figure, axes, grid, name, bounds, options)
            if number == 0 and options.shading != "none":
                add_colour_bar(figure, axes, cells, name, grid.si)
            axes.set_title(words)
            writer.grab_frame()
        writer.finish()
    except (OSError, subprocess.CalledProcessError) as error:
        with contextlib.suppress(OSError):
            if written_at(path) != before:  # a part of the picture
                path.unlink()
        raise PlotError(f"{path}: cannot be written ({reason(error)}); choose another place with --output") from None
    finally:
        plt.close(figure)
