"""Runs a drawing command: python3 -B .../weft/plot plot|report|kernels ARGUMENTS, as the program `weft` does, or python3 -m weft.plot ..."""
import sys
from importlib import import_module
from pathlib import Path

COMMANDS = ("plot", "report", "kernels")

sys.path[0] = str(Path(__file__).resolve().parents[2])  # modules of the package are imported as such, not as files next to this one
if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
    sys.exit(f"weft: error: python3 -m weft.plot takes a command, {', '.join(COMMANDS[:-1])} or {COMMANDS[-1]}, and its arguments")
try:
    command = import_module(f"weft.plot.{sys.argv[1]}_command")
    output = import_module("weft.plot.output")
except ImportError as missing:
    sys.exit(f"weft: error: {missing}")
output.run_command(command.run, sys.argv[2:])
