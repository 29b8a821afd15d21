"""weft.Array: views of its memory, both sides of it, lifetimes, and misuse."""
import gc
import threading
import time
import timeit

import numpy as np
import pytest
from conftest import DTYPES, address

import weft


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", ["aos", "soa"])
def test_views_share_the_memory_of_the_array(plan, dtype, layout):
    a = weft.Array(plan, dtype, width=3, layout=layout)
    every, owned, ghosts = a.all, a.owned, a.ghosts
    assert every.shape == (len(plan), 3) and owned.shape == (plan.owned, 3) and ghosts.shape == (plan.ghosts, 3)
    assert every.dtype == a.dtype == np.dtype(dtype) and a.width == 3 and a.layout == layout and len(a) == len(plan)
    assert (every == 0).all()
    every[:] = np.arange(every.size).reshape(every.shape)
    assert (owned == every[: plan.owned]).all() and (ghosts == every[plan.owned :]).all()
    size = np.dtype(dtype).itemsize
    assert every.strides == ((3 * size, size) if layout == "aos" else (size, len(plan) * size))
    assert address(owned) == address(every) == address(a.all) == address(np.asarray(a)) == address(np.from_dlpack(a))
    if plan.ghosts:
        assert address(ghosts) == address(every) + plan.owned * every.strides[0]
    assert not a.view().flags.writeable and address(a.view()) == address(every)


def test_rows_without_a_width_are_numbers(plan):
    a = weft.Array(plan, "int32")
    assert a.owned.shape == (plan.owned,) and a.kind == "fixed" and a.width == 1
    a.resize_width(2)
    assert a.owned.shape == (plan.owned, 2)


def test_boundary_rows_follow_the_ghosts(plan):
    a = weft.Array(plan, boundary=3)
    boundary = a.view("boundary", writable=True)
    boundary[:] = 7
    assert a.all.tolist() == [0.0] * len(plan) + [7.0] * 3


def test_padded_rows_have_sizes(plan):
    a = weft.Array(plan, "int64", max=4)
    assert a.kind == "max" and a.all.shape == (len(plan), 4) and (a.row_sizes == 0).all()
    a.set_row_sizes([1, 2, 3, 4])
    assert a.row_sizes[: plan.owned].tolist() == [1, 2, 3, 4] and not a.row_sizes.flags.writeable
    assert a.row_sizes.dtype == np.int32
    with pytest.raises(weft.InputError, match="row 2 cannot have 5 entries; the maximum is 4"):
        a.set_row_sizes([1, 2, 5, 4])
    with pytest.raises(weft.InputError, match="3 row sizes"):
        a.set_row_sizes([1, 2, 3])
    with pytest.raises(weft.InputError, match="whole numbers"):
        a.set_row_sizes([1.5, 2, 3, 4])


def test_csr_rows_are_offsets_and_values(comm, plan):
    values = 10.0 * comm.rank + np.arange(6)
    a = weft.Array.csr(plan, [0, 1, 1, 4, 6], values)
    offsets, entries = a.owned
    assert offsets.tolist() == [0, 1, 1, 4, 6] and (entries == values).all() and not offsets.flags.writeable
    entries[0] = -1
    assert a.all[1][0] == -1 and address(a.all[1]) == address(entries)
    offsets, entries = a.view()
    before = (comm.rank - 1) % comm.size
    if comm.size > 1:  # the ghost row of the rank before has the length and the values of its last row
        row = plan.find((4 * comm.rank - 1) % (4 * comm.size))
        assert entries[offsets[row] : offsets[row + 1]].tolist() == [10.0 * before + 4, 10.0 * before + 5]
    del offsets
    with pytest.raises(weft.BufferError):  # the entries are a view as well
        a.close()


