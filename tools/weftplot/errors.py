"""Errors with their remedies."""
import difflib


class PlotError(Exception):
    """An error that the user can correct."""


def closest(word, known):
    near = difflib.get_close_matches(word, known, 1)
    return f'did you mean "{near[0]}"? ' if near else ""
