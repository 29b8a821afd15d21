"""Draws the results of a run: fields, walls, histories, the mesh; as PNG, PDF or SVG, and moving fields as GIF or MP4.

    weft plot results/                                      density of the last step, walls and histories
    weft plot results/ --list                               what there is to draw
    weft plot results/ --field mach,schlieren
    weft plot results/ --field mach --levels 0.9,1,1.1      iso-lines over the colours; --lines 20 for evenly spaced ones
    weft plot results/ --field pressure --shading smooth --lines 20 --output figure.pdf --size 9,7
    weft plot results/ --field mach --streamlines
    weft plot results/ --whole                              not only the surroundings of a small body
    weft plot results/ --slice z=0.5                        a cut through a 3-D mesh
    weft plot results/ --zones                              the mesh, its boundary zones in colours
    weft plot results/ --animate gif                        all fields of the run, one after the other
    weft plot results/fields_00000100.hdf --profile x
    weft plot results/walls_00000100.hdf
    weft plot results/residuals.csv
    weft plot results/polar.csv                             lift, drag and moment of a sweep

Needs python3-h5py, python3-numpy and python3-matplotlib, and ffmpeg for MP4. Prints the path of every picture that it writes.
"""
import argparse
import re
from pathlib import Path

import matplotlib.pyplot as plt

from . import pictures, polar, view, walls, zones
from .errors import PlotError, closest
from .grid import Grid
from .histories import History, NoRows, history, read_history
from .moving import WRITERS, animate
from .names import unit_of
from .output import Parser, say, warn
from .run_folder import RunFolder, grid_of, some_fields, step_of
from .style import CM, DPI, WIDTH, begin_command

FORMATS = ("png", "pdf", "svg")
GRIDS = (".hdf", ".vtkhdf", ".h5")


class Output:
    """Where pictures go: into a folder under names of their own, or the only one into a file."""

    def __init__(self, options):
        self.options, self.file = options, None
        path, results = options.output, options.results
        if path is not None and path.suffix[1:].lower() in FORMATS and not path.is_dir():
            self.file, self.folder, self.format = path, path.parent, path.suffix[1:].lower()
            if options.format and options.format != self.format:
                raise PlotError(f"--output {path} is no {options.format.upper()} file; leave out --format, or end the name in "
                                f".{options.format}")
            if options.animate:
                raise PlotError(f"--output {path}: --animate writes {options.animate.upper()} files; name a folder")
        else:
            if path is not None and path.suffix and not path.is_dir() and len(path.suffix) <= 5 and not path.suffix[1:].isdigit():
                raise PlotError(f"--output {path}: pictures are {', '.join('.' + end for end in FORMATS)} files; end the name in one of "
                                "these, or give a folder")
            self.folder, self.format = path or (results if results.is_dir() else results.parent), options.format or "png"
        if options.dpi is None:
            options.dpi = DPI[self.format] if not options.animate else 100
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PlotError(f"{self.folder}: cannot be made ({error.strerror}); choose another place with --output") from None

    def save(self, figure, stem):
        pictures.save(figure, self.file or self.folder / f"{stem}.{self.format}", self.options)


def chosen_names(grid, options):
    if options.field == "all":
        return sorted(grid.fields)
    if options.field:
        return [name.strip() for name in options.field.split(",")]
    quantities = sorted(set(grid.fields) - {"cell_id", "rank"}) or sorted(grid.fields)
    return ["density"] if "density" in grid.fields else quantities[:1]


def draw_fields(grid, folder, output, options):
    names = chosen_names(grid, options)
    if output.file and len(names) > 1:
        raise PlotError(f"--output {output.file} is one picture, and --field names {len(names)} fields; name one, or give a folder")
    axis = options.profile or (None if options.slice else grid.line_axis())
    if axis is None:
        view.choose(folder, grid, options)
    for name in names:
        stem = f"{grid.path.stem}_{name}"
        if axis:
            output.save(pictures.profile(grid, name, axis, options), f"{stem}_along_{axis}")
            continue
        output.save(pictures.field(grid, name, options), stem if grid.flat else f"{stem}_{options.slice[0]}{options.slice[1]:.4g}")