def test_csr_rows_are_replaced(comm, plan):
    a = weft.Array.csr(plan, [0, 1, 2, 3, 4], np.arange(4, dtype="int32"))
    assert a.dtype == np.int32
    a.assign([0, 0, 0, 0, 2], [5, 6])
    assert a.owned[0].tolist() == [0, 0, 0, 0, 2] and a.owned[1].tolist() == [5, 6]
    view = a.owned[1]
    with pytest.raises(weft.BufferError, match="view"):
        a.assign([0, 0, 0, 0, 0], [])
    assert view.tolist() == [5, 6]


@pytest.mark.parametrize(
    ("offsets", "values", "match"),
    [
        ([0, 1, 2, 3], [1.0, 2.0, 3.0], "rows"),
        ([0, 2, 1, 2, 2], [1.0, 2.0], "offset"),
        ([0, 1, 1, 1, 3], [1.0, 2.0], "last offset is 3"),
        ([1, 1, 1, 1, 2], [1.0, 2.0], "offset"),
        ([], [], "last offset"),
        ([0.0, 1, 1, 1, 2], [1.0, 2.0], "whole numbers"),
        ([0, 1, 1, 1, 2], ["a", "b"], "element type"),
    ],
)
def test_bad_csr_rows_are_refused_on_every_rank(plan, offsets, values, match):
    with pytest.raises((weft.InputError, weft.ContractError), match=match):
        weft.Array.csr(plan, offsets, values)


def test_an_array_is_in_use_while_views_of_it_exist(rows):
    a = weft.Array(rows)
    view = a.owned
    assert a.views == 1
    for change in (a.close, lambda: a.resize(7), lambda: a.resize_width(2)):
        with pytest.raises(BufferError, match="1 view exists"):
            change()
    part = view[1:3]
    del view
    with pytest.raises(weft.BufferError) as caught:
        a.close()
    assert isinstance(caught.value, weft.ContractError) and caught.value.suggestion
    del part
    assert a.views == 0
    a.owned[:] = np.arange(5)
    a.resize(7)
    assert a.owned.tolist() == [0, 1, 2, 3, 4, 0, 0] and len(a) == 7
    with pytest.raises(weft.InputError, match="an array of -1 rows; pass a number of at least 0"):
        a.resize(-1)
    a.resize(2)
    assert a.owned.tolist() == [0, 1] and a.plan.global_rows == 2 * a.plan.comm.size


def test_a_view_on_one_rank_is_an_error_on_all(comm, rows):
    a = weft.Array(rows)
    view = a.owned if comm.rank == 0 else None
    with pytest.raises(weft.BufferError, match="view"):
        a.resize(3)
    del view


def test_views_keep_the_memory(rows):
    a = weft.Array(rows)
    view, tensor = a.owned, np.from_dlpack(a)
    view[:] = 3
    del a
    gc.collect()
    other = weft.Array(rows)
    other.owned[:] = 4
    assert (view == 3).all() and (tensor == 3).all()


def test_views_of_a_mesh_keep_it():
    mesh = weft.Mesh.generate("box", nx=4, ny=4)
    a = weft.Array(mesh.plan, width=2)
    volume = mesh.cells.volume
    total = volume.sum()
    assert len(a) == len(mesh.cells) and a.plan == mesh.plan
    del mesh
    gc.collect()
    weft.Mesh.generate("box", nx=3, ny=3)
    assert volume.sum() == total
    weft.Exchange(a.plan, a).pull()


