"""The page about a run. Missing files are left out or reported; no content of the folder prevents the page."""
import datetime
import functools

from .errors import PlotError
from .grid import Grid
from .histories import History
from .names import label
from .page import Page, escaped, options, style
from .report_facts import add_case, add_mesh, add_performance, add_provenance, add_verdict
from .report_pictures import add_fields, add_histories, add_walls
from .roofline import add_roofline
from .status import status_of
from .timeline import Trace, add_timeline
from .words import capital, rate, seconds, short, whole

SECTIONS = (add_verdict, add_fields, add_walls, add_histories, add_performance, add_timeline, add_roofline, add_mesh, add_case, add_provenance)


class Report:
    def __init__(self, folder):
        self.folder = folder
        self.status = status_of(folder)
        self.calls = folder.calls()
        self.call = self.calls[-1] if self.calls else {}
        self.mesh = folder.record.get("mesh") or {}
        self.name = folder.case.get("title") or folder.path.resolve().name
        self.page = Page(f"{self.name}: {self.status.word}")
        self.notes = []  # files that could not be used, and why
        self.view = options()  # view of the fields: the window around the bodies, and in 3-D the section

    def html(self):
        with style():
            for add_section in SECTIONS:
                add_section(self)
            self.header()
        return self.page.html()

    def read(self, path):
        try:
            return Grid(path)
        except PlotError as error:
            self.notes.append(str(error))
            return None

    @functools.cached_property
    def trace(self):
        """The trace in the folder, or None."""
        path = self.folder.path / "trace.json"
        if not path.exists():
            return None
        try:
            return Trace(path)
        except PlotError as error:
            self.notes.append(str(error))
            return None

    def first_and_last(self, files):
        """(step, grid) of the first and of the last file that can be read, which may be the same."""
        found = []
        for steps in (sorted(files), sorted(files, reverse=True)):
            for step in steps:
                if found and step == found[0][0]:
                    found.append(found[0])
                    break
                grid = self.read(files[step])
                if grid is not None:
                    found.append((step, grid))
                    break
        return found[:2]

    def drawn(self, make, caption, seen, titles=False):
        """[(figure, caption, alternative text)], or nothing where it cannot be drawn."""
        try:
            figure = make()
        except PlotError as error:
            self.notes.append(str(error))
            return []
        if not titles:  # the caption says it
            figure.axes[0].set_title("")
            figure.suptitle("")
        return [(figure, capital(caption), seen)]

    def header(self):
        call, case = self.call, self.folder.case
        self.page.sections, sections = [], self.page.sections  # sections that are added now precede them
        self.page.add(f"<h1>{escaped(self.name)}</h1>")
        self.page.add(f'<p class="status"><span class="badge {self.status.kind}">{self.status.word}</span> <span>{escaped(self.status.text)}</span></p>')
        last = self.last_forces()
        self.page.facts([
            ("cells", whole(self.mesh.get("cells"))),
            ("step", whole(call.get("step"))),
            ("time", "" if case.get("numerics", {}).get("local_time_step") else short(call.get("time"))),
            ("ranks", whole(call.get("ranks"))),
            ("computed on", {"host": "CPU", "cuda": "GPU"}.get(call.get("device"), call.get("device"))),
            ("wall clock, this call", seconds(call.get("seconds", {}).get("wall"))),
            ("cell-residuals a second", rate(call.get("cell_residuals_per_second"))),
            *last], "key")
        for note in dict.fromkeys(self.notes):
            self.page.text(note, "note")
        made = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
        self.page.text(f"Results in {self.folder.path.resolve()}; this page was made {made}.", "soft")
        self.page.sections = sections

    def last_forces(self):
        try:
            forces = History(self.folder.path / "forces.csv")
        except PlotError:
            return []
        shown = ("_cd", "_cl", f"_{self.pitching()}")
        return [(label(name), f"{forces.table[-1, i]:.5g}") for i, name in enumerate(forces.header) if name.endswith(shown)][:6]

    def pitching(self):
        """Returns the column of the moment about the axis that is perpendicular to the stream and to the lift."""
        return "cmy" if self.folder.case.get("free_stream", {}).get("lift_axis") == "z" else "cmz"

    def sign_of_moments(self):
        name = self.pitching()
        nose = "up" if name == "cmy" else "down"
        return (f"Moments are right-handed about the axes of the mesh, through moment_centre: a positive {label(name)} turns the nose {nose} "
                f"(x downstream, {'z' if name == 'cmy' else 'y'} up).")
