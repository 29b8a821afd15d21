"""What the drawing commands print, and how they end: never with a traceback because of a file, a pipe or an argument."""
import argparse
import os
import sys

from .errors import PlotError

failure = None  # why standard output took no more


def say(text):
    """Prints a line. A closed pipe or a full device does not stop the drawing; run_command() reports it at the end."""
    global failure
    if failure is not None:
        return
    try:
        if sys.stdout is None:
            raise OSError(0, "it is closed")
        print(text, flush=True)
    except OSError as error:
        failure = error.strerror
        if sys.stdout is not None:  # Python flushes it once more when it ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def warn(text):
    print(f"weft: warning: {text}", file=sys.stderr)


class Parser(argparse.ArgumentParser):
    """Reports wrong arguments as the program does."""

    def error(self, message):
        self.exit(2, f"weft: error: {message}; see {self.prog} --help\n")

    def print_help(self, file=None):
        say(self.format_help().rstrip())


def run_command(command, arguments):
    """Calls command(arguments) and ends the process: with 1 and one line on standard error where something is wrong."""
    code = 0
    try:
        command(arguments)
    except PlotError as error:
        print(f"weft: error: {error}", file=sys.stderr)
        code = 1
    except MemoryError:
        print("weft: error: there is not enough memory to draw this; draw one field, or a part with --window", file=sys.stderr)
        code = 1
    except KeyboardInterrupt:
        code = 130
    except SystemExit as end:  # raised by --help and by wrong arguments
        code = end.code
    if failure is not None:
        print(f"weft: error: standard output: cannot be written ({failure}); all else was done", file=sys.stderr)
    sys.exit(code or (0 if failure is None else 1))
