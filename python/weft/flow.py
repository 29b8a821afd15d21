"""Compressible flow: simulations in memory.

    sim = weft.flow.Simulation("case.toml", numerics={"cfl": 0.6})
    sim.run(steps=500)
    pressure = sim["pressure"]

docs/guide/case_reference.md lists all keys of a case; case_reference() returns it.
"""
import os
import sys
import time
import warnings
from collections import namedtuple

from . import _toml, _weft
from ._communicators import communicator
from ._weft import case_reference

__all__ = ["Simulation", "Step", "case_reference", "run"]

_NEVER = 2**63 - 1  # steps

Step = namedtuple("Step", "step time dt retries")
Step.__doc__ = "One step: its number, the time after it and its length, s, and how often it was repeated."


def _case_file(case, sections, comm):
    """Returns the CaseFile of a path, a dictionary or None, with `sections` on top."""
    overrides = _toml.overrides(sections)
    if case is None or isinstance(case, dict):
        return _weft.case_of_text(_toml.document(case or {}), "case", overrides)
    return _weft.read_case(comm, os.fspath(case), overrides)


class Simulation:
    """The flow of one case, in memory: no files are written.

    case: a case file, a dictionary of its sections, or None
    mesh: a weft.Mesh, which several simulations may share, or the section [mesh] as a dictionary
    comm: None (all ranks), a weft.Communicator or an mpi4py communicator
    other keyword arguments: sections and keys of the case, which replace those of `case`

    Construction reads the case, builds the mesh and sets the initial state. Collective.

    Raises InputError with all errors of the case in its attribute `all`, MeshError, IoError, DeviceError or PhysicsError, on
    every rank alike.
    """

    def __init__(self, case=None, *, mesh=None, comm=None, **sections):
        shared = isinstance(mesh, _weft.Mesh)
        ranks = mesh.comm if shared and comm is None else communicator(comm)
        if mesh is not None and not shared:
            if not isinstance(mesh, dict):
                raise TypeError(f"mesh must be a weft.Mesh or a dictionary, not {type(mesh).__name__}")
            sections = {"mesh": mesh, **sections}
        if not isinstance(case, (str, os.PathLike)):
            case = {"stop": {"steps": _NEVER}, **(case or {})}  # run() says when to end
        self._simulation = _weft.Simulation(ranks, _case_file(case, sections, ranks), mesh if shared else None)
        self._rank = ranks.rank

    def step(self, dt_limit=float("inf")):
        """Makes one step of at most `dt_limit` seconds and returns it as a Step. Collective.

        Raises PhysicsError on every rank if a state becomes unphysical, naming the cell.
        """
        return Step(*self._simulation.step(dt_limit))

    def run(self, *, until=None, steps=None, residual=None, wall_time=None, callback=None, every=1, progress=None):
        """Makes steps until the first of these holds, and returns its name. Collective.

        until: flow time, s, which the last step meets exactly
        steps: number of steps to make
        residual: of density, relative to the largest since the start
        wall_time: seconds of this call
        callback: called as callback(sim) after each step whose number is a multiple of `every`
        progress: whether rank 0 shows a line of progress on stderr; None: where stderr is a terminal or a notebook

        Without the first four, the case's [stop] says when to end. Histories have a row every output.history_steps steps. An
        exception of `callback`, or Ctrl-C, on any rank ends the run on all of them after the present step.

        Raises InputError if nothing ends the run, PhysicsError as step().
        """
        told = None
        if callback is not None:
            if not callable(callback):
                raise TypeError(f"callback must be callable, not {type(callback).__name__}")
            told = lambda: callback(self)  # noqa: E731
        if isinstance(every, bool) or not isinstance(every, int) or every < 1:
            raise ValueError(f"every must be a whole number of at least 1, not {every!r}")
        line = _Line(self, until, steps) if self._rank == 0 and _shows(progress) else None
        if line is not None:
            told, every = line.before(told, every), 1
        try:
            return self._simulation.run(until, steps, residual, wall_time, told, every)
        finally:
            if line is not None:
                line.end()

    def __getitem__(self, name):
        """Returns the values of a field in the owned cells, shape (owned,), of vectors (owned, components).

        "density", "momentum" and "energy" are read-only views of the present state where the flow is computed on the host;
        other fields are computed. `fields` lists the names; scalars have those of the case. Collective for fields of gradients
        ("vorticity", "schlieren").
        """
        if name in ("density", "momentum", "energy"):
            columns = {"density": 0, "momentum": slice(1, 4), "energy": 4}[name]
            return self.conserved[:, columns]
        return self._simulation.field(name)

    @property
    def fields(self):
        """Names of the fields that sim[name] returns."""
        return ["momentum", "energy", *self._simulation.field_names()]

    @property
    def conserved(self):
        """Density, momentum (3) and total energy per volume of the owned cells: shape (owned, 5), read-only. Where the flow is
        computed on the host, a view of the present state that later steps change; on a GPU, a copy."""
        return self._simulation.conserved

    def restore(self, conserved, time=0.0, step=0):
        """Sets the conserved variables of the owned cells, shape (owned, 5), the time, s, and the number of steps. Histories
        begin again. Scalars keep their values. Collective.

        Raises InputError for another shape, PhysicsError for an unphysical state.
        """
        import numpy

        self._simulation.restore(numpy.ascontiguousarray(conserved, dtype=float), time, step)

    @property
    def residuals(self):
        """History of the residuals (root mean square of d(conserved)/dt over all cells): {column: array}, a row every
        output.history_steps steps."""
        return self._simulation.residuals

    @property
    def forces(self):
        """History of each force of the case: {name: {column: array}}. Forces in N, moments in N m, coefficients."""
        return self._simulation.forces

    @property
    def probes(self):
        """History of the state at each probe of the case: {name: {column: array}}."""
        return self._simulation.probes

    def integrals(self):
        """Returns the integrals of the conserved variables over the domain, shape (5,). Collective."""
        return self._simulation.integrals()

    @property
    def mesh(self):
        """The weft.Mesh."""
        return self._simulation.mesh

    @property
    def time(self):
        """Flow time, s."""
        return self._simulation.time

    @property
    def steps(self):
        """Number of steps since the start."""
        return self._simulation.steps

    @property
    def residual(self):
        """Residual of density relative to the largest since the start, as of the last row of `residuals`."""
        return self._simulation.residual

    @property
    def on_gpu(self):
        """Whether the flow is computed on a GPU."""
        return self._simulation.on_gpu

    @property
    def warnings(self):
        """What in the case can be computed but may not be meant."""
        return self._simulation.warnings

    @property
    def case(self):
        """The case with all keys that were read, and their defaults, as TOML."""
        return self._simulation.effective_case

    def __repr__(self):
        if not hasattr(self, "_simulation"):
            return "<weft.flow.Simulation that could not be created>"
        title = self._simulation.title
        return f"<weft.flow.Simulation {title!r}: {self.mesh.global_cells} cells, step {self.steps}, time {self.time:g}>"


