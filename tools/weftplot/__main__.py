"""Runs a drawing tool: python3 -B .../weftplot plot|report ARGUMENTS. The program `weft` starts it so."""
import sys
from importlib import import_module
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)  # modules of the package are imported as such, not as files next to this one

import weftplot.libraries  # noqa: E402,F401
from weftplot.output import run_command  # noqa: E402

run_command(import_module(f"weftplot.{sys.argv[1]}_command").run, sys.argv[2:])
