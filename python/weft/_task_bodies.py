"""Checks of tasks of weft.task, and functions that plans call, made from those of users."""
import difflib

from ._functions import current_stream
from .errors import InputError


def check_place(on, every, rows):
    """Raises InputError for a place where no task is executed, and for arguments of task() that its place does not have."""
    places = ("host", "device", "io")
    if on not in places:
        near = difflib.get_close_matches(str(on), places, 1)
        asked = f'; did you mean "{near[0]}"?' if near else ""
        raise InputError(f'on={on!r} is no place of a task; use "host", "device" or "io"{asked}')
    if every is not None and on != "io":
        raise InputError(f'every={every} is for tasks with on="io"; write the file in a task of its own')
    if rows and on == "io":
        raise InputError('a task with on="io" is not divided into ranges of rows; omit rows=True')


def host_body(function, arguments, floats):
    """Returns a function of the range of rows, or of nothing, that calls `function`. floats: arguments to be passed as floats."""
    if not any(floats):
        return lambda *rows: function(*rows, *arguments)
    return lambda *rows: function(*rows, *[float(a[0]) if is_float else a for a, is_float in zip(arguments, floats)])


def device_body(function, arguments):
    """Returns a function of the address of a stream, and of the range of rows where there is one, that calls `function`."""

    def call(stream, *rows):
        with current_stream(stream):
            function(*rows, *arguments)

    return call
