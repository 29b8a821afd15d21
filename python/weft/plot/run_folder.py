"""Runs: the interface that pictures use, and the results folder of a run."""
import json
import re
import tomllib
from pathlib import Path

from .errors import PlotError
from .grid import Grid
from .histories import HISTORIES
from .names import is_si
from .output import warn

MOST_NAMED = 8  # runs in a message
STEP = re.compile(r"(fields|walls)_(\d+)\.(vtkhdf|hdf)")


def step_of(path, kind="fields"):
    match = STEP.fullmatch(path.name)
    return int(match.group(2)) if match and match.group(1) == kind else None


def matches(pattern, name):
    """Whether the name of a zone matches a pattern of a case: * is any text, ? any character."""
    return re.fullmatch("".join({"*": ".*", "?": "."}.get(c) or re.escape(c) for c in pattern), name, re.S) is not None


class Run:
    """A run as pictures see it: its case, its boundary zones, its fields. case: the sections of its case as a dictionary."""

    def __init__(self, case):
        self.case = case
        self.si = is_si(case)

    def zones(self):
        """Names of the mesh's boundary zones, in its order; none where they are not known."""
        raise NotImplementedError

    def wall_grid(self):
        """The Grid of the walls; None without any."""
        raise NotImplementedError

    def bodies(self):
        """Names of the zones whose forces the case asks for, those that match its patterns included."""
        asked = [zone for force in self.case.get("forces", {}).values() for zone in force.get("zones", [])]
        return asked + [zone for zone in self.zones() if zone not in asked and any(matches(pattern, zone) for pattern in asked)]

    def kind_of(self, zone):
        """The boundary condition of a zone: of the section of its name, else of the pattern that it matches; empty without any."""
        sections = self.case.get("boundary", {})
        section = sections.get(zone) or next((each for name, each in sections.items() if matches(name, zone)), {})
        return section.get("kind", "")


class RunFolder(Run):
    """The results folder of a run, as far as it has been written. Reads nothing large: the fields stay in their files."""

    def __init__(self, path):
        self.path = Path(path)
        try:
            files = sorted(self.path.iterdir())
        except OSError as error:
            raise PlotError(f"{path}: cannot be read: {error.strerror}") from None
        self.files = [file for file in files if file.is_file()]
        self.fields, self.walls = ({step_of(file, kind): file for file in self.files if step_of(file, kind) is not None}
                                   for kind in ("fields", "walls"))
        self.histories = [self.path / name for name in HISTORIES if (self.path / name).exists()]
        self.boundary = self.path / "boundary.hdf"
        self.case_file = self.path / "case.toml"
        self.case_text = self._text("case.toml")
        try:
            super().__init__(tomllib.loads(self.case_text or ""))
        except tomllib.TOMLDecodeError:
            super().__init__({})
        try:
            self.record = json.loads(self._text("run.json") or "{}")
        except ValueError:
            self.record = {}
        if not isinstance(self.record, dict):
            self.record = {}

    def _text(self, name):
        try:
            return (self.path / name).read_text(errors="replace")
        except OSError:
            return None

    def holds_a_run(self):
        return bool(self.case_text or self.fields or self.histories)

    def runs_below(self):
        """Returns the names of the folders in this one that hold a run, as those of a sweep do."""
        return sorted(entry.name for entry in self.path.iterdir() if entry.is_dir() and (entry / "case.toml").is_file())

    def calls(self):
        """What each `weft run` on this folder recorded, the last one last."""
        calls = self.record.get("calls")
        return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []

    def zones(self):
        mesh = self.record.get("mesh") or {}
        return [zone["name"] for zone in mesh.get("zones", []) if zone.get("dim") == mesh.get("dim", 0) - 1 and zone.get("elements")]

    def wall_grid(self):
        """The Grid of the last walls file that can be read; None without any."""
        for step in sorted(self.walls, reverse=True):
            try:
                return Grid(self.walls[step])
            except PlotError:
                continue
        return None

    def choose(self, step):
        """The fields of a step, by default the last; None without any."""
        if step is None:
            return self.fields[max(self.fields)] if self.fields else None
        if step not in self.fields:
            raise PlotError(f"{self.path}: has no fields of step {step}; it has {', '.join(map(str, sorted(self.fields))) or 'none'}")
        return self.fields[step]


def last_readable(files):
    """Returns the Grid of the last of {step: file} that can be read, and warns of those after it; None of no files."""
    problem = None
    for step in sorted(files, reverse=True):
        try:
            grid = Grid(files[step])
        except PlotError as error:
            problem = problem or error
            continue
        if problem is not None:
            warn(f"{problem}; drawing {files[step].name} instead")
        return grid
    if problem is not None:
        raise problem
    return None


def grid_of(folder, step):
    """Returns the fields of a step of a folder, by default the last that can be read; None without any."""
    return last_readable(folder.fields) if step is None else Grid(folder.choose(step))


def some_fields(folder, step):
    """Returns the file of the fields of a step of a folder that holds anything to draw; None without any."""
    fields = folder.choose(step)
    if fields is None and not folder.histories:
        refuse_several(folder, "weft plot")
        raise PlotError(f"{folder.path}: has neither fields_<step>.hdf nor residuals.csv; give the results folder of a run")
    return fields


def refuse_several(folder, command):
    """Raises a PlotError that names the runs in a folder which holds no results itself; returns where it holds none."""
    runs = folder.runs_below()
    if not runs:
        return
    shown = ", ".join(runs[:MOST_NAMED]) + (f" and {len(runs) - MOST_NAMED} more" if len(runs) > MOST_NAMED else "")
    raise PlotError(f"{folder.path}: holds no results itself, but {len(runs)} {'folder' if len(runs) == 1 else 'folders'} with results: "
                    f"{shown}; give one of them: {command} {folder.path / runs[0]}")
