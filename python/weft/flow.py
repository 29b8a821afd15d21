"""Compressible flow: simulations in memory.

    >>> sim = weft.flow.Simulation("cases/sod.toml", numerics={"cfl": 0.6})
    >>> sim.run(steps=50)
    'steps'
    >>> sim["pressure"].shape
    (400,)

docs/guide/case_reference.md lists all keys of a case; case_reference() returns it.
"""
from __future__ import annotations

import contextlib
import numbers
import os
import warnings
from collections import namedtuple
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy

from . import _cases, _progress, _weft
from ._communicators import communicator, expect_same
from ._functions import on_device
from ._weft import case_reference
from .case import Case, CaseSections
from .errors import InputError

__all__ = ["Simulation", "Step", "case_reference", "on_device", "run"]

_NEVER = 2**63 - 1  # steps
_CONSERVED = {"density": 0, "momentum": slice(1, 4), "energy": 4}  # columns of the state
_PRIMITIVE = {"velocity": slice(1, 4), "pressure": 4}

Step = namedtuple("Step", "step time dt retries")
Step.__doc__ = "One step: its number, the time after it and its length, s, and how often it was repeated."


if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .case import Mesh

_CasePath = Union[str, "os.PathLike[str]", Case, None]


class Simulation:
    """The flow of one case, in memory: no files are written.

    case: a case file, a dictionary of its sections, or None
    mesh: a weft.Mesh, which several simulations may share, or the section [mesh] as a dictionary
    comm: None (all ranks), a weft.Communicator or an mpi4py communicator
    other keyword arguments: sections and keys of the case, which replace those of `case` (weft.case has their types)

    Of these, `initial`, zones in `boundary`, and `source` may be functions of numpy arrays, which the host calls:
        initial(x): the state at the centroids of the owned cells, x, m, shape (n, 3), at time 0; also scalars by their names
        boundary={"zone": f}: f(x) or f(x, t), the state outside the faces of the zone on this rank, of their centroids; f(x) is
            called once, f(x, t) in every stage of a step
        source(x, t, state): the rates of change per volume in the owned cells, in every stage of a step
    States are dictionaries of density, kg/m^3, velocity, m/s, and pressure, Pa (shapes (n,), (n, 3) or (n, 2), and (n,), or one
    value for all points; without a velocity the gas is at rest), or arrays (n, 5). Sources are dictionaries of density,
    kg/(m^3 s), momentum, N/m^3, and energy, W/m^3; what is absent is 0. `state` is a structured array (n,) with the fields
    density, velocity and pressure: state["density"] has shape (n,). Functions may be compiled by numba.
    On a GPU, f(x, t) costs a copy of the states of all boundary faces in each stage, and a source two copies of all cells;
    functions of arrays of the GPU, marked by on_device(), cost none.
    Functions are called where a rank has points, and do not communicate. Where one raises an exception or gives a wrong result,
    all ranks raise an InputError that names the zone and the function; the state is that before the step.

    Construction reads the case, builds the mesh and sets the initial state. Collective.

    Raises InputError with all errors of the case in its attribute `all`, MeshError, IoError, DeviceError or PhysicsError, on
    every rank alike.
    """

    __slots__ = ("__weakref__", "_rank", "_simulation")  # an assignment to anything else is an error

    @_cases.with_sections
    def __init__(
        self,
        case: _CasePath = None,
        *,
        mesh: Union[_weft.Mesh, Mesh, None] = None,
        comm: Any = None,
        **sections: Unpack[CaseSections],
    ) -> None:
        shared = isinstance(mesh, _weft.Mesh)
        ranks = mesh.comm if shared and comm is None else communicator(comm)  # type: ignore[union-attr]
        if mesh is not None and not shared:
            if not isinstance(mesh, dict):
                raise TypeError(f"mesh must be a weft.Mesh or a dictionary, not {type(mesh).__name__}")
            sections = {"mesh": mesh, **sections}  # type: ignore[misc, typeddict-unknown-key]
        if shared and ranks is not mesh.comm:  # type: ignore[union-attr]
            own = mesh.comm  # type: ignore[union-attr]
            if ranks.max(float((ranks.size, ranks.rank) != (own.size, own.rank))):
                raise InputError("the mesh belongs to other ranks than comm; leave out comm, or build the mesh with it")
        if case is None or isinstance(case, dict):
            case = {"stop": {"steps": _NEVER}, **(case or {})}  # run() says when to end
        file, initial, boundary, source = _cases.case_file(case, sections, ranks)
        self._simulation = _weft.Simulation(ranks, file, mesh if shared else None, initial, boundary, source)
        self._rank = ranks.rank

    def step(self, dt_limit=float("inf")):
        """Makes one step of at most `dt_limit` seconds, the smallest of all ranks, and returns it as a Step. Collective.

        Raises InputError unless dt_limit is above 0; PhysicsError on every rank if a state becomes unphysical, naming the cell. The
        values are then the result of the failed step, to look at; time and the number of steps are those before it. restore()
        sets values of an earlier step.
        """
        return Step(*self._simulation.step(dt_limit))

    def run(self, *, until=None, steps=None, residual=None, wall_time=None, callback=None, every=1, progress=None, trace=None):
        """Makes steps until the first of these holds, and returns its name. Collective.

        until: flow time, s, which the last step meets exactly
        steps: number of steps to make, also where `callback` restores an earlier state
        residual: of density, relative to the largest since the start
        wall_time: seconds of this call
        callback: called as callback(sim) after each step whose number is a multiple of `every`; it may call restore()
        progress: whether rank 0 shows a line of progress on stderr; None: where stderr is a terminal or a notebook
        trace: path of a file for what the ranks did when, as of `weft run --trace`: https://ui.perfetto.dev shows it, and
            `weft trace summary` says where the time went

        Without the first four, the case's [stop] says when to end; its `steps` is the number of the last step. Histories have a
        row every output.history_steps steps. An exception of `callback`, or Ctrl-C, on any rank ends the run on all of them after
        the present step. On a GPU, steps are computed up to 256 at a time, for about 0.1 s, and Ctrl-C is noticed after them; a
        callback, rows of histories of the state (forces, probes, monitors, integrals) and `residual` make them fewer, not the
        line of progress.

        Raises InputError if nothing ends the run or the arguments differ between ranks, PhysicsError as step(), IoError before
        the first step if the trace cannot be written.
        """
        limits = {"until": until, "steps": steps, "residual": residual, "wall_time": wall_time}
        for name, limit in limits.items():
            number = numbers.Integral if name == "steps" else numbers.Real
            if limit is not None and (isinstance(limit, bool) or not isinstance(limit, number)):
                raise TypeError(f"{name} must be a {'whole number' if name == 'steps' else 'number'}, not {limit!r}")
        if steps is not None and steps < 0:
            raise InputError(f"a run cannot make {steps} steps; pass a number of at least 0")
        after_step = None
        if callback is not None:
            if not callable(callback):
                raise TypeError(f"callback must be callable, not {type(callback).__name__}")
            after_step = lambda: callback(self)  # noqa: E731
        if isinstance(every, bool) or not isinstance(every, numbers.Integral) or every < 1:
            raise ValueError(f"every must be a whole number of at least 1, not {every!r}")
        agreed = {**limits, "wall_time": wall_time is not None, "callback": callback is not None, "every": every, "trace": trace is not None}
        expect_same(self.mesh.comm, "run()", "\n".join(f"{name}={value}" for name, value in agreed.items()))
        line = _progress.Bar(self, until, steps) if self._rank == 0 and _progress.is_shown(progress) else None
        try:
            with _recording(self.mesh.comm, trace):
                return self._simulation.run(until, steps, residual, wall_time, after_step, every, line and line.show)
        finally:
            if line is not None:
                line.end()

    def __getitem__(self, name):
        """Returns the values of a field in the owned cells, shape (owned,), of vectors (owned, components).

        "density", "momentum", "energy", "velocity" and "pressure" are read-only views of the present state where the flow is
        computed on the host, which later steps change; other fields are computed. `fields` lists the names; scalars have those of
        the case. Collective for fields of gradients ("vorticity", "schlieren").
        """
        if not isinstance(name, str):
            raise TypeError(f"a field has a name, such as sim['pressure'], not {name!r}; sim.fields lists the names")
        if name in _CONSERVED:
            return self.conserved[:, _CONSERVED[name]]
        if name in _PRIMITIVE and not self.on_gpu:
            return self._simulation.primitive[:, _PRIMITIVE[name]]
        return self._simulation.field(name)

    __iter__ = None  # fields have no numbers

    def __contains__(self, name):
        """Returns whether sim[name] is a field."""
        return name in self.fields

    def on_zone(self, name):
        """Returns {"pressure": values, "cp": values} on the faces of a boundary zone of this rank, as the fluxes through them have
        it: shape (faces,) each, in the order of sim.mesh.zones[name]; Pa. Without a free stream that moves there is no "cp".
        Collective.

        Raises InputError for a zone that the mesh does not have.
        """
        return self._simulation.on_zone(name)

    @property
    def fields(self):
        """Names of the fields that sim[name] returns. sim.fields(path) reads a field file of a run on this mesh, of any number of
        ranks: {name: array}, the values in the owned cells, shape (owned,) or (owned, components). Collective."""
        return _Fields(self._simulation)

    @property
    def conserved(self):
        """Density, momentum (3) and total energy per volume of the owned cells: shape (owned, 5), read-only. Where the flow is
        computed on the host, a view of the present state that later steps change; on a GPU, a copy."""
        return self._simulation.conserved

    def on_device(self, name="conserved", readonly=True):
        """Returns a field of the owned cells in the memory of the GPU, without a copy: a weft.DeviceView, read-only, for
        cupy.asarray(), torch.from_dlpack() and other functions.

        name: "conserved", shape (owned, 5); "momentum" or "velocity", shape (owned, 3); "density", "energy" or "pressure", shape
            (owned,)
        readonly: False for libraries that do not import read-only memory, such as PyTorch; the values must not be written

        The view is of the present state. Take it again after a step: the solver alternates between buffers. The elements are
        float64 or float32, as numerics.precision says. Raises DeviceError where the flow is computed on the host.
        """
        return self._simulation.on_device(name, readonly)

    def checkpoint(self, path):
        """Writes the state to a checkpoint, as `weft run` does, which can resume from it. Collective.

        restore() continues from it on any number of ranks, and on the same number bitwise as an uninterrupted run.

        Raises IoError on every rank.
        """
        self._simulation.write_checkpoint(os.fspath(path))

    def restore(self, state, time=0.0, step=0):
        """Sets the state. Histories begin again. Collective.

        state: a checkpoint, or the results folder that holds one, with its time, number of steps and scalars; or the conserved
            variables of the owned cells, shape (owned, 5), in which case scalars keep their values
        time, step: of such an array, the time, s, and the number of steps

        Raises InputError for another shape or other scalars, IoError for a checkpoint that cannot be read or is of another mesh,
        PhysicsError for an unphysical state: after these the simulation has the state that it had. PhysicsError, too, for a state
        far outside those of the start and the boundaries, which the simulation then has.
        """
        if isinstance(state, (str, os.PathLike)):
            path = os.fspath(state)
            return self._simulation.read_checkpoint(os.path.join(path, "checkpoint.h5") if os.path.isdir(path) else path)
        try:
            values = numpy.asarray(state).astype(float, order="C", casting="same_kind", copy=False)
        except (TypeError, ValueError) as failure:
            raise TypeError(f"a state is a path or an array of numbers, shape (owned, 5), not {type(state).__name__}: {failure}") from None
        return self._simulation.restore(values, time, step)

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

    @property
    def monitors(self):
        """History of each monitor of the case: {name: {column: array}}, a column for each of its quantities."""
        return self._simulation.monitors

    @property
    def integrals(self):
        """History of the integrals of the conserved variables over the domain: {column: array}, a row every output.history_steps
        steps if output.integrals is true. totals() returns those of the present state."""
        return self._simulation.integrals

    def totals(self):
        """Returns the integrals of density, momentum (3) and energy over the domain, kg, kg m/s and J (in 2-D per metre), shape
        (5,). Collective."""
        return self._simulation.totals()

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


