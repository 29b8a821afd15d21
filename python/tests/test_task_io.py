"""weft.task: tasks that write data to files while other tasks go on."""
import errno
import gc
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest
from conftest import ENV, ROOT

import weft

N = 6  # rows per rank


@pytest.fixture
def ring(comm):
    """A plan in which each rank has the last row of the rank before it and the first one of the rank after it as ghost rows."""
    first, rows = N * comm.rank, N * comm.size
    return weft.GhostPlan.build(comm, N, [(first - 1) % rows, (first + N) % rows])


class Counting:
    """An array that each iteration increments by 100, after an I/O task has read it."""

    def __init__(self, plan, write, every=None, parts="owned", **options):
        self.u = weft.Array(plan, **options)
        self.u.owned[:] = np.arange(self.u.owned.size).reshape(self.u.owned.shape)
        self.start = self.u.owned.copy()
        self.increments = 0
        self.g = weft.task.Graph(plan.comm)
        self.g.array(self.u, "u", inner=2)
        self.g.task(reads=[(self.u, parts)], on="io", every=every, name="write")(write)

        @self.g.task(reads_writes=[self.u])
        def increment(u):
            u += 100
            self.increments += 1

    def run(self, iterations=1):
        self.g.compile(2).run(iterations)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "uint8"])
@pytest.mark.parametrize("options", [{}, {"width": 3}, {"width": 3, "layout": "soa"}, {"backend": "mirror"}])
def test_the_copies_are_those_of_the_place_in_the_order(comm, ring, dtype, options):
    written = []

    def write(iteration, u):
        time.sleep(0.001)
        assert threading.current_thread() is not threading.main_thread() and not u.flags.writeable
        written.append((iteration, u))

    counting = Counting(ring, write, dtype=dtype, **options)
    counting.run(3)
    assert [iteration for iteration, _ in written] == [1, 2, 3]
    for iteration, u in written:  # the arrays may be kept
        expected = counting.start + np.array(100 * (iteration - 1)).astype(dtype)
        assert u.dtype == dtype and u.shape == counting.start.shape and (u == expected).all()


def test_tasks_that_change_the_data_wait_for_the_copy_only(ring):
    overlapped = []

    def write(iteration, u):
        limit = time.monotonic() + 20
        while iteration == 1 and counting.increments < 2 and time.monotonic() < limit:
            time.sleep(0.001)  # without Python's lock
        overlapped.append(counting.increments >= 2)

    counting = Counting(ring, write)
    counting.run(3)
    assert overlapped[0]


def test_every_counts_the_iterations_of_all_runs(ring):
    iterations = []
    plan = Counting(ring, lambda iteration, u: iterations.append(iteration), every=3).g.compile()
    plan.run(4)
    assert iterations == [3]
    plan.run(5)
    assert iterations == [3, 6, 9]


def test_parts_numbers_and_rows_of_any_length(comm, ring):
    u, seen = weft.Array(ring), {}
    u.owned[:] = ring.ids[:N]
    lengths = 1 + np.arange(N) % 3
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    rows = weft.Array.csr(ring, offsets, np.arange(offsets[-1]) + 0.5)
    g = weft.task.Graph(comm)
    g.array(u, "u", inner=4)
    g.array(rows, "rows", inner=4)
    dt = g.number(0.25, "dt")
    for part, numbers in (("all", ring.ids), ("owned", ring.ids[:N]), ("ghosts", ring.ids[N:]), ("inner", ring.ids[:4]),
                          ("border", ring.ids[4:N]), ("boundary", [])):
        g.task(reads=[dt, (u, part), (rows, part)], on="io", name=part)(
            lambda iteration, *read, part=part: seen.update({part: read}))
        seen[part + " expected"] = numbers
    for array in (u, rows):
        g.add_subset(array, "some", [1, 2, N - 1])
    for name, part, numbers in (("some", "some", [1, 2, N - 1]), ("rest", weft.task.without("owned", "some"), [0, *range(3, N - 1)])):
        g.task(reads=[dt, (u, part), (rows, part)], on="io", name=name)(
            lambda iteration, *read, name=name: seen.update({name: read}))
        seen[name + " expected"] = ring.ids[numbers]
    g.compile().run()
    for part in ("all", "owned", "ghosts", "inner", "border", "boundary", "some", "rest"):
        step, values, (starts, entries) = seen[part]
        assert step == 0.25 and values.tolist() == list(seen[part + " expected"])  # ghost rows were pulled
        own = [row % N for row in seen[part + " expected"]]
        assert np.diff(starts).tolist() == [lengths[row] for row in own] and starts[0] == 0 and starts[-1] == len(entries)
        assert entries.tolist() == [0.5 + k for row in own for k in range(offsets[row], offsets[row + 1])]


