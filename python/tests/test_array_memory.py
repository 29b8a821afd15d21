"""weft.Array.from_dlpack: arrays in memory of others."""
import gc

import numpy as np
import pytest
from conftest import DTYPES, address

import weft


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_memory_of_numpy_is_used_in_place(comm, dtype, order):
    memory = np.asarray(np.arange(12).reshape(4, 3), dtype=dtype, order=order)
    a = weft.Array.from_dlpack(memory, comm=comm)
    assert address(a.all) == address(memory) and a.dtype == memory.dtype
    assert a.layout == ("aos" if order == "C" else "soa") and (a.owned == memory).all()
    a.owned[1, 1] = 77
    assert memory[1, 1] == 77
    with pytest.raises(weft.ContractError, match="memory of others"):
        a.resize(5)
    del memory
    gc.collect()
    assert a.owned[1, 1] == 77
    a.close()


def test_memory_of_numpy_takes_part_in_an_exchange(comm, plan):
    memory = np.zeros(len(plan))
    memory[: plan.owned] = 10 * comm.rank + np.arange(plan.owned)
    a = weft.Array.from_dlpack(memory, plan)
    weft.Exchange(plan, a).pull()
    owner = plan.ids[plan.owned :] // 4
    assert (memory[plan.owned :] == 10 * owner + plan.ids[plan.owned :] % 4).all()


def test_memory_is_wrapped_once(comm):
    memory = np.zeros(4)
    first = weft.Array.from_dlpack(memory)
    with pytest.raises(weft.ContractError, match="overlap"):
        weft.Array.from_dlpack(memory)
    first.close()
    weft.Array.from_dlpack(memory).close()
    of_weft = weft.Array(weft.GhostPlan.build(comm, 4), width=2)
    other = weft.Array.from_dlpack(of_weft)
    own, others = address(of_weft.owned), address(other.owned)
    assert own == others
    assert of_weft.views == 1
    other.close()
    assert of_weft.views == 0


def test_memory_that_cannot_be_used(comm):
    read_only = np.zeros(4)
    read_only.flags.writeable = False
    for memory, match in [
        (np.zeros((4, 4))[:, ::2], "not contiguous"),
        (np.zeros((4, 4))[::2], "not contiguous"),
        (np.zeros(4)[::-1], "not contiguous"),
        (np.zeros((2, 2, 2)), "3 dimensions"),
        (np.zeros(4, ">f8"), "byte order"),
        (np.zeros(4, "float16"), "16 bits"),
        (np.zeros(4, complex), "128 bits"),
        (np.array(["a"]), "imported"),
        (read_only, "written"),
        ([1.0, 2.0], "neither __dlpack__"),
    ]:
        with pytest.raises(weft.InputError, match=match):
            weft.Array.from_dlpack(memory)


def test_memory_with_a_wrong_number_of_rows(rows):
    with pytest.raises(weft.InputError, match="the array has 3 rows; the plan has 5 owned"):
        weft.Array.from_dlpack(np.zeros(3), rows)
    assert len(weft.Array.from_dlpack(np.zeros((0, 2)))) == 0


def test_memory_of_others_as_the_device_side(comm, plan):
    memory = np.zeros((len(plan), 2))
    memory[: plan.owned] = plan.ids[: plan.owned, None]
    a = weft.Array.from_dlpack(memory, plan, backend="mirror", side="device")
    assert a.device().ptr == address(memory) and a.fresh("device") and not a.fresh("host")
    weft.Exchange(plan, a).pull()
    assert (memory == plan.ids[:, None]).all()
    a.to_host()
    assert (a.view() == plan.ids[:, None]).all() and address(a.view()) != address(memory)
    a.owned[:] = -1
    a.to_device()
    assert (memory[: plan.owned] == -1).all()
    with pytest.raises(weft.InputError, match="mirror"):
        weft.Array.from_dlpack(memory, plan, side="device")
    del memory
    gc.collect()
    assert (np.from_dlpack(a.device())[: plan.owned] == -1).all()