def test_use_after_close(rows):
    a = weft.Array(rows)
    a.close()
    a.close()
    assert a.closed and "closed" in repr(a)
    for use in (lambda: a.owned, lambda: len(a), lambda: a.resize_width(2), lambda: a.dtype, lambda: np.asarray(a), a.clone):
        with pytest.raises(weft.ContractError, match="after close"):
            use()
    with pytest.raises(weft.InputError, match="after close"):
        weft.Exchange(rows, a)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"dtype": "float16"}, "float16"),
        ({"dtype": "float63"}, None),
        ({"dtype": ">f8"}, "byte order"),
        ({"dtype": "complex128"}, "complex128"),
        ({"dtype": object}, "object"),
        ({"width": -1}, "-1"),
        ({"width": 10**12}, "width=1000000000000 entries; pass a number from 0 to 2147483647"),
        ({"max": 10**12}, "max=1000000000000 entries; pass a number from 0 to 2147483647"),
        ({"max": -1}, "-1"),
        ({"width": 2, "max": 3}, "not both"),
        ({"kind": "max"}, "maximum"),
        ({"kind": "csr", "width": 2}, "no width"),
        ({"kind": "cssr"}, "csr"),
        ({"layout": "sao"}, "soa"),
        ({"backend": "cuba"}, "cuda"),
        ({"first": "device"}, "first"),
        ({"boundary": -2}, "-2"),
        ({"boundary": 2**31}, None),
        ({"width": "a"}, None),
    ],
)
def test_bad_arguments(plan, arguments, match):
    with pytest.raises((weft.Error, TypeError), match=match):
        weft.Array(plan, **arguments)


def test_a_memory_error_states_the_bytes(comm, rows):
    most = 2**31 - 1
    huge = weft.GhostPlan.build(weft._weft.communicator_self(), most)
    with pytest.raises(MemoryError, match=rf"{most} rows of {most} entries of type float64 takes \d+ bytes"):
        weft.Array(huge, width=most)
    a = weft.Array(huge, "uint8", width=0)
    with pytest.raises(MemoryError, match=f"of type uint8 takes {most * 2**30} bytes"):
        a.resize_width(2**30)
    with pytest.raises(MemoryError, match=f"takes {most * 2**30 * 4} bytes"):
        weft.Array(huge, "float32", max=2**30)
    with pytest.raises(weft.InputError, match="from 0 to"):
        a.resize_width(2**31)


def test_arrays_need_a_plan():
    for wrong in (None, 5, "plan"):
        with pytest.raises(TypeError):
            weft.Array(wrong)


def test_bad_names_of_rows_and_sides(plan):
    a = weft.Array(plan)
    with pytest.raises(weft.InputError, match="owned"):
        a.view("owed")
    with pytest.raises(weft.InputError, match="device"):
        a.view("owned", side="devise")
    with pytest.raises(weft.ContractError, match="device"):
        a.device()
    with pytest.raises(weft.ContractError, match="ghost rows"):
        if len(a) > plan.owned:
            a.resize(3)
        else:
            raise weft.ContractError("no ghost rows on one rank")
    with pytest.raises(weft.ContractError, match="only rows of kind"):
        _ = a.row_sizes
    with pytest.raises(weft.ContractError, match="not CSR"):
        a.assign([0], [])


def test_a_read_only_view_is_read_only(plan):
    a = weft.Array(plan)
    with pytest.raises(ValueError, match="read-only"):
        a.view("owned")[0] = 1


# Two sides: a mirror behaves as a GPU.


def test_freshness_of_both_sides(plan):
    a = weft.Array(plan, width=2, backend="mirror", name="q")
    a.owned[:] = 1
    assert a.fresh("host") and not a.fresh("device")
    with pytest.raises(weft.DeviceError, match='"q": the device side is stale.*to_device'):
        a.device()
    a.to_device()
    assert a.fresh("host") and a.fresh("device")
    reader = np.from_dlpack(a.view("owned", side="device", writable=False)) if np.__version__ >= "2.1" else None
    assert a.fresh("host")  # a read-only view marks nothing
    writer = np.from_dlpack(a.device("owned"))
    assert not a.fresh("host") and a.fresh("device")
    assert address(writer) == a.device("owned").ptr != address(a.view("ghosts"))
    if reader is not None:
        assert address(reader) == address(writer)
    writer[:] = 2
    with pytest.raises(weft.DeviceError, match="the host side is stale"):
        _ = a.owned
    with pytest.raises(weft.DeviceError, match="stale"):
        a.view("owned")
    a.view("ghosts")  # only the owned rows were written
    a.ghosts[:] = 7  # and these on the other side: each side gets what it lacks
    a.to_host()
    assert (a.view("owned") == 2).all() and (a.view("ghosts") == 7).all()
    a.to_device()
    a.to_device()
    assert a.fresh("host") and a.fresh("device") and (np.from_dlpack(a.device("ghosts")) == 7).all()
    a.owned[0] = 5
    assert not a.fresh("device")


