"""Draws the results of `weft bench kernels`, which runs this command for --picture."""
import argparse
from pathlib import Path

from . import kernel_rates, pictures
from .output import Parser
from .style import DPI, begin_command


def run(arguments):
    begin_command()
    parser = Parser(prog="weft bench kernels", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="file of weft bench kernels --json FILE")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE", help="the picture: .png, .pdf or .svg")
    options = parser.parse_args(arguments)
    choices = pictures.choices(dpi=DPI.get(options.output.suffix[1:], DPI["png"]))
    pictures.save(kernel_rates.draw(kernel_rates.read_results(options.results), choices), options.output, choices)
