"""Task graphs: functions of numpy arrays that state what they read and write; the graph communicates.

    >>> plan = weft.GhostPlan.build(weft.world(), 4, [])
    >>> u, rate = weft.Array(plan), weft.Array(plan)
    >>> u.owned[:] = [1, 2, 3, 4]
    >>> g = weft.task.Graph()
    >>> @g.task(reads=[u], writes=[rate])
    ... def decay(u, rate):
    ...     rate[:] = -0.5 * u[: len(rate)]
    >>> @g.task(reads=[(rate, "owned")], reads_writes=[u])
    ... def advance(rate, u):
    ...     u += rate
    >>> g.compile().run(2)
    >>> u.owned
    array([0.25, 0.5 , 0.75, 1.  ])
"""
from . import _weft
from ._weft import TaskNumber as Number
from ._weft import TaskTrace as Trace
from .errors import Error, InputError

__all__ = ["Graph", "Number", "Plan", "Trace"]

_VIEWS = {"inner": "all", "border": "all"}  # other parts have a view of the same name


class Graph:
    """One iteration of a program, as tasks in the order in which they have their meaning.

    comm: None (all ranks), a weft.Communicator or an mpi4py communicator

    Each task is executed after those before it that it depends on, with ghost rows up to date: the results are those of
    executing one after the other. Every rank records the same arrays, numbers and tasks in the same order. Arrays are weft.Arrays
    with backend="host"; they can be neither closed nor resized while a plan exists.
    """

    def __init__(self, comm=None):
        self._graph = _weft.TaskGraph(comm)
        self._ids = {}  # by id() of the array or number
        self._kept = []  # keeps those ids
        self._functions = []

    def array(self, array, name=None, inner=0):
        """Adds a weft.Array, which task() does by itself with these defaults. Returns the array.

        name: in messages and plans; "array 0", "array 1", ... by default
        inner: number of the first owned rows that tasks with rows=True compute without ghost rows (mesh.cells.inner)

        Raises ContractError for an array that is not on the host, that was added before, or with fewer owned rows than `inner`.
        """
        if not isinstance(array, _weft.Array):
            raise InputError(f"a task cannot access a {type(array).__name__}; pass weft.Arrays and numbers of the graph")
        number = self._graph.add_array(array, name or f"array {len(self._ids)}", inner)
        self._kept.append(array)
        self._ids[id(array)] = number
        return array

    def number(self, value=0.0, name=None):
        """Adds a number, such as a time step, with this value, and returns it as a Number: equal on all ranks, except while tasks
        reduce into it. name: in messages and plans; "number 0", ... by default."""
        number = Number(value)
        self._ids[id(number)] = self._graph.add_number(number, name or f"number {len(self._ids)}")
        self._kept.append(number)
        return number

    def task(self, reads=(), writes=(), reads_writes=(), reduces=(), *, rows=False, name=None):
        """Returns a decorator that adds a function as a task.

        reads: arrays, (array, part) or numbers. An array is passed as a read-only view of all its rows, or of the part: "owned",
            "ghosts", "boundary"; for "inner" and "border" a view of all rows. A number is passed as a float
        writes: arrays (part "owned") or (array, part), every row of which is overwritten, and none read; or numbers
        reads_writes: the same, for rows that are read and changed
        reduces: (array, op) or (number, op) with op "add", "min" or "max": the function combines values with all rows of the
            view, and the ghost rows are combined with their owned rows on other ranks; numbers are combined over all ranks. Ghost
            rows and numbers begin with the value that changes nothing (0, inf, -inf)
        rows: the function takes a slice of the owned rows as its first argument and computes only these rows of what it writes:
            the first `inner` rows of the arrays may be computed while ghost rows travel
        name: in messages and plans; the name of the function by default

        The arguments of the function are views in the order of the lists. They are made once: nothing is copied. Numbers that are
        not only read are arrays of shape (1,). Views hold the rows of the array that this rank has, (rows,) or (rows, width).
        The function must access nothing else of the graph and must not call functions of weft that communicate. Functions
        compiled by numba with nogil=True run without Python's lock, also several at the same time.

        Raises InputError for other arguments. The decorator returns the function unchanged.
        """
        accesses, arguments = [], []
        for mode, items in (("reads", reads), ("writes", writes), ("reads_writes", reads_writes), ("reduces", reduces)):
            if not isinstance(items, (list, tuple)):
                raise InputError(f"{mode} is a {type(items).__name__}; pass a list")
            for item in items:
                data, choice = item if isinstance(item, tuple) else (item, None)
                if mode == "reduces" and choice is None:
                    raise InputError('reduces needs operations: reduces=[(array, "add")]')
                op = choice if mode == "reduces" else "add"
                part = choice if choice is not None and mode != "reduces" else "owned" if mode.endswith("writes") else "all"
                number = self._number_of(data)
                accesses.append((number, mode, "all" if isinstance(data, Number) else part, op))
                if isinstance(data, Number):
                    arguments.append(data if mode == "reads" else data.array)
                else:
                    arguments.append(data.view(_VIEWS.get(part, part), writable=mode != "reads"))

        def add(function):
            if not callable(function):
                raise InputError(f"a {type(function).__name__} is not a function")
            self._graph.add_task(name or getattr(function, "__name__", "task"), accesses, rows)
            self._functions.append(_body(function, arguments))
            return function

        return add

    def compile(self, threads=1, check=False):
        """Returns a Plan: the tasks, with the communication that they need. The graph may be extended afterwards. Collective.

        threads: threads that execute tasks, with the calling one
        check: for debugging: run() raises ContractError where a task reads or writes rows that it does not state, naming them.
            One thread executes the tasks, and all data are copied for each

        Raises ContractError on every rank for impossible accesses; CommError if the ranks recorded different tasks, naming the
        first difference.
        """
        return Plan(self._graph.compile(threads, check), list(self._functions), list(self._kept), dict(self._ids))

    def _number_of(self, data):
        if id(data) not in self._ids:
            if isinstance(data, Number):
                raise InputError("the number belongs to another graph; create it with number() of this one")
            self.array(data)
        return self._ids[id(data)]


