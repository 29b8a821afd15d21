"""Rows of arrays on ranks that need not exist, for dry runs of task graphs."""
import dataclasses
import operator
from collections.abc import Mapping

from .errors import InputError

_MOST_ROWS = 2**31 - 1


@dataclasses.dataclass(frozen=True, kw_only=True)
class PretendedRows:
    """Rows of an array on a pretended rank and on its neighbours, for Graph.dry(). Numbers of rows are 0 where none is given.

    owned, inner, boundary: owned rows; those of them that need no ghost rows; rows that no exchange changes
    images: ghost rows that are periodic images of rows of this rank
    neighbours: {rank: (sent, ghosts)}: how many rows of this rank the other one has copies of, and how many of its rows are
        ghost rows of this rank
    inner_is_sent: some rank has copies of inner rows of another one
    others_have_inner, others_have_ghosts: another rank has inner rows, ghost rows
    in_subsets: [(part, subsets, sent), ...]: the sets of rows that some rank has in the same part, "inner", "border" or
        "boundary", and in the same subsets of the graph, a list of names; and whether some rank has copies of such rows of
        another one. Each set once, the same on all pretended ranks. By default those of the rows that this rank has in the
        subsets, of which border rows are sent, and inner rows if inner_is_sent
    """

    owned: int = 0
    inner: int = 0
    boundary: int = 0
    images: int = 0
    neighbours: Mapping = dataclasses.field(default_factory=dict)
    inner_is_sent: bool = False
    others_have_inner: bool = False
    others_have_ghosts: bool = False
    in_subsets: tuple = ()


def rows_of(rows, array, name):
    """Returns what the compiled module takes for an array: a tuple of the fields of its PretendedRows, with checked types.

    rows: PretendedRows, a dictionary of them by array, or a function of an array
    name: of the array in the graph
    """
    if isinstance(rows, Mapping):
        if array not in rows:
            raise InputError(f"rows has no pretended rows of array '{name}'; list every array of the graph")
        rows = rows[array]
    elif not isinstance(rows, PretendedRows):
        rows = rows(array)
    if not isinstance(rows, PretendedRows):
        raise InputError(f"the pretended rows of array '{name}' are a {type(rows).__name__}; return weft.task.PretendedRows")
    numbers = [_number(getattr(rows, field), field, name) for field in ("owned", "inner", "boundary", "images")]
    flags = [bool(getattr(rows, field)) for field in ("inner_is_sent", "others_have_inner", "others_have_ghosts")]
    return (*numbers, *flags, _neighbours(rows.neighbours, name), _sets(rows.in_subsets, name))


def _number(value, field, name):
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number <= _MOST_ROWS:
        problem = f"the pretended rows of array '{name}' have {field}={value!r}"
        raise InputError(f"{problem}; pass a whole number from 0 to {_MOST_ROWS}")
    return number


def _neighbours(neighbours, name):
    """Returns a list of (rank, sent, ghosts)."""
    if not isinstance(neighbours, Mapping):
        raise InputError(f"the neighbours of array '{name}' are a {type(neighbours).__name__}; pass {{rank: (sent, ghosts)}}")
    listed = []
    for rank, counts in neighbours.items():
        if not isinstance(counts, (list, tuple)) or len(counts) != 2:
            raise InputError(f"array '{name}' has {counts!r} for its neighbour {rank!r}; pass {{rank: (sent, ghosts)}}")
        sent, ghosts = counts
        listed.append((_number(rank, "a rank", name), _number(sent, "sent", name), _number(ghosts, "ghosts", name)))
    return listed


def _sets(sets, name):
    """Returns a list of (part, names of subsets, sent)."""
    if not isinstance(sets, (list, tuple)):
        raise InputError(f"in_subsets of array '{name}' is a {type(sets).__name__}; pass a list of (part, subsets, sent)")
    listed = []
    for each in sets:
        part, subsets, sent = each if isinstance(each, (list, tuple)) and len(each) == 3 else (None, None, None)
        is_list = isinstance(subsets, (list, tuple)) and all(isinstance(subset, str) for subset in subsets)
        if not isinstance(part, str) or not is_list:
            raise InputError(f"in_subsets of array '{name}' has {each!r}; pass (part, subsets, sent) with a list of names")
        listed.append((part, list(subsets), bool(sent)))
    return listed
