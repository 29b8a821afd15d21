"""Errors with their remedies."""
import difflib

from ..errors import Error


class PlotError(Error, ValueError):
    """Nothing can be drawn: a file is missing or broken, or an argument does not fit the results. The message says what to do."""


def closest(word, known):
    near = difflib.get_close_matches(word, known, 1)
    return f'did you mean "{near[0]}"? ' if near else ""