def _body(function, arguments):
    """Returns a function of the range of rows, or of nothing, that calls `function`."""
    if not any(isinstance(argument, Number) for argument in arguments):
        return lambda *rows: function(*rows, *arguments)
    return lambda *rows: function(*rows, *[a.value if isinstance(a, Number) else a for a in arguments])


class Plan:
    """A compiled graph. Graph.compile() creates it."""

    def __init__(self, plan, functions, kept, ids):
        self._plan, self._functions, self._kept, self._ids = plan, functions, kept, ids

    def run(self, iterations=1, trace=None):
        """Executes iterations; ghost rows are taken to be out of date at the beginning. Collective.

        iterations: 0 or more
        trace: a Trace that receives what was executed when

        Python's lock is released; bodies take it. If a body raises an exception, the tasks that remain are not executed on that
        rank; then every rank raises a ContractError that names the task, and on its rank __cause__ is the exception. The arrays
        have undefined values.
        """
        self._guard(lambda: self._plan.run(iterations, self._functions, trace))

    def repeat_until(self, number, condition, most, trace=None):
        """Executes iterations until condition(value) is true of a number of the graph after one of them, or `most` iterations.
        Collective.

        Returns (iterations, fulfilled). Raises ContractError on every rank if the condition holds on some ranks only; as run(),
        also for exceptions of `condition`.
        """
        if id(number) not in self._ids or not isinstance(number, Number):
            raise InputError("the condition needs a number of the graph; Graph.number() creates it")
        functions = [*self._functions, condition]
        return self._guard(lambda: self._plan.repeat_until(self._ids[id(number)], most, functions, trace))

    def _guard(self, run):
        """Returns run(); the exception of a body becomes the cause of the error."""
        try:
            return run()
        except Error as error:
            cause = self._plan.take_cause()
            if cause is None:
                raise
            raise error from cause

    def text(self):
        """Returns the nodes of an iteration, what each waits for, and the reason for each inserted one, as text."""
        return self._plan.text()

    def dot(self):
        """Returns the graph of an iteration in the language of Graphviz, for `dot -Tsvg`."""
        return self._plan.dot()

    def json(self):
        """Returns the nodes of the first and of each further iteration as JSON text."""
        return self._plan.json()