def test_an_array_of_the_device_alone(plan):
    a = weft.Array(plan, backend="mirror", first="device")
    assert a.fresh("device") and not a.fresh("host")
    with pytest.raises(weft.DeviceError, match="stale"):
        _ = a.owned
    np.from_dlpack(a)[:] = 3
    a.to_host()
    assert (a.owned == 3).all()


def test_csr_rows_on_a_device(plan):
    a = weft.Array.csr(plan, [0, 1, 1, 2, 3], [1.0, 2.0, 3.0], backend="mirror")
    a.to_device()
    offsets, values = a.device("owned")
    with pytest.raises(TypeError, match="two arrays"):
        np.from_dlpack(a)
    numbers = np.from_dlpack(values)
    numbers *= 2
    a.to_host()
    assert a.owned[1].tolist() == [2, 4, 6] and offsets.shape == (5,)


def test_device_views_know_their_form(plan):
    a = weft.Array(plan, "float32", width=3, backend="mirror", first="device")
    view = a.device("owned")
    assert view.shape == (plan.owned, 3) and view.dtype == "float32" and not view.readonly
    assert view.__dlpack_device__() == (1, 0) and "float32" in repr(view)
    with pytest.raises(AttributeError, match="GPU"):
        _ = view.__cuda_array_interface__
    with pytest.raises(BufferError):
        view.__dlpack__(copy=True)
    with pytest.raises(BufferError):
        view.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="read-only"):
        a.device(writable=False).__dlpack__()
    del view
    a.close()


def test_memory_that_one_rank_cannot_use(comm):
    memory = np.zeros((4, 4))
    with pytest.raises(weft.InputError, match="not contiguous"):
        weft.Array.from_dlpack(memory[:, ::2] if comm.rank == comm.size - 1 else memory)


# Threads.


def test_collective_functions_may_be_called_in_any_thread(comm, plan):
    a = weft.Array(plan)
    a.owned[:] = comm.rank
    problems = []

    def work():
        try:
            weft.GhostPlan.build(comm, 1)
            exchange = weft.Exchange(plan, a)
            exchange.pull()
            exchange.close()
            weft.Redistribution.to_even_blocks(comm, 1)
        except Exception as error:
            problems.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert problems == []


def test_a_thread_with_a_view_while_another_frees_the_array(rows):
    a = weft.Array(rows)
    have, freed, seen = threading.Event(), threading.Event(), []

    def work():
        view = a.owned
        have.set()
        freed.wait()
        view[:] = 9
        seen.append(view.sum())

    thread = threading.Thread(target=work)
    thread.start()
    have.wait()
    with pytest.raises(weft.BufferError):
        a.close()
    freed.set()
    thread.join()
    assert seen == [45]
    a.close()


# Costs.


def test_a_view_costs_less_than_2_us(plan):
    a = weft.Array(plan, width=5)
    _ = a.owned
    best = min(timeit.repeat(lambda: a.owned, number=10000, repeat=5, timer=time.thread_time)) / 10000
    assert best < 2e-6, best


def test_memory_is_flat_over_many_arrays(comm, plan):
    def resident():
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * 4096

    def round_of(count):
        for _ in range(count):
            a = weft.Array(plan, width=64)
            a.owned[:] = 1
            np.from_dlpack(a)

    round_of(200)
    before = resident()
    round_of(10000)
    assert resident() - before < 4e6
