"""weft.Array: the buffer protocol."""
import gc
import hashlib
import io

import numpy as np
import pytest
from conftest import DTYPES, address

import weft


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", ["aos", "soa"])
def test_the_buffer_protocol_exports_all_rows(plan, dtype, layout):
    a = weft.Array(plan, dtype, width=3, layout=layout)
    a.all[:] = np.arange(a.all.size).reshape(a.all.shape)
    with memoryview(a) as buffer:
        assert buffer.shape == (len(plan), 3) and buffer.strides == a.all.strides and not buffer.readonly
        assert np.dtype(buffer.format) == np.dtype(dtype) and buffer.itemsize == np.dtype(dtype).itemsize
        assert buffer.tolist() == a.all.tolist() and address(np.asarray(buffer)) == address(a.all)
        buffer[1, 2] = 99
        assert a.all[1, 2] == 99
    assert bytes(a) == a.all.tobytes()
    assert memoryview(weft.Array(plan, dtype)).shape == (len(plan),)
    with memoryview(weft.Array(plan, dtype, max=4)) as padded:
        assert padded.shape == (len(plan), 4)


def test_a_buffer_is_a_view(rows):
    a = weft.Array(rows)
    buffer = memoryview(a)
    assert a.views == 1
    for change in (a.close, lambda: a.resize(7), lambda: a.resize_width(2)):
        with pytest.raises(weft.BufferError, match="1 view exists"):
            change()
    part = buffer[1:3]
    buffer.release()
    assert a.views == 1  # the part remains
    part.release()
    assert a.views == 0
    buffer = memoryview(a)
    buffer[4] = 4.5
    del a
    gc.collect()
    assert buffer.tolist() == [0, 0, 0, 0, 4.5]


def test_libraries_write_to_the_buffer(rows):
    a = weft.Array(rows, "int32", width=2)
    assert io.BytesIO(np.arange(10, dtype="int32").tobytes()).readinto(a) == 40
    assert a.views == 0
    assert a.all.tolist() == np.arange(10).reshape(5, 2).tolist()
    other = weft.Array(rows, "int32", width=2, layout="soa")
    with pytest.raises(weft.BufferError, match="not contiguous"):
        hashlib.sha256(other)
    with pytest.raises(TypeError):  # Python raises it for any object without such a buffer
        io.BytesIO(bytes(40)).readinto(other)
    assert other.views == 0


def test_what_the_buffer_protocol_cannot_export(plan):
    with_device = weft.Array(plan, backend="mirror")
    csr = weft.Array.csr(plan, [0, 1, 1, 4, 6], np.arange(6.0))
    closed = weft.Array(plan)
    closed.close()
    for a, match in [(with_device, "device side"), (csr, "CSR"), (closed, "after close")]:
        with pytest.raises(weft.BufferError, match=match) as caught:
            memoryview(a)
        assert caught.value.suggestion
    assert with_device.views == csr.views == 0
    assert memoryview(with_device.view()).readonly
    with pytest.raises(BufferError, match="constructor"):
        memoryview(weft.Array.__new__(weft.Array))
    a = weft.Array(plan)
    exchange = weft.Exchange(plan, a)
    exchange.start()
    with pytest.raises(weft.BufferError, match="in flight"):
        memoryview(a)
    exchange.finish()
    assert memoryview(a).shape == (len(plan),)
