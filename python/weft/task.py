"""Task graphs: functions of arrays that state what they read and write; the graph communicates and copies.

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
from collections.abc import Mapping

from . import _weft
from ._pretended import PretendedRows, rows_of
from ._task_bodies import check_place, device_body, host_body
from ._weft import TaskDryPlan as DryPlan
from ._weft import TaskNumber as Number
from ._weft import TaskTrace as Trace
from .errors import ContractError, Error, InputError

__all__ = ["DryPlan", "Graph", "Number", "Plan", "PretendedRows", "Trace", "without"]

_VIEWS = {"inner": "all", "border": "all"}  # other parts have a view of the same name

_OWNED = {"inner", "border"}
_ROWS = {"all": _OWNED | {"ghosts", "boundary"}, "owned": _OWNED, **{part: {part} for part in ("inner", "border", "ghosts", "boundary")}}


class without(tuple):
    """The rows of a part that are not in a subset, for accesses of tasks: (array, without("owned", "inlet")).

    part: "owned", "boundary", ...
    subset: name of a subset of the array
    """

    __slots__ = ()

    def __new__(cls, part, subset):
        return super().__new__(cls, (part, subset))


class Graph:
    """One iteration of a program, as tasks in the order in which they have their meaning.

    comm: None (all ranks), a weft.Communicator or an mpi4py communicator

    Each task is executed after those before it that it depends on, with ghost rows up to date: the results are those of
    executing one after the other. Every rank records the same arrays, numbers and tasks in the same order. Arrays are weft.Arrays
    with the backend "host", "cuda" or "mirror"; they can be neither closed nor resized while a plan exists. Where a task needs
    rows whose values are on the other side, the plan copies them, and afterwards the arrays know on which side their rows are.
    """

    def __init__(self, comm=None):
        self._graph = _weft.TaskGraph(comm)
        self._ids = {}  # by id() of the array or number
        self._kept = []  # keeps those ids
        self._names = {}  # names of arrays, by their number
        self._tasks = []  # (method that adds it, name, accesses, ..., body)
        self._costs = {}  # by name of a task
        self._subsets = set()  # (number of the array, name)

    def array(self, array, name=None, inner=0):
        """Adds a weft.Array, which task() does by itself with these defaults. Returns the array.

        name: in messages and plans; "array 0", "array 1", ... by default
        inner: number of the first owned rows that tasks with rows=True compute without ghost rows (mesh.cells.inner)

        Raises ContractError for an array that was added before, whose sides share memory ("cuda_managed", "cuda_mapped"), or with
        fewer owned rows than `inner`.
        """
        if not isinstance(array, _weft.Array):
            raise InputError(f"a task cannot access a {type(array).__name__}; pass weft.Arrays and numbers of the graph")
        title = name or f"array {len(self._ids)}"
        number = self._graph.add_array(array, title, inner)
        self._kept.append(array)
        self._ids[id(array)] = number
        self._names[number] = title
        return array

    def add_subset(self, array, name, rows):
        """Adds a named subset of the owned and boundary rows of an array, which tasks access as (array, name), and the other rows
        as (array, without("owned", name)). Every rank adds the same subsets, with its own rows, or none.

        array: a weft.Array
        name: of the subset, in accesses and plans; none of a part
        rows: numbers of rows, ascending and each once; or a slice, or a list of slices

        Tasks that access subsets without common rows do not wait for each other, and a change of rows of which no rank has copies
        causes no exchange. Subsets may overlap.

        Raises ContractError if the array has a subset of this name. compile() raises ContractError on every rank for rows that
        are not ascending, ghost rows, and rows that the array does not have.
        """
        number = self._number_of(array)
        slices = [rows] if isinstance(rows, slice) else rows
        if isinstance(slices, (list, tuple)) and slices and all(isinstance(s, slice) for s in slices):
            if any(s.start is None or s.stop is None or s.step not in (None, 1) for s in slices):
                raise InputError(f"subset '{name}' has a slice without a begin or an end, or with a step; use slice(begin, end)")
            self._graph.add_subset_of_intervals(number, name, [(s.start, s.stop) for s in slices])
        else:
            self._graph.add_subset(number, name, rows)
        self._subsets.add((number, name))

    def number(self, value=0.0, name=None, backend="host"):
        """Adds a number, such as a time step, with this value, and returns it as a Number: equal on all ranks, except while tasks
        reduce into it.

        name: in messages and plans; "number 0", ... by default
        backend: that of the arrays, for a number that tasks on the device access, too

        Raises InputError for another backend, ContractError for one that differs from that of data added before."""
        number = Number(value, backend)
        self._ids[id(number)] = self._graph.add_number(number, name or f"number {len(self._ids)}")
        self._kept.append(number)
        return number

    def task(self, reads=(), writes=(), reads_writes=(), reduces=(), *, rows=False, on="host", every=None, name=None):
        """Returns a decorator that adds a function as a task.

        reads: arrays, (array, part) or numbers. An array is passed as a read-only view of all its rows, or of the part: "owned",
            "ghosts", "boundary"; for "inner" and "border" a view of all rows, as for the name of a subset that add_subset() has
            added, and for without(part, subset). A number is passed as a float
        writes: arrays (part "owned") or (array, part), every row of which is overwritten, and none read; or numbers
        reads_writes: the same, for rows that are read and changed; in `reads` and `writes` an array has different rows
        reduces: (array, op) or (number, op) with op "add", "min" or "max": the function combines values with all rows of the
            view, and the ghost rows are combined with their owned rows on other ranks; numbers are combined over all ranks. Ghost
            rows and numbers begin with the value that changes nothing (0, inf, -inf)
        rows: the function takes a slice of the owned rows as its first argument and computes only these rows of what it writes:
            the first `inner` rows of the arrays may be computed while ghost rows travel
        on: "host"; "device" for a function that starts its work on the device of the arrays and does not wait for it; or "io" for
            one that writes data to files while the other tasks go on
        every: with on="io", the function is called in one of so many iterations, 1 by default
        name: in messages and plans; the name of the function by default

        The arguments of the function are views in the order of the lists. They are made once: nothing is copied. Numbers that are
        not only read are arrays of shape (1,). Views hold the rows of the array that this rank has, (rows,) or (rows, width).
        The function must access nothing else of the graph and must not call functions of weft that communicate. Functions
        compiled by numba with nogil=True run without Python's lock, also several at the same time.

        On the device, views are weft.DeviceViews, also those of numbers, shape (1,); all are writable, since PyTorch imports no
        others. cupy.asarray(view), torch.from_dlpack(view) and kernels of numba.cuda take them without a copy; of a mirror,
        np.from_dlpack(view). While the function runs, weft.stream() is the stream of the task, and the current one of CuPy and
        PyTorch (so of Triton); what starts in the default stream of CUDA is in order, too.

        A task for I/O only reads, each array and number once. Its function is called as function(iteration, ...) in a thread of
        the plan: `iteration` is counted from 1 over all runs of the plan, and the arrays are read-only copies of the rows that it
        states, (rows,) or (rows, width) and (offsets, entries) of CSR rows, as they are in its place of the order. Tasks that
        change the data wait for the copy only. The function may keep the arrays. Such functions are called one after the other,
        and two copies are pending at most, a third one waits. run() and repeat_until() wait for all of them, also where another
        task raises an exception: what was copied is written. Python releases its lock while it writes to a file.

        Raises InputError for other arguments, ContractError for arrays and numbers without memory on that side, for rows that are in
        `reads` and `writes`, and for tasks for I/O that do not only read. The decorator returns the function unchanged.
        """
        check_place(on, every, rows)
        accesses, arguments, floats = [], [], []
        for mode, items in (("reads", reads), ("writes", writes), ("reads_writes", reads_writes), ("reduces", reduces)):
            if not isinstance(items, (list, tuple)):
                raise InputError(f"{mode} is a {type(items).__name__}; pass a list")
            for item in items:
                access, view = self._access(mode, item)
                accesses.append(access)
                number, *_, subset = access
                if on == "io":
                    if any(other == number and (subset or named) for other, *_, named in accesses[:-1]):
                        raise InputError("a task for I/O reads an array twice; add a subset with all the rows, or another task")
                    continue
                arguments.append(self._graph.view(number, view, on, mode != "reads"))
                floats.append(number not in self._names and mode == "reads" and on == "host")

        def add(function):
            if not callable(function):
                raise InputError(f"a {type(function).__name__} is not a function")
            title = name or getattr(function, "__name__", "task")
            self._expect_one_view(title, accesses)
            if on == "io":
                self._add_io_task(title, accesses, 1 if every is None else every, function)
            else:
                body = host_body(function, arguments, floats) if on == "host" else device_body(function, arguments)
                self._add_task(title, accesses, rows, on, body)
            return function

        return add

    def set_cost(self, task, seconds):
        """States how long the function of a task takes, s, above 0: of the tasks that are ready, those are executed first after
        which the longest time remains. Tasks without a cost count as 0 s. Useful with several threads and functions that release
        the lock of Python.

        Raises ContractError if there is no task of this name, or for another number of seconds.
        """
        self._graph.set_cost(task, seconds)
        self._costs[task] = seconds

    def add_graph(self, name, other):
        """Adds the tasks that another graph has now, in this place of the order, as if they were recorded here.

        name: their names become "name/task", and those of arrays and numbers that this graph does not have "name/array"
        other: a Graph of the same ranks, which may be added several times, also to several graphs, and extended afterwards

        Arrays and numbers that both graphs have are shared, and so are subsets of the same name of such an array.

        Raises ContractError for this graph itself, a graph of another communicator or with closed arrays, and an array that the
        graphs have with different numbers of inner rows or with a subset of the same name with other rows.
        """
        if not isinstance(other, Graph):
            raise InputError(f"a {type(other).__name__} is not a graph; pass a weft.task.Graph")
        numbers = self._graph.add_data_of(name, other._graph)
        for data in other._kept:
            if id(data) not in self._ids:
                theirs = other._ids[id(data)]
                self._ids[id(data)] = numbers[theirs]
                self._kept.append(data)
                if theirs in other._names:
                    self._names[numbers[theirs]] = f"{name}/{other._names[theirs]}"
        self._subsets.update((numbers[data], subset) for data, subset in other._subsets)
        for add, task, accesses, *form in list(other._tasks):
            add(self, f"{name}/{task}", [(numbers[data], *access) for data, *access in accesses], *form)
        for task, seconds in list(other._costs.items()):
            self.set_cost(f"{name}/{task}", seconds)

    def compile(self, threads=1, check=False, record=False):
        """Returns a Plan: the tasks, with the communication that they need. The graph may be extended afterwards. Collective.

        threads: threads that execute tasks, with the calling one
        check: for debugging: run() raises ContractError where a task reads or writes rows that it does not state, naming them.
            One thread executes the tasks, and all data are copied for each
        record: the second iteration records the work of tasks on a GPU as CUDA graphs, and further iterations launch these
            without calling the functions, which must then not allocate (cupy.add(a, b, out=c), kernels of one's own), not use the
            default stream, and not depend on what changes but in arrays and numbers

        Raises ContractError on every rank for impossible accesses; CommError if the ranks recorded different tasks, naming the
        first difference.
        """
        functions = [body for *_, body in self._tasks]
        return Plan(self._graph.compile(threads, check, record), functions, list(self._kept), dict(self._ids))

    def dry(self, ranks, rows):
        """Returns a DryPlan: what compile() would do on one of any number of ranks that need not exist, with messages, bytes and
        memory counted. The graph is recorded as ever, also on one rank with arrays of few rows. No function of a task is called
        and nothing communicates, so that each rank may pretend something else.

        ranks: number of pretended ranks
        rows: the PretendedRows of all arrays; or a dictionary of them by array; or a function of an array that returns them,
            which is called once for each array of the graph

            block = weft.task.PretendedRows(owned=512, inner=216, others_have_inner=True, others_have_ghosts=True,
                                            neighbours={7: (64, 64), 9: (64, 64)})
            print(g.dry(65536, block).text())

        The time that it takes does not depend on the number of ranks. Raises InputError for arguments of another kind;
        ContractError for impossible rows or accesses, for arrays of one plan with different neighbours, for closed or resized
        arrays and for those with CSR rows, whose sizes on other ranks are not known. An exception of the function is raised
        unchanged.
        """
        if not isinstance(rows, (PretendedRows, Mapping)) and not callable(rows):
            raise InputError(f"rows is a {type(rows).__name__}; pass PretendedRows, a dictionary by array or a function of an array")
        by_number = {}
        for data in list(self._kept):
            number = self._ids[id(data)]
            if number in self._names:
                by_number[number] = rows_of(rows, data, self._names[number])
        return self._graph.dry(ranks, by_number)

    def _access(self, mode, item):
        """Returns the access of an item of the list `mode`, (number of the data, mode, part, op, subset), and the part that is
        viewed."""
        data, choice = item if isinstance(item, tuple) else (item, None)
        if mode == "reduces" and choice is None:
            raise InputError('reduces needs operations: reduces=[(array, "add")]')
        op = choice if mode == "reduces" else "add"
        part = choice if choice is not None and mode != "reduces" else "owned" if mode.endswith("writes") else "all"
        number = self._number_of(data)
        part, subset = part if isinstance(part, without) else ("", part) if (number, part) in self._subsets else (part, "")
        view = "all" if subset else _VIEWS.get(part, part)
        return (number, mode, "all" if isinstance(data, Number) else part, op, subset), view

    def _add_task(self, name, accesses, rows, on, body):
        self._graph.add_task(name, accesses, rows, on)
        self._tasks.append((Graph._add_task, name, accesses, rows, on, body))

    def _add_io_task(self, name, accesses, every, body):
        self._graph.add_io_task(name, accesses, every)
        self._tasks.append((Graph._add_io_task, name, accesses, every, body))

    def _expect_one_view(self, title, accesses):
        """Raises ContractError if a task reads rows of an array that it says to overwrite without reading them."""
        read = {}
        for number, mode, part, _, subset in accesses:
            if mode == "reads" and not subset:
                read[number] = read.get(number, set()) | _ROWS.get(part, set())
        for number, mode, part, _, subset in accesses:
            if mode == "writes" and not subset and read.get(number, set()) & _ROWS.get(part, set()):
                what = f"'{self._names[number]}'" if number in self._names else "a number"
                raise ContractError(
                    f"task '{title}' has {what} in reads and in writes, which are overwritten without being read; "
                    'list it in reads_writes alone, or read other rows of it, such as reads=[(array, "ghosts")]'
                )

    def _number_of(self, data):
        if id(data) not in self._ids:
            if isinstance(data, Number):
                raise InputError("the number belongs to another graph; create it with number() of this one")
            self.array(data)
        return self._ids[id(data)]


class Plan:
    """A compiled graph. Graph.compile() creates it."""

    def __init__(self, plan, functions, kept, ids):
        self._plan, self._functions, self._kept, self._ids = plan, functions, kept, ids

    def run(self, iterations=1, trace=None, stream=None):
        """Executes iterations; ghost rows are taken to be out of date at the beginning. Collective.

        iterations: 0 or more
        trace: a Trace that receives what was executed when
        stream: with arrays of a GPU, the run follows the work in this stream, by default that of CUDA. It ends when all its work
            has completed

        Python's lock is released; bodies take it. If a body raises an exception, the tasks that remain are not executed on that
        rank; then every rank raises a ContractError that names the task, and on its rank __cause__ is the exception. The arrays
        have undefined values.
        """
        self._guard(lambda: self._plan.run(iterations, self._functions, trace, stream))

    def repeat_until(self, number, condition, most, trace=None, stream=None):
        """Executes iterations until condition(value) is true of a number of the graph, on the host, after one of them, or `most`
        iterations. Collective.

        Returns (iterations, fulfilled). Raises ContractError on every rank if the condition holds on some ranks only; as run(),
        also for exceptions of `condition`.
        """
        if id(number) not in self._ids or not isinstance(number, Number):
            raise InputError("the condition needs a number of the graph; Graph.number() creates it")
        if number.backend != "host":
            raise InputError('the condition is on a number with a device side; copy it to one with backend="host" in a task')
        functions = [*self._functions, condition]
        return self._guard(lambda: self._plan.repeat_until(self._ids[id(number)], most, functions, trace, stream))

    def close(self):
        """Ends the plan. Needed before arrays of a GPU are freed that ranks on one machine exchange: without it their memory is
        kept until the end of the process. Collective."""
        self._plan.close()

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

    def svg(self):
        """Returns a picture of an iteration as SVG, which notebooks show for a plan: from left to right what waits for what, in
        rows for the threads, MPI and the streams of a device. Titles of inserted nodes are the reasons."""
        return self._plan.svg()

    _repr_svg_ = svg

    def json(self):
        """Returns the nodes of the first and of each further iteration as JSON text."""
        return self._plan.json()
