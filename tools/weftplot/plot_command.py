"""Draws the results of a run: fields, iso-lines, streamlines, histories, pressure on walls, as PNG; moving fields as GIF or MP4.

    weft-plot results/                             the latest fields, the walls and the histories
    weft-plot results/ --field mach,pressure
    weft-plot results/ --field mach --levels 0.9,1,1.1
    weft-plot results/ --field mach --streamlines
    weft-plot results/ --slice z=0.5               a cut through a 3-D mesh
    weft-plot results/ --animate gif               all fields of the run, one after the other
    weft-plot results/fields_00000100.hdf --profile x
    weft-plot results/walls_00000100.hdf
    weft-plot results/residuals.csv
    weft-plot results/polar.csv                    lift, drag and moment of a sweep

Needs python3-h5py, python3-numpy and python3-matplotlib, and ffmpeg for MP4. Prints the path of every picture that it writes.
"""
import argparse
import re
import sys
from pathlib import Path

import matplotlib.pyplot as plt

from . import pictures, polar, walls
from .animation import WRITERS, animate
from .errors import PlotError, closest
from .grid import Grid
from .histories import NoRows, history
from .run_folder import RunFolder, step_of


def chosen_names(grid, options):
    if options.field == "all":
        return sorted(grid.fields)
    if options.field:
        return [name.strip() for name in options.field.split(",")]
    return ["density"] if "density" in grid.fields else sorted(grid.fields)[:1]


def draw_fields(path, options):
    grid = Grid(path)
    for name in chosen_names(grid, options):
        stem = options.output / f"{grid.path.stem}_{name}"
        if options.profile:
            pictures.save(pictures.profile(grid, name, options), f"{stem}_along_{options.profile}.png")
            continue
        if not grid.flat:
            axis, position = options.slice or ("z", 0.5 * (grid.points[:, 2].min() + grid.points[:, 2].max()))
            stem = f"{stem}_{axis}{position:g}"
        pictures.save(pictures.filled(grid, name, options), f"{stem}.png")
        asked = options.contours
        if asked is None:
            options.contours = 30 if name == "density" else 0
        if options.levels is not None or options.contours > 0:
            pictures.save(pictures.iso_lines(grid, name, options), f"{stem}_contours.png")
        options.contours = asked
        if options.streamlines is not None:
            pictures.save(pictures.streamlines(grid, name, options), f"{stem}_streamlines.png")


def draw_walls(path, folder, options):
    grid = Grid(path)
    figure = walls.pressure(grid, folder.zones(), folder.bodies(), options.slice)
    pictures.save(figure, options.output / f"{path.stem}.png")
    if grid.flat and not options.slice:  # faces, not lines: in 3-D
        pictures.save(walls.seen(grid, folder.zones(), folder.bodies()), options.output / f"{path.stem}_seen.png")


def draw_history(path, options):
    pictures.save(history(path), options.output / f"{path.stem}.png")


def draw_folder(folder, options):
    fields = folder.choose(options.step)
    if fields is None and not folder.histories:
        raise PlotError(f"{folder.path}: has neither fields_<step>.hdf nor residuals.csv; is it the results folder of a run?")
    if options.animate:
        if fields is None:
            raise PlotError(f"{folder.path}: has no fields to animate")
        for name in chosen_names(Grid(fields), options):
            animate([folder.fields[step] for step in sorted(folder.fields)], name, options.output / f"fields_{name}.{options.animate}", options)
        return
    if fields is not None:
        draw_fields(fields, options)
        wall = folder.walls.get(step_of(fields))
        if wall is not None:
            try:
                draw_walls(wall, folder, options)
            except walls.WallsMissed as error:
                print(f"weft-plot: {error}", file=sys.stderr)
    for path in folder.histories:
        try:
            draw_history(path, options)
        except NoRows as error:
            print(f"weft-plot: {error}", file=sys.stderr)


