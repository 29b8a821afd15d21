"""Misuses, of which each is a Python exception and none a crash.

The table holds what a user may do wrong with objects and functions; wrong cases and arrays are in test_wrong_cases.py,
test_functions.py and test_mesh.py.
"""
import gc
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import ENV

import weft

BOX = {"mesh": {"generator": "box", "nx": 6, "ny": 4}, "boundary": {"*": {"kind": "slip_wall"}}, "numerics": {"cfl": 0.5}}
BOX["initial"] = {"kind": "expression", "density_expression": "1 + 0.1*x"}


@pytest.fixture
def sim():
    return weft.flow.Simulation(BOX)


def mesh():
    return weft.Mesh.generate("box", nx=3, ny=2)


def in_callback(sim, call):
    """Calls `call` in a callback of a run."""
    sim.run(steps=2, callback=lambda s: call(s))


def in_function(call):
    """Calls `call` with the simulation in its source."""
    box = []
    sim = weft.flow.Simulation(BOX, source=lambda x, t, state: call(box[0]) if box else {})
    box.append(sim)
    sim.step()


def assign(thing, name, value):
    setattr(thing, name, value)


def write(array):
    array[...] = 0


def array(**options):
    return weft.Array(mesh().plan, **options)


def closed():
    a = array()
    a.close()
    return a


def under_buffer(call):
    """Calls `call` with an array of which a buffer exists."""
    a = weft.Array(weft.GhostPlan.build(None, 3))
    with memoryview(a):
        call(a)