class _Fields(list):
    """Names of fields; called with the path of a field file, the fields in it."""

    def __init__(self, simulation):
        super().__init__(["momentum", "energy", *simulation.field_names()])
        self._simulation = simulation

    def __call__(self, path):
        return self._simulation.read_fields(os.fspath(path))


@_cases.with_sections
def run(
    case: _CasePath = None,
    *,
    overwrite: bool = False,
    resume: bool = False,
    accept_changes: bool = False,
    comm: Any = None,
    progress: Optional[bool] = None,
    trace: Union[str, os.PathLike[str], None] = None,
    **sections: Unpack[Case],
) -> dict[str, Any]:
    """Runs a case and leaves its results in its folder, as `weft run` does. Collective.

    case, comm, other keyword arguments: as of Simulation
    overwrite: replaces a run that is in the folder
    resume: continues the run that is in the folder; accept_changes: even where changed keys change the physics
    progress, trace: as of Simulation.run

    Returns a dictionary: reason (why it ended), steps, time, cells, residual, forces by name, verdict (text), good (whether the
    verdict is), folder, wall_seconds, cell_residuals_per_second. Ctrl-C ends the run with a checkpoint, from which resume
    continues, and raises KeyboardInterrupt. SIGTERM, SIGUSR1 and SIGHUP take effect after such a checkpoint, too.

    Raises InputError with all errors of the case in `all`, MeshError, IoError, DeviceError or PhysicsError on every rank alike.
    """
    ranks = communicator(comm)
    line = _progress.Line() if ranks.rank == 0 and _progress.is_shown(progress) else None

    def report(event, what):
        if event == "stopped":
            return interrupt.arrived is not None
        if event == "warning" and ranks.rank == 0:
            warnings.warn(what, stacklevel=2)
        if event != "progress" or line is None:
            return
        line.show(_progress.facts(*what))  # step, time, residual, fraction, seconds left

    try:
        file, initial, boundary, source = _cases.case_file(case, sections, ranks)
        with _recording(ranks, trace), _progress.Interrupt() as interrupt:
            return _weft.run_case(ranks, file, overwrite, resume, accept_changes, initial, boundary, source, report)
    finally:
        if line is not None:
            line.end()


@contextlib.contextmanager
def _recording(comm, path):
    """Writes a trace of the statements in it to a file; None: does nothing. Collective."""
    recording = None if path is None else _weft.TraceRecording(comm, os.fspath(path))
    try:
        yield
    finally:
        if recording is not None:
            recording.end()