def run(case=None, *, overwrite=False, resume=False, accept_changes=False, comm=None, progress=None, **sections):
    """Runs a case and leaves its results in its folder, as `weft run` does. Collective.

    case, comm, other keyword arguments: as of Simulation
    overwrite: replaces a run that is in the folder
    resume: continues the run that is in the folder; accept_changes: even where changed keys change the physics
    progress: as of Simulation.run

    Returns a dictionary: reason (why it ended), steps, time, cells, residual, forces by name, verdict (text), good (whether the
    verdict is), folder, wall_seconds, cell_residuals_per_second. Ctrl-C ends the run with a checkpoint, from which resume
    continues, and raises KeyboardInterrupt.

    Raises InputError with all errors of the case in `all`, MeshError, IoError, DeviceError or PhysicsError on every rank alike.
    """
    ranks = communicator(comm)
    shows = ranks.rank == 0 and _shows(progress)
    width = 0

    def tell(event, what):
        nonlocal width
        if event == "warning" and ranks.rank == 0:
            warnings.warn(what, stacklevel=2)
        if event != "progress" or not shows:
            return
        step, at, residual, fraction, left = what
        text = f"step {step}  time {at:.6g}  residual {residual:.2e}"
        if fraction > 0:
            text = f"{100 * fraction:3.0f} %  {text}"
        if left >= 0:
            text += f"  {left:.0f} s left"
        print("\r" + text.ljust(width), end="", file=sys.stderr, flush=True)
        width = len(text)

    try:
        return _weft.run_case(ranks, _case_file(case, sections, ranks), overwrite, resume, accept_changes, tell)
    finally:
        if width:
            print(file=sys.stderr, flush=True)


def _shows(progress):
    if progress is not None:
        return bool(progress)
    return sys.stderr.isatty() or "ipykernel" in sys.modules


class _Line:
    """A line of progress on stderr, at most five times a second."""

    def __init__(self, sim, until, steps):
        self._sim, self._until = sim, until
        self._first_step, self._first_time, self._began = sim.steps, sim.time, time.monotonic()
        self._last_step = None if steps is None else sim.steps + steps
        self._shown, self._width = 0.0, 0

    def before(self, told, every):
        """Returns a callback that shows the line and calls `told` every `every` steps."""

        def call():
            now = time.monotonic()
            if now - self._shown > 0.2:
                self._shown = now
                self._show(now)
            if told is not None and self._sim.steps % every == 0:
                told()

        return call

    def _show(self, now):
        sim, fraction = self._sim, 0.0
        if self._last_step is not None and self._last_step > self._first_step:
            fraction = (sim.steps - self._first_step) / (self._last_step - self._first_step)
        if self._until is not None and self._until > self._first_time:
            fraction = max(fraction, (sim.time - self._first_time) / (self._until - self._first_time))
        text = f"step {sim.steps}  time {sim.time:.6g}  residual {sim.residual:.2e}"
        if fraction > 0:
            filled = round(20 * min(fraction, 1.0))
            left = (now - self._began) * (1 / fraction - 1)
            text = f"|{'#' * filled}{' ' * (20 - filled)}| {100 * fraction:3.0f} %  {text}  {left:.0f} s left"
        print("\r" + text.ljust(self._width), end="", file=sys.stderr, flush=True)
        self._width = len(text)

    def end(self):
        self._show(time.monotonic())
        print(file=sys.stderr, flush=True)