MISUSES = {
    # Views
    "write to a volume": (lambda s: write(mesh().cells.volume), ValueError),
    "write to conserved values": (lambda s: write(s.conserved), ValueError),
    "write to a density": (lambda s: write(s["density"]), ValueError),
    "make a view writeable": (lambda s: s.conserved.setflags(write=True), ValueError),
    "resize a view": (lambda s: s.conserved.resize((1, 5)), ValueError),
    "assign to a property": (lambda s: assign(s, "conserved", 0), AttributeError),
    "assign to a mesh": (lambda s: assign(s.mesh, "dim", 3), AttributeError),
    "index beyond the cells": (lambda s: s.conserved[s.mesh.cells.owned, 0], IndexError),
    # Buffers
    "close an array under a buffer": (lambda s: under_buffer(lambda a: a.close()), weft.BufferError),
    "resize an array under a buffer": (lambda s: under_buffer(lambda a: a.resize(2)), weft.BufferError),
    "index beyond a buffer": (lambda s: under_buffer(lambda a: memoryview(a)[len(a)]), IndexError),
    "a buffer of a closed array": (lambda s: memoryview(closed()), weft.BufferError),
    "a buffer of an array with a device side": (lambda s: memoryview(array(backend="mirror")), weft.BufferError),
    "a buffer of CSR rows": (lambda s: memoryview(array(kind="csr")), weft.BufferError),
    "a buffer of an array without its constructor": (lambda s: memoryview(weft.Array.__new__(weft.Array)), weft.BufferError),
    # Objects that cannot be made
    "construct a Mesh": (lambda s: weft.Mesh(), TypeError),
    "construct Cells": (lambda s: type(s.mesh.cells)(), TypeError),
    "construct a Communicator": (lambda s: weft.Communicator(), TypeError),
    "use a simulation without its constructor": (lambda s: object.__new__(weft.flow.Simulation).step(), AttributeError),
    "use the solver without its constructor": (lambda s: weft._weft.Simulation.__new__(weft._weft.Simulation).step(1.0), TypeError),
    "copy a solver": (lambda s: __import__("copy").copy(s._simulation), (TypeError, AttributeError)),
    "pickle a simulation": (lambda s: __import__("pickle").dumps(s), (TypeError, AttributeError)),
    "pickle a mesh": (lambda s: __import__("pickle").dumps(s.mesh), TypeError),
    "subclass a Mesh and construct it": (lambda s: type("Mine", (weft.Mesh,), {})(), TypeError),
    # Arguments
    "a mesh as a case": (lambda s: weft.flow.Simulation(s.mesh), TypeError),
    "a number as a case": (lambda s: weft.flow.Simulation(3), TypeError),
    "a number as a field": (lambda s: s[0], TypeError),
    "an unknown field": (lambda s: s["presure"], weft.InputError),
    "a number as a communicator": (lambda s: weft.Mesh.generate("box", comm=0), TypeError),
    "a number as a path": (lambda s: weft.Mesh.read(3), TypeError),
    "a path that holds a null": (lambda s: weft.Mesh.read("a\0b"), (weft.Error, ValueError)),
    "text that is not UTF-8": (lambda s: weft.Mesh.read("\udcff"), (weft.Error, ValueError, TypeError)),
    "a folder as a mesh": (lambda s: weft.Mesh.read("/"), weft.Error),
    "a folder as a case": (lambda s: weft.flow.Simulation("/"), weft.Error),
    "steps beyond 64 bits": (lambda s: s.run(steps=2**80), (TypeError, OverflowError)),
    "a negative time": (lambda s: s.run(until=-1.0) and s.step(-1.0), weft.InputError),
    "a step of NaN seconds": (lambda s: s.step(float("nan")), weft.InputError),
    "a callback that cannot be called": (lambda s: s.run(steps=1, callback=7), TypeError),
    "a callback of two arguments": (lambda s: s.run(steps=1, callback=lambda a, b: None), TypeError),
    "an interval of 0 steps": (lambda s: s.run(steps=1, callback=print, every=0), ValueError),
    "a force that the case does not have": (lambda s: s.forces["x"], KeyError),
    "a width that is no whole number": (lambda s: weft.Array(s.mesh.plan, width=2.5), TypeError),
    "an interval of true": (lambda s: s.run(steps=1, callback=print, every=True), ValueError),
    "a size beyond memory": (lambda s: weft.Mesh.generate("box", nx=10**9, ny=10**9), weft.Error),
    "numbers beyond 64 bits": (lambda s: weft.Mesh.generate("box", nx=2**70), (TypeError, weft.Error, OverflowError)),
    "too much recursion in a case": (lambda s: weft.flow.Simulation(endless()), (RecursionError, weft.Error)),
    "cells of another mesh": (lambda s: s.restore(np.ones((s.mesh.cells.owned + 1, 5))), weft.InputError),
    "a state of complex numbers": (lambda s: s.restore(s.conserved * 1j), (TypeError, ValueError, weft.Error)),
    "a state of objects": (lambda s: s.restore(np.full(s.conserved.shape, None)), (TypeError, ValueError, weft.Error)),
    "a mesh file as a checkpoint": (lambda s: s.restore(__file__), weft.IoError),
    "a text as a field file": (lambda s: s.fields(__file__), weft.IoError),
    "a number as a field file": (lambda s: s.fields(5), TypeError),
    "cells that are negative": (lambda s: weft.Mesh.from_arrays([[0, 0]], {"triangle": [[0, -1, 2]]}), weft.Error),
    "zones that are no faces": (
        lambda s: weft.Mesh.from_arrays([[0, 0], [1, 0], [0, 1]], {"triangle": [[0, 1, 2]]}, {"w": [[0, 2], [0, 9]]}),
        weft.Error,
    ),
    # Callbacks and functions
    "a callback that raises": (lambda s: in_callback(s, lambda _: 1 / 0), ZeroDivisionError),
    "a run in a callback": (lambda s: in_callback(s, lambda t: t.run(steps=1)), weft.ContractError),
    "a step in a callback": (lambda s: in_callback(s, lambda t: t.step()), weft.ContractError),
    "a wrong state in a callback": (lambda s: in_callback(s, lambda t: t.restore(-t.conserved)), weft.PhysicsError),
    "a step in a source": (lambda s: in_function(lambda t: t.step()), weft.InputError),
    "a field in a source": (lambda s: in_function(lambda t: t["pressure"]), weft.InputError),
    "a view in a source": (lambda s: in_function(lambda t: t.conserved), weft.InputError),
    "a checkpoint in a source": (lambda s: in_function(lambda t: t.checkpoint("/tmp/never.h5")), weft.InputError),
    "a source that returns nothing": (lambda s: in_function(lambda t: None), weft.InputError),
    "a source that writes its points": (lambda s: weft.flow.Simulation(BOX, source=lambda x: write(x)).step(), weft.InputError),
    "a source of NaN": (lambda s: weft.flow.Simulation(BOX, source=lambda x: {"energy": np.nan}).step(), weft.InputError),
    "a source that exits": (lambda s: weft.flow.Simulation(BOX, source=lambda x: sys.exit(3)).step(), SystemExit),
}


def endless():
    case = {"mesh": {}}
    case["mesh"]["again"] = case["mesh"]
    return case