def axis_position(text):
    match = re.fullmatch(r"([xyz])=(.+)", text)
    try:
        return match.group(1), float(match.group(2))
    except (AttributeError, ValueError):
        raise argparse.ArgumentTypeError(f'"{text}" is not like z=0.5') from None


def numbers(count):
    def parse(text):
        try:
            values = tuple(float(part) for part in re.split(r"[:,]", text))
        except ValueError:
            values = ()
        if len(values) != count or not all(a < b for a, b in zip(values[::2], values[1::2])):
            raise argparse.ArgumentTypeError(f'"{text}" is not like {"0:1" if count == 2 else "0:3,0:1"}')
        return values
    return parse


def rising(text):
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if not values or values != sorted(set(values)):
        raise argparse.ArgumentTypeError(f'"{text}" is not like 0.8,1,1.2')
    return values


def positive(text):
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f'"{text}" is no number > 0')
    return value


def colour_map(text):
    if text not in plt.colormaps():
        raise argparse.ArgumentTypeError(f'there is no "{text}"; {closest(text, plt.colormaps())}see matplotlib\'s colour maps')
    return text


def make_parser():
    parser = argparse.ArgumentParser(prog="weft-plot", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="results folder, a fields_*.hdf, a walls_*.hdf, or a history *.csv")
    parser.add_argument("--field", help='names with commas between, or "all"; velocity is its length, velocity_x a component (density)')
    parser.add_argument("--slice", type=axis_position, help="plane through a 3-D mesh, like z=0.5 (the middle in z)")
    parser.add_argument("--profile", choices="xyz", help="draw all cells' values against this coordinate instead")
    parser.add_argument("--step", type=int, help="which fields of the folder (the latest)")
    parser.add_argument("--output", type=Path, help="where the pictures go (beside the results)")
    parser.add_argument("--contours", type=int, help="how many iso-lines, evenly spaced; 0 for none (30 for density, else none)")
    parser.add_argument("--levels", type=rising, help="values of iso-lines, like 0.8,1,1.2, instead")
    parser.add_argument("--streamlines", type=positive, nargs="?", const=1.0, metavar="DENSITY",
                        help="also draw lines along the velocity; 2 draws them twice as dense")
    parser.add_argument("--range", type=numbers(2), help="of the colours, like 0:5 (all values that are shown)")
    parser.add_argument("--window", type=numbers(4), help="part to draw, like 0:3,0:1 (everything)")
    parser.add_argument("--colours", type=colour_map, default="viridis", help="matplotlib colour map (%(default)s)")
    parser.add_argument("--mesh", action="store_true", help="draw the edges of the cells")
    parser.add_argument("--animate", choices=sorted(WRITERS), help="draw all fields of the folder into one moving picture instead")
    parser.add_argument("--fps", type=positive, default=10, help="pictures of it a second (%(default)s)")
    parser.set_defaults(width=pictures.WIDTH)
    return parser


def run(options):
    results = options.results
    if not results.exists():
        raise PlotError(f"{results}: there is no such file or folder")
    options.output = options.output or (results if results.is_dir() else results.parent)
    try:
        options.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PlotError(f"{options.output}: cannot be made: {error.strerror}") from None
    table = results / polar.NAME if results.is_dir() else results
    if table.name == polar.NAME and table.exists():
        pictures.save(polar.polar(table), options.output / f"{table.stem}.png")
    elif results.is_dir():
        draw_folder(RunFolder(results), options)
    elif options.animate:
        raise PlotError(f"{results}: --animate takes a results folder")
    elif results.suffix == ".csv":
        draw_history(results, options)
    elif step_of(results, "walls") is not None:
        draw_walls(results, RunFolder(results.parent), options)
    else:
        draw_fields(results, options)


def main():
    try:
        run(make_parser().parse_args())
    except PlotError as error:
        sys.exit(f"weft-plot: error: {error}")