def draw_walls(path, folder, output, options):
    grid = Grid(path)
    if "zone" not in grid.fields:
        raise PlotError(f"{path}: is no walls file: it has no field \"zone\"")
    output.save(walls.pressure(grid, folder.zones(), folder.bodies(), options.slice, options), path.stem)
    if grid.flat and not options.slice and not output.file:  # faces, not lines: in 3-D
        output.save(walls.seen(grid, folder.zones(), folder.bodies(), options), f"{path.stem}_seen")


def draw_history(path, output, options):
    output.save(history(History(path, RunFolder(path.parent).si), options), path.stem)


def draw_zones(folder, output, options):
    if not folder.boundary.exists():
        raise PlotError(f"{folder.path}: has no boundary.hdf, which a run writes where its mesh has a boundary; draw a mesh file with "
                        "weft mesh info FILE --picture PICTURE")
    output.save(zones.picture(zones.Zones(folder), grid_of(folder, options.step), options), "boundary")


def list_folder(folder):
    """Says what there is to draw."""
    some_fields(folder, None)
    say(f"{folder.path}: fields of {len(folder.fields)} step{'s' if len(folder.fields) != 1 else ''}"
        + (f": {', '.join(map(str, sorted(folder.fields)))}" if folder.fields else ""))
    grid = grid_of(folder, None)
    if grid is not None:
        for name in grid.known():
            note = "" if name in grid.fields else ", computed here"
            unit = unit_of(name) if grid.si else ""
            components = f", with {name}_x, {name}_y and {name}_z" if name in grid.fields and grid.fields[name].ndim == 2 else ""
            say(f"  {name}{f' ({unit})' if unit else ''}{components}{note}")
    for what, there in (("walls", folder.walls), ("mesh and boundary zones (--zones)", folder.boundary.exists())):
        if there:
            say(what)
    for path in folder.histories:
        try:
            header, table = read_history(path)
            say(f"{path.name}: {len(table)} rows of {', '.join(header)}")
        except PlotError as error:
            say(f"{error}")


def draw_folder(folder, output, options):
    fields = some_fields(folder, options.step)
    if options.animate:
        if fields is None:
            raise PlotError(f"{folder.path}: has no fields to animate; wait for the run's first")
        grid = grid_of(folder, options.step)
        view.choose(folder, grid, options)
        for name in chosen_names(grid, options):
            files = [folder.fields[step] for step in sorted(folder.fields)]
            path = output.folder / f"fields_{name}.{options.animate}"
            animate(files, name, path, options)
            say(path)
        return
    asked = options.slice
    grid = grid_of(folder, options.step)
    if grid is not None:
        draw_fields(grid, folder, output, options)
        if output.file or options.field:  # these pictures were asked for, and no others
            return
        wall = folder.walls.get(step_of(grid.path))
        if wall is not None:
            options.slice, options.window = asked, None
            try:
                draw_walls(wall, folder, output, options)
            except walls.WallsMissed as error:
                warn(error)
    elif output.file:
        raise PlotError(f"{folder.path}: has no fields for --output {output.file}; name a history: {folder.histories[0]}")
    for path in folder.histories:
        try:
            draw_history(path, output, options)
        except NoRows as error:
            warn(error)


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
            raise argparse.ArgumentTypeError(f'"{text}" is not like {"0,1" if count == 2 else "0,3,0,1"}: the lower number first')
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


def whole_number(low, high):
    def parse(text):
        if not re.fullmatch(r"\d{1,9}", text) or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f'"{text}" is no whole number from {low} to {high}')
        return int(text)
    return parse


def size(text):
    """Width and height in inches; height None where it follows from what is drawn."""
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) not in (1, 2) or not all(3 <= value <= 120 for value in values):
        raise argparse.ArgumentTypeError(f'"{text}" is not like 9 or 9,7: width and height in cm, from 3 to 120')
    return values[0] * CM, values[1] * CM if len(values) == 2 else None


def colour_map(text):
    if text not in plt.colormaps():
        raise argparse.ArgumentTypeError(f'there is no "{text}"; {closest(text, plt.colormaps())}see matplotlib\'s colour maps')
    return text


