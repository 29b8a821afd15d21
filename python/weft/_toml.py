"""Cases of dictionaries as TOML, the language of case files."""
import math
import os
import re

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+\Z")


def _checked(name):
    if not isinstance(name, str):
        raise TypeError(f"keys of a case are strings, not {type(name).__name__}: {name!r}")
    return name


def _key(name):
    _checked(name)
    return name if _BARE_KEY.match(name) else _text(name)


def _text(value):
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}" for c in escaped) + '"'


def value(thing, where="value"):
    """Returns a value as TOML: booleans, numbers, texts, paths, sequences, dictionaries, and numpy's numbers and arrays.

    Raises TypeError for anything else.
    """
    if hasattr(thing, "tolist"):
        thing = thing.tolist()
    if isinstance(thing, bool):
        return "true" if thing else "false"
    if isinstance(thing, int):
        return str(thing)
    if isinstance(thing, float):
        if math.isnan(thing):
            return "nan"
        if math.isinf(thing):
            return "inf" if thing > 0 else "-inf"
        return repr(thing)
    if isinstance(thing, (str, os.PathLike)):
        return _text(os.fspath(thing))
    if isinstance(thing, (list, tuple)):
        return "[" + ", ".join(value(item, where) for item in thing) + "]"
    if isinstance(thing, dict):
        return "{" + ", ".join(f"{_key(k)} = {value(v, f'{where}.{k}')}" for k, v in thing.items()) + "}"
    raise TypeError(f"{where}: a case cannot hold {type(thing).__name__}; pass numbers, texts, lists or dictionaries")


def document(case, path=()):
    """Returns a dictionary of sections as TOML. Values of None are left out."""
    lines, sections = [], []
    for name, thing in case.items():
        if thing is None:
            continue
        if isinstance(thing, dict):
            sections.append((name, thing))
        else:
            lines.append(f"{_key(name)} = {value(thing, '.'.join((*path, str(name))))}")
    if path and (lines or not sections):
        lines.insert(0, "[" + ".".join(_key(p) for p in path) + "]")
    for name, section in sections:
        lines.append(document(section, (*path, name)))
    return "\n".join(lines) + "\n"


def overrides(case, path=()):
    """Returns the keys of nested dictionaries as overrides, "section.key=value"."""
    all_keys = []
    for name, thing in case.items():
        _checked(name)
        if isinstance(thing, dict):
            all_keys += overrides(thing, (*path, name))
        elif thing is not None:
            key = ".".join(_key(part) for part in (*path, name))
            all_keys.append(f"{key}={value(thing, key)}")
    return all_keys
