"""weft.bench: kernels on the GPU, or the error where there is none. tests/cases/bench_kernels_test.py tries it with another program."""
import pytest
from conftest import why_no_gpu

import weft


def program():
    """Returns the path of the program weft of this build or on the PATH; skips the test without one, as with a wheel alone."""
    try:
        return weft.bench._program()
    except weft.IoError as error:
        pytest.skip(str(error))


def test_measures_or_says_why_not(comm, tmp_path):
    if comm.size > 1:
        pytest.skip("measures with one rank")
    if why_no_gpu():
        with pytest.raises(weft.DeviceError, match="kernels are measured on a GPU, and none can be used") as caught:
            weft.bench.kernels(program=program())
        assert caught.value.suggestion
        return
    result = weft.bench.kernels(["sort", "dot"], quick=True, program=program())
    assert {row["kernel"] for row in result.rows} == {"sort", "dot"}
    assert "sort, uint32 " in result.table()
    assert len(result.picture(tmp_path / "kernels.png")) == 2


def test_wrong_arguments(comm):
    if comm.size > 1:
        pytest.skip("measures with one rank")
    with pytest.raises(weft.InputError, match='there is no kernel "srot"; the names are sum, '):
        weft.bench.kernels("srot", program=program())
