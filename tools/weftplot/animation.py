"""The fields of a run as a moving picture."""
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FFMpegWriter, PillowWriter

from .drawing import drawing_of
from .errors import PlotError
from .grid import Grid
from .pictures import add_cells, add_colour_bar, canvas, limits, title, visible

DPI = 80
WRITERS = {"gif": PillowWriter, "mp4": FFMpegWriter}


def animate(files, name, path, options):
    """Draws `name` of each of the files, in one range of colours, into `path`, whose ending is one of WRITERS."""
    kind = path.suffix[1:]
    if not WRITERS[kind].isAvailable():
        raise PlotError("an MP4 needs ffmpeg: apt-get install ffmpeg, or make a GIF: --animate gif")
    if len(files) < 2:
        raise PlotError(f"{path.parent}: has fields of {len(files)} {'step' if len(files) == 1 else 'steps'}, and nothing moves; let the run "
                        "write more of them: --set output.field_steps=..., or output.field_interval=... for one by time")
    if options.range:
        low, high = options.range
    else:  # files are read twice, so that one is in memory at a time
        seen = []
        for file in files:
            grid = Grid(file)
            seen += limits(visible(drawing_of(grid, grid.field(name), options.slice)[0], options.window), None)
        low, high = min(seen), max(seen)
    writer = WRITERS[kind](fps=options.fps, metadata={"title": name})
    figure = None
    try:
        for number, file in enumerate(files):
            grid = Grid(file)
            drawing, cut = drawing_of(grid, grid.field(name), options.slice)
            if figure is None:
                figure, axes = canvas(drawing, options.window, options.width)
                # Encoders of video take even sizes.
                figure.set_size_inches(np.round(figure.get_size_inches() * DPI / 2) * 2 / DPI)
                writer.setup(figure, path, dpi=DPI)
            for old in [*axes.images, *axes.collections]:
                old.remove()
            cells = add_cells(axes, drawing, low, high, options)
            if number == 0:
                add_colour_bar(figure, axes, cells, name)
            axes.set_title(title(grid, name, cut))
            writer.grab_frame()
        writer.finish()
    except OSError as error:
        raise PlotError(f"{path}: cannot be written: {error}") from None
    finally:
        plt.close(figure)
    print(path)
