"""States and sources as functions of arrays: the checks between the user's functions and the solver."""
import contextlib
import functools
import inspect
import sys
from collections.abc import Mapping

import numpy

from .errors import InputError

_STATE = {"density": 1, "velocity": 3, "pressure": 1}
_ROW = numpy.dtype([("density", float), ("velocity", float, 3), ("pressure", float)])  # a state in a structured array
_SOURCE = {"density": 1, "momentum": 3, "energy": 1}


class OnDevice:
    """A function that on_device() has marked."""

    def __init__(self, function):
        self.function = function
        functools.update_wrapper(self, function)

    def __call__(self, *arguments):
        return self.function(*arguments)


def on_device(function):
    """Marks a function of arrays in the memory of a GPU, to be passed as an initial state, a boundary state or a source.

        @weft.flow.on_device
        def heater(x, t, state, rates):
            x, density = cupy.asarray(x), cupy.asarray(state["density"])
            cupy.asarray(rates["energy"])[:] = cupy.where(x[:, 0] > 1, 0.5 * density, 0)

        sim = weft.flow.Simulation(case, source=heater, device="cuda")

    function: takes the arguments of such a function of numpy arrays, (x,), (x, t) or (x, t, state), and one more, into which it
        writes its results and which is 0 before: a dictionary of "density", "velocity" and "pressure" of a state, or "density",
        "momentum" and "energy" of a source. It returns None.

    Arrays are weft.DeviceViews, float64, shapes (n,) and (n, 3), which cupy.asarray(), torch.from_dlpack() and kernels of numba
    take without a copy. Nothing is copied through the host, and the host does not wait: while the function runs, the solver's
    stream is the current one of CuPy and PyTorch, and what it starts in the default stream of CUDA is in order with the solver,
    too. It may keep arrays, which are its own; the next call overwrites all but x.

    Results at time 0 and those that are evaluated once are checked as those of other functions. In later stages they are not: a
    state that is not physical ends the step with a PhysicsError that names the cell. An initial state gives no scalars.

    Returns a function for weft.flow.Simulation and weft.flow.run with device = "cuda"; on the host they raise InputError. Raises
    TypeError for what is no function.
    """
    if not callable(function):
        raise TypeError(f"on_device needs a function, not {type(function).__name__}")
    return OnDevice(function)


def split(sections):
    """Takes the functions out of the sections of a case.

    Returns (sections, initial, boundary, source): the sections with kind = "function" in their places; the functions, wrapped
    so that they return arrays (n, 5), or None; boundary is {zone: (function, whether it depends on the time)}.
    """
    sections = dict(sections)
    initial, source, boundary = None, None, {}
    if callable(sections.get("initial")):
        initial = _wrapped(sections["initial"], "initial", None, _STATE, 1)[0]
        sections["initial"] = {"kind": "function"}
    if callable(sections.get("source")):
        source = _wrapped(sections["source"], "source", None, _SOURCE, 3)[0]
        sections["source"] = "function"
    zones = sections.get("boundary")
    if isinstance(zones, Mapping):
        zones = dict(zones)
        for zone, function in zones.items():
            if callable(function):
                wrapped, count = _wrapped(function, f"boundary.{zone}", zone, _STATE, 2)
                boundary[zone] = (wrapped, count > 1)
                zones[zone] = {"kind": "prescribed", "state": "function"}
        sections["boundary"] = zones
    return sections, initial, boundary, source