@pytest.mark.parametrize("fault", ["raise", "full", "closed"])
def test_an_exception_reaches_all_ranks(comm, ring, shared_path, fault):
    fails, here = [True], comm.rank == comm.size - 1
    path = shared_path / f"{fault}_{comm.rank}"
    file = open(path, "wb")

    def write(iteration, u):
        if not (fails[0] and here and iteration == 2):
            path.with_suffix(f".{iteration}").write_bytes(u)
        elif fault == "full":
            with open("/dev/full", "wb") as full:
                full.write(u)
        elif fault == "closed":
            file.close()
            file.write(u)
        else:
            raise KeyError("density")

    kinds = {"raise": (KeyError, "KeyError: 'density'"), "full": (OSError, "No space left on device"),
             "closed": (ValueError, "ValueError: write to closed file")}
    counting = Counting(ring, write)
    plan = counting.g.compile(2)
    with pytest.raises(weft.ContractError, match="task 'write': .*" + re.escape(kinds[fault][1])) as caught:
        plan.run(4)
    assert isinstance(caught.value.__cause__, kinds[fault][0] if here else type(None))
    if fault == "full" and here:
        assert caught.value.__cause__.errno == errno.ENOSPC
    assert np.fromfile(path.with_suffix(".1")).tolist() == counting.start.tolist()  # the output before it stays
    fails[0] = False
    plan.run(1)  # the plan remains usable
    file.close()


@pytest.mark.parametrize("fault", ["ctrl-c", "exception"])
def test_an_interrupted_run_loses_no_output(comm, ring, shared_path, fault):
    def write(iteration, u):
        time.sleep(0.02)  # so that outputs are pending when the run is interrupted
        partial = shared_path / f"partial_{fault}_{comm.rank}"
        partial.write_bytes(u)
        os.replace(partial, shared_path / f"{fault}_{comm.rank}_{iteration}")

    def interrupt(u):
        if counting.increments != 4 or comm.rank != comm.size - 1:
            return
        if fault == "exception":
            raise RuntimeError("unphysical")
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)

    counting = Counting(ring, write)
    counting.g.task(reads=[(counting.u, "owned")])(interrupt)
    plan = counting.g.compile()
    with pytest.raises(weft.ContractError, match="task 'interrupt': (KeyboardInterrupt|RuntimeError)"):
        plan.run(100)
    for iteration in range(1, 5):  # every copy that was taken before
        written = np.fromfile(shared_path / f"{fault}_{comm.rank}_{iteration}")
        assert (written == counting.start + 100 * (iteration - 1)).all() and len(written) == N


def test_bodies_do_not_communicate(comm, ring):
    with pytest.raises(weft.ContractError, match="task 'write'.*computes or communicates"):
        Counting(ring, lambda iteration, u: comm.sum(1.0)).run()


def test_a_condition_waits_for_the_outputs(ring):
    written = []

    def write(iteration, n):
        time.sleep(0.01)
        written.append(n)

    g = weft.task.Graph(ring.comm)
    count = g.number()

    @g.task(reads_writes=[count])
    def add(count):
        count[0] += 1

    g.task(reads=[count], on="io", name="write")(write)
    assert g.compile().repeat_until(count, lambda n: n >= 3, most=10) == (3, True)
    assert written == [1.0, 2.0, 3.0]


def test_wrong_arguments(ring):
    u = weft.Array(ring)
    g = weft.task.Graph(ring.comm)

    def write(iteration, u):
        pass

    with pytest.raises(weft.ContractError, match="the I/O task 'write' changes data of the graph"):
        g.task(writes=[u], on="io")(write)
    with pytest.raises(weft.ContractError, match="in every 0-th iteration"):
        g.task(reads=[u], on="io", every=0)(write)
    with pytest.raises(weft.InputError, match='every=5 is for tasks with on="io"'):
        g.task(reads=[u], every=5)
    with pytest.raises(weft.InputError, match="not divided into ranges"):
        g.task(reads=[u], rows=True, on="io")
    with pytest.raises(weft.InputError, match="on='disk' is no place of a task"):
        g.task(reads=[u], on="disk")
    with pytest.raises(TypeError):
        g.task(reads=[u], on="io", every="often")(write)
    g.task(reads=[u], on="io")(write)  # the graph has none of those that were refused
    g.compile().run(2)
    assert [node["name"] for node in json.loads(g.compile().json())["repeated"]["nodes"]] == ["write"]
    g.task(reads=[(u, "owned"), (u, "ghosts")], on="io", name="again")(write)
    with pytest.raises(weft.ContractError, match="'again' and 'array 0': is listed twice"):
        g.compile()


def test_functions_and_copies_are_collected(ring):
    class Write:
        def __call__(self, iteration, u):
            self.u = u

    write = Write()
    counting = Counting(ring, write)
    counting.run(2)
    kept, gone = write.u, weakref.ref(write)
    del write, counting
    gc.collect()
    assert gone() is None and kept.tolist() == [100.0 + i for i in range(N)]


def test_the_example_writes_every_output(comm, tmp_path):
    if comm.size > 1:
        pytest.skip("starts jobs of its own")
    path = ROOT / "examples" / "python" / "task_output.py"
    assert len(path.read_text().splitlines()) < 100
    for ranks in (1, 2, 3):
        run = subprocess.run(["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), sys.executable, str(path),
                              str(tmp_path)], capture_output=True, text=True, timeout=120, env=ENV)
        assert run.returncode == 0, run.stderr
        outputs = re.findall(r"^step (\d+): 1024 cells, heat (\S+) of (\S+), largest (\S+)$", run.stdout, re.M)
        assert [int(step) for step, *_ in outputs] == [10, 20, 30, 40, 50]
        assert all(abs(float(heat) - float(before)) < 1e-9 * float(before) for _, heat, before, _ in outputs)
        largest = [float(value) for *_, value in outputs]
        assert largest == sorted(largest, reverse=True)  # heat flows from warm to cold cells
        assert not list(tmp_path.iterdir())
