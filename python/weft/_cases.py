"""Cases from what users pass: files, dictionaries and keyword arguments."""
import inspect
import os
from typing import Any, Callable, TypeVar

from . import _functions, _toml, _weft
from ._communicators import expect_same
from .case import CaseSections

_Function = TypeVar("_Function", bound=Callable[..., Any])


def with_sections(function: _Function) -> _Function:
    """Adds the sections of a case to the signature of a function that takes them, which notebooks complete."""
    signature = inspect.signature(function)
    *others, _ = signature.parameters.values()
    known, keyword = {other.name for other in others}, inspect.Parameter.KEYWORD_ONLY
    names = [name for name in ("mesh", *CaseSections.__annotations__) if name not in known]
    sections = [inspect.Parameter(name, keyword, default=...) for name in names]
    function.__signature__ = signature.replace(parameters=[*others, *sections])  # type: ignore[attr-defined]
    return function


def case_file(case, sections, comm):
    """Returns the CaseFile of a path, a dictionary or None, with `sections` on top; and the functions among them."""
    sections, initial, boundary, source = _functions.split(sections)
    overrides = _toml.overrides(sections)
    if case is None or isinstance(case, dict):
        case, *of_case = _functions.split(case or {})
        initial = initial or (None if "initial" in sections else of_case[0])
        boundary = {zone: f for zone, f in of_case[1].items() if zone not in sections.get("boundary", {})} | boundary
        source = source or (None if "source" in sections else of_case[2])
        text = _toml.document(case)
        expect_same(comm, "the case", "\n".join([text, *overrides]))
        file = _weft.case_of_text(text, "case", overrides)
    elif isinstance(case, (str, os.PathLike)):
        expect_same(comm, "the case", "\n".join([f"the file {os.fspath(case)}", *overrides]))
        file = _weft.read_case(comm, os.fspath(case), overrides)
    else:
        raise TypeError(f"case must be the path of a case file or a dictionary of sections, not {type(case).__name__}")
    return file, initial, boundary, source