def _wrapped(function, key, zone, columns, most):
    """Returns a function of (x, t, state) that calls `function` with as many of them as it takes, checks its result and returns
    it as an array (n, 5); and this number. One that on_device() has marked takes the results and a stream, too."""
    name = getattr(function, "__qualname__", None) or repr(function)
    marked = isinstance(function, OnDevice)
    count = _arguments(function.function if marked else function, name, key, most, marked)

    def error(problem, suggestion):
        where = f"the zone {zone!r}" if zone is not None else key
        failure = InputError(f"{key}: the function {name} of {where} {problem}; {suggestion}")
        failure.problem, failure.suggestion, failure.key, failure.zone = problem, suggestion, key, zone
        return failure

    def call(x, t, rows=None):
        arguments = [x, t]
        if rows is not None:
            arguments.append(rows.view(_ROW)[:, 0])
        try:
            result = function(*arguments[:count])
        except Exception as failure:
            raise error(f"raised {type(failure).__name__}: {failure}", "see the exception above") from failure
        return _values(result, columns, call.scalars, buffer(len(x)), error)

    rows = [numpy.zeros((0, 5))]

    def buffer(n):
        """Returns zeros of the shape (n, 5), in the memory of the last call: the solver copies results at once."""
        if len(rows[0]) != n:
            rows[0] = numpy.zeros((n, 5))
        return rows[0]

    def check(x, t, values):
        """Raises InputError where a value is not finite, or a density or pressure not positive. The solver calls it for such."""
        bad, problem = None, ""
        rows = values[:, :5]
        if not numpy.isfinite(rows).all():
            bad, problem = ~numpy.isfinite(rows).all(axis=1), "gave a value that is not finite"
        elif columns is _STATE and not (rows[:, ::4] > 0).all():
            bad, problem = ~(rows[:, ::4] > 0).all(axis=1), "gave a density or pressure that is not positive"
        if bad is not None:
            i = int(bad.argmax())
            place = ", ".join(f"{c:g}" for c in x[i])
            row = ", ".join(f"{v:g}" for v in rows[i])
            raise error(f"{problem} at ({place}), t = {t:g}: {row}", f"these are {', '.join(columns)}")

    def call_on_device(x, t, state, results, stream):
        try:
            with current_stream(stream):
                result = function(*[x, t, state][:count], results)
        except Exception as failure:
            raise error(f"raised {type(failure).__name__}: {failure}", "see the exception above") from failure
        if result is not None:
            raise error(f"returned a {type(result).__name__}", "write the results into its last argument")

    wrapped = call_on_device if marked else call
    wrapped.key, wrapped.on_device, wrapped.check = key, marked, check
    wrapped.scalars = ()  # names of the scalars of the case, of an initial state
    return wrapped, count


@contextlib.contextmanager
def current_stream(address):
    """Makes a CUDA stream the current one of CuPy and PyTorch, where they are loaded. address: 0 for the host, which has none."""
    with contextlib.ExitStack() as stack:
        cupy, torch = (sys.modules.get(name) if address else None for name in ("cupy", "torch"))
        if cupy is not None:
            stack.enter_context(cupy.cuda.ExternalStream(address))
        if torch is not None and torch.cuda.is_available():
            stack.enter_context(torch.cuda.stream(torch.cuda.ExternalStream(address)))
        yield


def _arguments(function, name, key, most, marked):
    """Returns the number of positional arguments of `function`, 1 to `most`, without the results of a marked one."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a compiled function without a signature
        return most
    count = -1 if marked else 0
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            return most
        positional = parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        if positional and parameter.default is parameter.empty:
            count += 1
    if not 1 <= count <= most:
        last = ", results" if marked else ""
        takes = " or ".join(f"({', '.join(('x', 't', 'state')[:number])}{last})" for number in range(1, most + 1))
        raise InputError(f"{key}: the function {name} takes {count + marked} arguments; define it as a function of {takes}")
    return count


def _values(result, columns, scalars, buffer, error):
    """Returns a result, a dictionary of arrays, a structured array or an array (n, 5), as an array (n, 5), with a column more
    for each scalar if it has any; those that it lacks are NaN. buffer: an array (n, 5), which may become the returned one."""
    n = len(buffer)
    if getattr(getattr(result, "dtype", None), "names", None):
        result = {name: result[name] for name in result.dtype.names}
    if not isinstance(result, Mapping):
        values = _array(result, "result", error)
        if values.shape != (n, 5):
            raise error(f"gave an array of shape {values.shape}, not {(n, 5)}", f"return a dictionary of {', '.join(columns)}")
        return numpy.ascontiguousarray(values)
    widths = {**columns, **dict.fromkeys(scalars, 1)}
    unknown = [key for key in result if key not in widths]
    missing = [key for key in ("density", "pressure") if columns is _STATE and key not in result]
    if unknown or missing:
        problem = f"gave {unknown[0]!r}" if unknown else f"gave no {missing[0]!r}"
        raise error(problem, f"its result has the keys {', '.join(widths)}")
    values = buffer
    if any(name in result for name in scalars):
        values = numpy.full((n, 5 + len(scalars)), numpy.nan)
    values[:, :5] = 0
    column = 0
    for name, width in widths.items():
        if name in result:
            array = _array(result[name], name, error)
            fits = array.shape in ((), (n,)) if width == 1 else array.shape in ((2,), (3,), (n, 2), (n, 3))
            if not fits:
                expected = (n,) if width == 1 else (n, 3)
                raise error(f"gave {name} of shape {array.shape}, not {expected}", "return a value for each point of x")
            if width == 1:
                values[:, column] = array
                if column >= 5 and not numpy.isfinite(array).all():
                    raise error(f"gave a value of {name} that is not finite", "scalars are finite")
            else:
                values[:, column : column + array.shape[-1]] = array
        column += width
    return values


def _array(thing, name, error):
    try:
        return numpy.asarray(thing).astype(float, casting="same_kind", copy=False)
    except (TypeError, ValueError) as failure:
        raise error(f"gave {name} that is no array of numbers: {type(thing).__name__}", "return numpy arrays") from failure
