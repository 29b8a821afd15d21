"""Progress of runs on stderr, and interrupts."""
import shutil
import signal
import sys
import threading
import time


class Interrupt:
    """Holds back Ctrl-C and the signals by which mpirun and batch systems end jobs to the end of a `with` block, so that a run ends
    with its checkpoint, and KeyboardInterrupt is raised neither in a function of the case nor in a report. The first that arrived
    takes effect then. Handlers that are not Python's own remain."""

    def __init__(self):
        self.arrived = None  # number of the signal
        self._held = {}

    def _note(self, number, _):
        self.arrived = self.arrived or number

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP):
                handler = signal.getsignal(number)
                if handler in (signal.default_int_handler, signal.SIG_DFL):
                    self._held[number] = handler
                    signal.signal(number, self._note)
        return self

    def __exit__(self, kind, *_):
        for number, handler in self._held.items():
            signal.signal(number, handler)
        if self.arrived is not None and kind is None:
            signal.raise_signal(self.arrived)


def is_shown(progress):
    """Returns whether progress is shown: None means where stderr is a terminal or a notebook."""
    if progress is not None:
        return bool(progress)
    ipython = sys.modules.get("IPython")
    notebook = ipython is not None and hasattr(ipython.get_ipython(), "kernel")
    return notebook or sys.stderr.isatty()


def facts(step, at, residual, fraction, left):
    """Returns the parts of a line of progress, pairs of their importance and text.

    at: flow time, s; fraction: of the run, 0 where it is unknown; left: seconds, negative where they are unknown"""
    parts = [(3, f"step {step}  "), (1, f"time {at:.6g}  "), (2, f"residual {residual:.2e}  ")]
    if fraction > 0:
        parts.insert(0, (5, f"{100 * fraction:3.0f} %  "))
    if left >= 0:
        parts.append((4, f"{left:.0f} s left"))
    return parts


def fit(parts, columns):
    """Returns the text of the parts in at most `columns` columns: the least important parts are left out first. None: all of them."""
    parts = list(parts)
    while True:
        text = "".join(part for _, part in parts).rstrip()
        if columns is None or len(text) <= columns:
            return text
        if len(parts) == 1:
            return text[:columns]
        parts.remove(min(parts))


class Line:
    """A line of progress on stderr, which is replaced at most five times a second. It is narrower than the terminal, because the next
    line would not replace one that wraps."""

    def __init__(self):
        self._parts, self._width, self._shown = [], 0, -1.0

    def show(self, parts):
        """Shows parts as of facts()."""
        self._parts = parts
        if time.monotonic() - self._shown > 0.2:
            self._print()

    def _print(self):
        columns = shutil.get_terminal_size().columns - 1 if sys.stderr.isatty() else None
        text = fit(self._parts, columns)
        print("\r" + text.ljust(self._width)[:columns], end="", file=sys.stderr, flush=True)
        self._width, self._shown = len(text), time.monotonic()

    def end(self):
        """Shows the last parts that it was given."""
        if self._parts:
            self._print()
            print(file=sys.stderr, flush=True)


class Bar:
    """The line of progress of a simulation."""

    def __init__(self, sim, until, steps):
        self._sim, self._until = sim, until
        self._first_step, self._first_time, self._began = sim.steps, sim.time, time.monotonic()
        self._last_step = None if steps is None else sim.steps + steps
        self._line = Line()

    def show(self):
        sim, fraction = self._sim, 0.0
        if self._last_step is not None and self._last_step > self._first_step:
            fraction = (sim.steps - self._first_step) / (self._last_step - self._first_step)
        if self._until is not None and self._until > self._first_time:
            fraction = max(fraction, (sim.time - self._first_time) / (self._until - self._first_time))
        if fraction > 0:
            filled = round(20 * min(fraction, 1.0))
            left = (time.monotonic() - self._began) * max(1 / fraction - 1, 0.0)
            bar = (0, f"|{'#' * filled}{' ' * (20 - filled)}| ")
            self._line.show([bar, *facts(sim.steps, sim.time, sim.residual, fraction, left)])
        else:
            self._line.show(facts(sim.steps, sim.time, sim.residual, 0.0, -1.0))

    def end(self):
        self.show()
        self._line.end()