@pytest.mark.parametrize("name", MISUSES)
def test_a_misuse_is_an_exception(comm, sim, name):
    call, kind = MISUSES[name]
    if comm.size > 1 and kind is SystemExit:
        pytest.skip("other ranks have an InputError")
    with pytest.raises(kind) as info:
        call(sim)
    assert info.value.args or kind is SystemExit
    del info
    gc.collect()
    assert weft.flow.Simulation(BOX).run(steps=1) == "steps"  # nothing is left in a wrong state


def test_there_are_at_least_40():
    assert len(MISUSES) >= 40


def test_a_failed_callback_leaves_the_simulation_usable(sim):
    with pytest.raises(ZeroDivisionError):
        sim.run(steps=5, callback=lambda s: 1 / 0, every=2)
    assert sim.steps == 2 and sim.run(steps=3) == "steps" and sim.steps == 5


def test_a_thread_holds_a_view_while_another_frees_its_owner(comm):
    """Views keep the memory of a simulation and a mesh that another thread drops."""
    errors, stop = [], threading.Event()
    views = [np.zeros((1, 5))]

    def read():
        while not stop.is_set():
            view = views[-1]
            if not np.isfinite(view.sum()):
                errors.append(view)

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(20):
        sim = weft.flow.Simulation(BOX)
        views[:] = [sim.conserved, sim.mesh.cells.centroid, sim.mesh.faces.normal]
        sim.run(steps=2)
        del sim
        gc.collect()
    stop.set()
    reader.join()
    assert not errors


def test_no_view_is_taken_while_csr_rows_are_replaced(plan):
    """A view would refer to memory that assign() frees; here its own arguments take one, as another thread may."""
    a = weft.Array.csr(plan, [0, 1, 2, 3, 4], np.arange(4.0))
    refused = []

    class Values:
        def __array__(self, dtype=None, copy=None):
            with pytest.raises(weft.ContractError, match="works on the array") as error:
                a.view()
            refused.append(error)
            return np.array([5.0, 6.0])

    a.assign([0, 0, 0, 0, 2], Values())
    assert refused and a.views == 0
    assert a.owned[1].tolist() == [5, 6]