def make_parser():
    parser = Parser(prog="weft plot", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="results folder, a fields_*.hdf, a walls_*.hdf, or a history *.csv")
    parser.add_argument("--list", action="store_true", help="say what there is to draw, and draw nothing")
    what = parser.add_argument_group("what is drawn")
    what.add_argument("--field", help="names with commas between, or \"all\"; velocity is its length, velocity_x a component; schlieren is the "
                                      "size of the gradient of density, error_density the difference to an exact solution (density)")
    what.add_argument("--step", type=whole_number(0, 10**9 - 1), help="which fields of the folder (the latest)")
    what.add_argument("--slice", type=axis_position,
                      help="plane through a 3-D mesh, like z=0.5 (through the middle of the bodies' span, else of z)")
    what.add_argument("--profile", choices="xyz",
                      help="draw all cells' values over this coordinate instead (the default of a mesh of one row of cells)")
    what.add_argument("--window", type=numbers(4), metavar="X0,X1,Y0,Y1",
                      help="part to draw (around bodies that are small in the mesh, else everything)")
    what.add_argument("--whole", action="store_true", help="draw everything, however small the bodies")
    what.add_argument("--zones", action="store_true", help="draw the mesh with its boundary zones in colours instead")
    how = parser.add_argument_group("how")
    how.add_argument("--shading", choices=("cells", "smooth", "none"), default="cells",
                     help="one colour for each cell, colours that change smoothly between points, or none (%(default)s)")
    how.add_argument("--lines", type=whole_number(0, 1000), default=0, metavar="N",
                     help="so many evenly spaced iso-lines over the colours (%(default)s)")
    how.add_argument("--levels", type=rising, help="iso-lines at these values, like 0.8,1,1.2, with their values")
    how.add_argument("--streamlines", type=positive, nargs="?", const=1.0, metavar="DENSITY",
                     help="draw lines along the velocity over the colours; 2 draws them twice as dense")
    how.add_argument("--mesh", action="store_true", help="draw the edges of the cells")
    how.add_argument("--range", type=numbers(2), metavar="LOW,HIGH", help="of the colours (all values that are shown)")
    how.add_argument("--colours", type=colour_map, help="matplotlib colour map (viridis; of a quantity about zero coolwarm)")
    how.add_argument("--title", help="above the picture; \"\" for none (quantity, time, step)")
    where = parser.add_argument_group("where to")
    where.add_argument("--output", type=Path, metavar="PATH",
                       help="folder of the pictures (default: that of the results), or the file of one: its ending, .png, .pdf or .svg, is the format")
    where.add_argument("--format", choices=FORMATS,
                       help="of all pictures (png); in pdf and svg lines and words stay such, fields are pixels")
    where.add_argument("--size", type=size, metavar="W[,H]", default=(WIDTH, None),
                       help="width and height in cm (16; the height that fits)")
    where.add_argument("--dpi", type=whole_number(20, 2400),
                       help="pixels per inch, of the fields in pdf and svg (200; 400 in pdf; 100 in moving pictures)")
    where.add_argument("--animate", choices=sorted(WRITERS), help="draw all fields of the folder into one moving picture instead")
    where.add_argument("--fps", type=positive, default=10, help="pictures of it per second (%(default)s)")
    return parser


def joined(arguments):
    """Returns the arguments with negative numbers tied to their options, which argparse takes for options."""
    words = []
    for word in arguments:
        if words and words[-1] in ("--window", "--range", "--levels") and re.match(r"-[\d.]", word):
            words[-1] += f"={word}"
        else:
            words.append(word)
    return words


def run(arguments):
    begin_command()
    options = make_parser().parse_args(joined(arguments))
    results = options.results
    if not results.exists():
        raise PlotError(f"{results}: there is no such file or folder; give the folder that \"results in\" named at the end of the run")
    table = results / polar.NAME if results.is_dir() else results
    if table.name == polar.NAME and table.exists():
        Output(options).save(polar.polar(table), table.stem)
        return
    folder = RunFolder(results if results.is_dir() else results.parent)
    if options.list:
        list_folder(folder)
        return
    output = Output(options)
    if options.zones or results.name == folder.boundary.name:
        draw_zones(folder, output, options)
    elif results.is_dir():
        draw_folder(folder, output, options)
    elif options.animate:
        raise PlotError(f"{results}: --animate takes a results folder; give {results.parent}")
    elif results.suffix == ".csv":
        draw_history(results, output, options)
    elif step_of(results, "walls") is not None:
        draw_walls(results, folder, output, options)
    elif results.suffix not in GRIDS:
        raise PlotError(f"{results}: is none of the files that can be drawn; give a results folder, a fields_*.hdf, a walls_*.hdf or a "
                        "*.csv of one")
    else:
        draw_fields(Grid(results), folder, output, options)
