"""Memory stays flat while objects are created and destroyed.

WEFT_LEAKS=full takes 10,000 of each small object and 500 simulations, which lasts minutes.
"""
import gc
import os
import sys

import numpy as np
import pytest
from conftest import needs_gpu

import weft

FULL = os.environ.get("WEFT_LEAKS") == "full"
PAGE = os.sysconf("SC_PAGE_SIZE")
BOX = {"mesh": {"generator": "box", "nx": 2, "ny": 2}, "boundary": {"*": {"kind": "slip_wall"}}, "numerics": {"cfl": 0.5}}
BOX["free_stream"] = {"density": 1.0, "pressure": 1.0}
SQUARES = ([[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]], {"quad": [[0, 1, 4, 3], [1, 2, 5, 4]]})
EDGES = {"all": [[0, 1], [1, 2], [2, 5], [5, 4], [4, 3], [3, 0]]}


def resident():
    """Resident memory of this process, bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * PAGE


def views(mesh):
    return mesh.cells.volume, mesh.cells.nodes, mesh.faces.normal, mesh.nodes.coordinates, mesh.zones


def fields(sim):
    return sim.conserved, sim["pressure"], sim["density"], sim.residuals, sim.totals()


def refused():
    try:
        weft.Mesh.generate("box", nx=0)
    except weft.InputError as error:
        return error.problem


def cycle():
    class Holder:
        def heat(self, x):
            return {"energy": np.ones(len(x))}

    holder = Holder()
    holder.sim = weft.flow.Simulation(BOX, source=holder.heat, initial=lambda x: {"density": 1.0, "pressure": 1.0})
    holder.sim.step()
    del holder
    gc.collect()


def failing():
    try:
        weft.flow.Simulation(BOX, source=lambda x, t: 1 / 0).step()
    except weft.InputError as error:
        return error.key


def task_plan(mesh):
    """A plan with tasks on the host and on a mirror, and an exchange."""
    u, v = (weft.Array(mesh.plan, backend="mirror") for _ in range(2))
    g = weft.task.Graph(mesh.comm)
    largest = g.number(backend="mirror")
    g.task(reads=[u], writes=[v], reduces=[(largest, "max")], on="device")(lambda u, v, largest: None)
    g.task(reads=[(v, "owned"), largest], writes=[u])(lambda v, largest, u: None)
    g.compile().run(2)


# name: (what is created and destroyed, how often in a short test, how often in a full one)
CREATED = {
    "views of a mesh": (lambda mesh, sim: views(mesh), 10000, 10000),
    "fields and histories": (lambda mesh, sim: fields(sim), 1000, 10000),
    "generated meshes": (lambda mesh, sim: weft.Mesh.generate("box", nx=2, ny=2).info(), 300, 10000),
    "meshes of arrays": (lambda mesh, sim: weft.Mesh.from_arrays(*SQUARES, EDGES), 300, 10000),
    "refused meshes": (lambda mesh, sim: refused(), 300, 10000),
    "simulations": (lambda mesh, sim: weft.flow.Simulation(BOX).run(steps=1), 100, 500),
    "simulations on a shared mesh": (lambda mesh, sim: weft.flow.Simulation(BOX, mesh=mesh).step(), 100, 500),
    "simulations in cycles with their functions": (lambda mesh, sim: cycle(), 50, 500),
    "functions that raise": (lambda mesh, sim: failing(), 50, 500),
    "plans of tasks": (lambda mesh, sim: task_plan(mesh), 300, 10000),
    "restored states": (lambda mesh, sim: sim.restore(sim.conserved), 500, 10000),
}


def arrays_of_gpu(mesh):
    a = weft.Array(mesh.plan, width=64, backend="cuda", first="device")
    sys.modules["cupy"].from_dlpack(a)
    weft.Exchange(mesh.plan, a).close()


def plan_of_gpu(mesh):
    u, v = (weft.Array(mesh.plan, backend="cuda", first="device") for _ in range(2))
    g = weft.task.Graph(mesh.comm)
    g.task(writes=[u], on="device")(lambda u: None)
    g.task(reads=[(u, "owned")], writes=[v], on="device")(lambda u, v: None)
    plan = g.compile()
    plan.run(2)
    plan.close()


def simulation_of_gpu(mesh):
    sim = weft.flow.Simulation(BOX, mesh=mesh, device="cuda")
    sim.run(steps=2)
    sim.on_device("pressure")


ON_GPU = {"arrays": (arrays_of_gpu, 10000, 10000), "plans of tasks": (plan_of_gpu, 100, 10000), "simulations": (simulation_of_gpu, 20, 500)}


def expect_flat(comm, name, create, count, used, most):
    """Checks that creating `count` objects leaves used(), numbers of bytes, within `most`."""
    for _ in range(max(count // 4, 20)):  # fills caches of the allocator, MPI and Python
        create()
    # A leak grows each time; the allocator and huge pages of the system may add a few megabytes once.
    for _ in range(3):
        gc.collect()
        before = used()
        for _ in range(count):
            create()
        gc.collect()
        grown = [now - then for now, then in zip(used(), before)]
        each = " and ".join(f"{bytes / count:.0f}" for bytes in grown)
        print(f"{name}: {each} bytes each of {count}")
        if all(comm.max(bytes) < limit for bytes, limit in zip(grown, most)):
            return
    raise AssertionError(f"{each} bytes each, in each of three measurements")


@pytest.mark.parametrize("name", CREATED)
def test_memory_stays_flat(comm, name):
    create, short, full = CREATED[name]
    count = full if FULL else short if comm.size == 1 else short // 5
    mesh = weft.Mesh.generate("box", nx=2, ny=2)
    sim = weft.flow.Simulation(BOX)
    sim.run(steps=20)
    expect_flat(comm, name, lambda: create(mesh, sim), count, lambda: [resident()], [2 << 20])


@needs_gpu
@pytest.mark.filterwarnings("ignore:ExternalStream is deprecated")  # pytest would keep 360 bytes of each warning of CuPy
@pytest.mark.parametrize("name", ON_GPU)
def test_memory_of_the_gpu_stays_flat(comm, name):
    """That of the GPU, and that of the host."""
    runtime = pytest.importorskip("cupy", reason="cupy is not installed").cuda.runtime
    create, short, full = ON_GPU[name]
    mesh = weft.Mesh.generate("box", nx=2, ny=2)

    def used():
        weft.stream().wait()
        free, total = runtime.memGetInfo()
        return [total - free, resident()]

    expect_flat(comm, name, lambda: create(mesh), full if FULL else short, used, [16 << 20, 4 << 20])