def test_two_threads_compute_one_after_the_other(comm):
    """Two simulations in two threads of one process have the results of one thread."""
    alone = weft.flow.Simulation(BOX, comm=weft._weft.communicator_self())
    alone.run(steps=30)
    sims = [weft.flow.Simulation(BOX, comm=weft._weft.communicator_self()) for _ in range(3)]
    threads = [threading.Thread(target=sim.run, kwargs={"steps": 30}) for sim in sims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for sim in sims:
        assert sim.steps == 30 and np.array_equal(sim.conserved, alone.conserved)


def test_a_thread_cannot_use_a_simulation_that_runs(comm):
    begun, done = threading.Event(), threading.Event()
    seen = []

    def slow(x, t, state):
        begun.set()
        assert done.wait(30)
        return {}

    sim = weft.flow.Simulation(BOX, comm=weft._weft.communicator_self(), source=slow)
    runner = threading.Thread(target=sim.step)
    runner.start()
    assert begun.wait(30)
    assert sim.steps == 0 and sim.time == 0 and sim.residual == 1  # those of the last completed step
    for call in (sim.step, lambda: sim["pressure"], lambda: sim.conserved, lambda: sim.run(steps=1), sim.on_device, sim.totals):
        try:
            call()
        except weft.ContractError as error:
            seen.append(error)
    done.set()
    runner.join()
    assert len(seen) == 6 and sim.steps == 1


@pytest.mark.parametrize("callback", [None, lambda sim: time.sleep(0.0005)])
def test_a_thread_that_polls_a_simulation_does_not_end_its_run(comm, callback):
    """Threads of all ranks read a field during a run; they are refused while it computes, and the run makes all of its steps."""
    sim = weft.flow.Simulation(BOX)
    ended, read, problems = threading.Event(), [], []

    def poll():
        while not ended.is_set():
            try:
                if sim.steps == 0:  # the run has not begun
                    time.sleep(0.0001)
                else:
                    read.append(np.isfinite(sim["mach"]).all())
            except weft.ContractError as error:
                if "in use" not in str(error):
                    problems.append(error)
                time.sleep(0.0001)
            except Exception as error:
                problems.append(error)

    poller = threading.Thread(target=poll)
    poller.start()
    try:
        assert sim.run(steps=200, callback=callback) == "steps"
        assert callback is None or read
    finally:
        ended.set()
        poller.join()
    assert sim.steps == 200 and all(read) and problems == []


def test_a_mesh_of_other_ranks_is_refused(comm):
    if comm.size == 1:
        pytest.skip("needs other ranks")
    alone = weft._weft.communicator_self()
    with pytest.raises(weft.InputError, match="ranks"):
        weft.flow.Simulation(BOX, mesh=mesh(), comm=alone)
    with pytest.raises(weft.InputError, match="ranks"):
        weft.flow.Simulation(BOX, mesh=weft.Mesh.generate("box", comm=alone), comm=comm)


SCRIPTS = {
    "fork after import": (
        "import os, weft\npid = os.fork()\nmesh = weft.Mesh.generate('box', nx=2, ny=2)\n"
        "if pid: assert os.waitpid(pid, 0)[1] == 0\nprint(mesh.global_cells, flush=True)\n",
        "4\n4\n",
    ),
    "fork after a computation": (
        "import os, sys, weft\nmesh = weft.Mesh.generate('box', nx=2, ny=2)\nview = mesh.cells.volume\npid = os.fork()\n"
        "if pid == 0:\n    assert view.sum() == 1.0\n"
        "    for call in (lambda: weft.Mesh.generate('box'), lambda: weft.world().rank, lambda: weft.world().barrier(), mesh.info):\n"
        "        try:\n            call()\n        except weft.ContractError as error:\n            print('fork' in str(error), flush=True)\n"
        "    sys.exit(0)\n"
        "assert os.waitpid(pid, 0)[1] == 0\nweft.Mesh.generate('box', nx=2, ny=2).info()\nprint('parent')\n",
        "True\nTrue\nTrue\nTrue\nparent\n",
    ),
    "a sub-interpreter": (  # from Python 3.12 on it refuses the module by itself
        "import sys, warnings\n"
        "try:\n    import _xxsubinterpreters as interpreters\nexcept ImportError:\n    import _interpreters as interpreters\n"
        "code = 'import sys; sys.path[:] = ' + repr(sys.path) + chr(10) + 'import weft; weft.Mesh'\n"
        "for before in ('', 'import weft; weft.Mesh'):\n"
        "    exec(before)\n"
        "    try:\n        failed = interpreters.run_string(interpreters.create(), code)\n"
        "    except Exception as error:\n        failed = error\n"
        "    print(('interpreter' if sys.version_info >= (3, 12) else 'sub-interpreter') in str(failed))\n",
        "True\nTrue\n",
    ),
    "use after the end of MPI": (
        "import atexit\n"
        "@atexit.register\ndef late():\n"
        "    for call in (weft.world().barrier, lambda: weft.world().size, lambda: sim.step(), lambda: weft.Mesh.generate('box')):\n"
        "        try:\n            call()\n        except weft.ContractError as error:\n            print('ended' in str(error))\n"
        "    print(repr(weft.world()), view.shape)\n"
        "import weft\nsim = weft.flow.Simulation({'mesh': {'generator': 'box', 'nx': 2, 'ny': 2}, 'free_stream': {'density': 1, 'pressure': 1},"
        " 'boundary': {'*': {'kind': 'slip_wall'}}})\nview = sim.conserved\n",
        "True\nTrue\nTrue\nTrue\nweft.Communicator(MPI has ended) (4, 5)\n",
    ),
    "objects that outlive the interpreter's modules": (
        "import sys, weft\nsys.kept = weft.flow.Simulation({'mesh': {'generator': 'box', 'nx': 2, 'ny': 2}, 'free_stream': {'density': 1,"
        " 'pressure': 1}, 'boundary': {'*': {'kind': 'slip_wall'}}}, source=lambda x: {})\nsys.view = sys.kept.conserved\nprint('end')\n",
        "end\n",
    ),
    "a thread that computes while the program ends": (
        "import threading, time, weft\nsim = weft.flow.Simulation({'mesh': {'generator': 'box', 'nx': 20, 'ny': 20}, 'free_stream': {'density': 1,"
        " 'pressure': 1, 'velocity': [1, 0]}, 'boundary': {'*': {'kind': 'far_field'}}})\n"
        "threading.Thread(target=lambda: sim.run(wall_time=1.0)).start()\nprint('end')\n",
        "end\n",
    ),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_process_ends_cleanly(comm, name):
    if comm.size > 1:
        pytest.skip("one process is enough")
    script, shown = SCRIPTS[name]
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50, env=ENV)
    assert (done.returncode, done.stdout) == (0, shown), done.stderr
