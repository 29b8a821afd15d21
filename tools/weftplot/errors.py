"""What goes wrong, told so that it can be mended."""
import difflib


class PlotError(Exception):
    """Something that the user can mend."""


def closest(word, known):
    near = difflib.get_close_matches(word, known, 1)
    return f'did you mean "{near[0]}"? ' if near else ""
