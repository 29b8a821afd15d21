import os
import shutil
from pathlib import Path

import pytest

import weft

ROOT = Path(__file__).resolve().parents[2]
# The environment of a process that is no rank of the job of this one.
ENV = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_COMM", "OMPI_MCA", "OMPI_UNI", "PMIX_"))}
ENV |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
if not shutil.which("ssh"):  # Open MPI looks for it even for jobs of one machine
    ENV["OMPI_MCA_plm"] = "^rsh"
if "WEFT_TEST_FOLDER" in os.environ:  # an mpirun removes the folder of sessions, which another one may be about to use
    ENV["OMPI_MCA_orte_tmpdir_base"] = os.environ["WEFT_TEST_FOLDER"]
ENV["PYTHONPATH"] = os.pathsep.join(os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path)

DTYPES = ["float64", "float32", "int64", "int32", "uint8"]


def why_no_gpu():
    """Returns why this process cannot use a GPU; empty if it can."""
    try:
        weft.stream()
    except weft.DeviceError as error:
        return str(error)
    return ""


needs_gpu = pytest.mark.skipif(bool(why_no_gpu()), reason=why_no_gpu())


def numba_cuda():
    """Returns numba.cuda; skips the test if it cannot compile and launch a kernel, with the reason."""
    cuda = pytest.importorskip("numba.cuda", reason="numba.cuda is not installed")
    if not cuda.is_available():
        pytest.skip("numba.cuda finds no GPU: it needs nvvm, as in pip install numba-cuda")

    @cuda.jit
    def nothing():
        pass

    try:
        nothing[1, 1]()
        cuda.synchronize()
    except AttributeError as error:  # older numba-cuda uses functions that newer numpy does not have
        pytest.skip(f"numba.cuda and numpy have versions that do not fit: {error}")
    return cuda


def address(array):
    return array.__array_interface__["data"][0]


@pytest.fixture
def comm():
    return weft.world()


@pytest.fixture
def plan(comm):
    """A ring of 4 rows per rank; each rank reads the rows before and after its own."""
    n = 4
    first, rows = n * comm.rank, n * comm.size
    return weft.GhostPlan.build(comm, n, [(first - 1) % rows, (first + n) % rows])


@pytest.fixture
def rows(comm):
    """A plan of 5 rows without ghost rows."""
    return weft.GhostPlan.build(comm, 5)


@pytest.fixture
def forward_step():
    return ROOT / "cases" / "forward_step.toml"


@pytest.fixture
def naca():
    return ROOT / "cases" / "naca0012.toml"


@pytest.fixture
def shared_path(comm):
    """A folder that all ranks see, one per test."""
    path = Path(os.environ.get("WEFT_TEST_FOLDER", "/tmp")) / os.environ["PYTEST_CURRENT_TEST"].split(":")[-1].split(" ")[0]
    comm.barrier()
    if comm.rank == 0:
        path.mkdir(parents=True, exist_ok=True)
    comm.barrier()
    return path


@pytest.fixture
def vortex():
    """A small case as a dictionary: the isentropic vortex on a periodic box."""
    pairs = [
        {"from": "xmin", "to": "xmax", "translation": [10.0, 0.0]},
        {"from": "ymin", "to": "ymax", "translation": [0.0, 10.0]},
    ]
    return {
        "mesh": {"generator": "vortex_box", "n": 16, "periodic": pairs},
        "initial": {"kind": "vortex"},
        "numerics": {"limiter": "none", "cfl": 0.8},
    }
