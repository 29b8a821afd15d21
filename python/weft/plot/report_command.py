"""Writes one HTML page about the results of a run: fields, pressure on walls, histories, performance, mesh, case, provenance.

The page needs no other file and no network. It can be created for a run that is still running, or that was killed."""
import argparse
import os
from pathlib import Path

from .errors import PlotError, closest
from .output import Parser, say
from .report import Report
from .run_folder import RunFolder, refuse_several
from .style import begin_command
from .words import size_of


def open_folder(path):
    if not path.exists():
        siblings = [entry.name for entry in path.parent.iterdir() if entry.is_dir()] if path.parent.is_dir() else []
        raise PlotError(f"{path}: there is no such folder; {closest(path.name, siblings)}give the folder that \"results in\" named at the end of the run")
    if not path.is_dir():
        raise PlotError(f"{path}: is a file; give the results folder of a run")
    folder = RunFolder(path)
    if folder.holds_a_run():
        return folder
    refuse_several(folder, "weft report")
    raise PlotError(f"{path}: holds no results of a run (no case.toml, fields or histories); give the folder that \"results in\" named at the "
                    "end of the run")


def write(text, path):
    """Appears when it is whole."""
    part = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise PlotError(f"{path}: is a folder; --output takes the name of a file")
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True) if part.parent.is_dir() else None
        raise PlotError(f"{path}: cannot be written: {error.strerror}; choose another with --output FILE") from None


def run(arguments):
    begin_command()
    parser = Parser(epilog="Examples:\n  weft report results/naca0012\n  weft report results/naca0012 --output page.html",
                    prog="weft report", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="results folder of a run")
    parser.add_argument("--output", type=Path, metavar="FILE", help="the page (report.html in the results folder)")
    options = parser.parse_args(arguments)
    folder = open_folder(options.results)
    path = options.output or options.results / "report.html"
    report = Report(folder)
    write(report.html(), path)
    say(f"wrote {path} ({size_of(path)}): the run {'is ' if report.status.word != 'failed' else ''}{report.status.word}")
