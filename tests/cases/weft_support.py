"""What the tests of the program have in common, which is their first argument: cases made small, runs in folders of their own."""
import atexit
import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import h5py
    import numpy as np
except ImportError:
    h5py = np = None  # then checkpoints are compared through the histories alone

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CASES = SOURCE / "cases"
WEFT = pathlib.Path(sys.argv.pop(1)).resolve()

DONE, FAILED, USAGE, PHYSICS, INTERRUPTED = 0, 1, 2, 3, 130
NOT_CONVERGED = 3  # with --strict
SESSIONS = tempfile.mkdtemp(prefix="weft-mpi-")
atexit.register(shutil.rmtree, SESSIONS, ignore_errors=True)
PATIENCE = 60  # seconds that any one command may take on a busy machine

# Settings that make each case small.
COARSE = {
    "dye": ["mesh.n=16"],
    "forward_step": ["mesh.h=0.1"],
    "from_file": [],
    "naca0012": ["mesh.around=32", "mesh.radial=16"],
    "naca0012_file": [],
    "onera_m6": ["boundary.zmax.kind=symmetry", "mesh.scale=1.0"],
    "sod": ["mesh.nx=40"],
    "sphere_file": [],
    "vortex": ["mesh.n=16"],
    "vortex_file": ["mesh.offset=[-10, -10]"],
    "wedge": ["mesh.nx=12", "mesh.ny=8"],
    "wedge_file": ["probes.ramp.at=[0.8, 0.3]"],
}
# Stand-ins for the mesh files that cases name: a generator, its parameters, and other names for its zones.
NACA = ("naca", ["around=32", "radial=8"])
MESHES = {
    "from_file": (*NACA, {}),
    "naca0012_file": (*NACA, {}),
    "onera_m6": ("naca", ["around=16", "radial=4", "layers=2"], {"airfoil": "wing", "zmin": "symmetry"}),
    "sphere_file": ("naca", ["around=16", "radial=4", "layers=2"],
                    {"airfoil": "wall", "zmin": "symmetry_left", "zmax": "symmetry_right"}),
    "vortex_file": ("vortex_box", ["n=16", "size=20"],
                    {"xmax": "periodic_0_l", "xmin": "periodic_0_r", "ymin": "periodic_1_l", "ymax": "periodic_1_r"}),
    "wedge_file": ("wedge", ["nx=12", "ny=8"], {"wall": "lower"}),
}


def environment():
    """As outside of any MPI job. Ranks are not bound and yield: suites that run at once would share the first cores."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_", "PMI_"))}
    return clean | {"OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1",
                    "OMPI_MCA_orte_tmpdir_base": SESSIONS}  # mpirun of other tests may remove the common folder (tests/CMakeLists.txt)


def sets(*overrides):
    return [word for override in overrides for word in ("--set", override)]


def ranks(n):
    return ["-n", str(n)]


def parent_of(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return 0


def descendants(pid):
    everyone = [int(entry.name) for entry in pathlib.Path("/proc").iterdir() if entry.name.isdigit()]
    children = {}
    for other in everyone:
        children.setdefault(parent_of(other), []).append(other)
    found, open_ones = [], [pid]
    while open_ones:
        for child in children.get(open_ones.pop(), []):
            found.append(child)
            open_ones.append(child)
    return found


def is_rank(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/exe").resolve() == WEFT
    except OSError:
        return False


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def at_work(pid):
    """A line for a process and each of its descendants: its number, state, the kernel function in which it waits, its signals that are
    pending, blocked, ignored and caught, and its command."""
    lines = []
    for each in [pid, *descendants(pid)]:
        try:
            of = pathlib.Path(f"/proc/{each}")
            status = dict(line.split(":\t", 1) for line in of.joinpath("status").read_text().splitlines() if ":\t" in line)
            signals = " ".join(f"{name} {int(status[name], 16):x}" for name in ("SigPnd", "ShdPnd", "SigBlk", "SigIgn", "SigCgt"))
            command = of.joinpath("cmdline").read_text().replace(chr(0), " ")[:200]
            lines.append(f"{each} {status['State'][0]} {of.joinpath('wchan').read_text()} {signals} {command}")
        except OSError:
            pass
    return "\n".join(lines)


class InFolder(unittest.TestCase):
    """Each test has a folder of its own, with relative results folders in it."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weft-cases-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def weft(self, *arguments, code=DONE, patience=PATIENCE, **variables):
        """Standard output and error together of a command that must end with this code. @param patience  seconds until the test
        fails.  @param variables  of its environment."""
        done = subprocess.run([WEFT, *map(str, arguments)], cwd=self.folder, env=environment() | variables, timeout=patience,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, code, f"weft {' '.join(map(str, arguments))}\n{done.stdout}")
        return done.stdout

    def coarse(self, name, *overrides, steps=5, results=None):
        """The arguments that choose a case of cases/ on a coarse mesh."""
        return [CASES / f"{name}.toml",
                *sets(*COARSE[name], f"stop.steps={steps}", f"output.directory={results or name}", *overrides)]

    def small_wing(self, results, steps):
        """Runs a small case in 3-D with a scalar."""
        self.weft("mesh", "generate", "naca", "wing.msh", "-p", "around=24", "-p", "radial=8", "-p", "layers=3", "-p", "depth=2")
        text = (CASES / "naca0012_file.toml").read_text().replace("naca0012_inv.su2", "wing.msh")
        (self.folder / "wing.toml").write_text(text + '[boundary.zmin]\nkind = "symmetry"\n[boundary.zmax]\nkind = "symmetry"\n'
                                               '[scalars.smoke]\ninitial = "y > 0"\n')
        self.weft("run", "wing.toml", *sets(f"stop.steps={steps}", f"output.directory={results}", "boundary.farfield.scalars.smoke=0"))

    def start(self, *arguments):
        """A command that runs on; ended with the test at the latest."""
        return self.start_with(None, *arguments)

    def start_with(self, before, *arguments):
        """As start; the new process calls `before` before it becomes the program. Signals that Python ignores are not restored."""
        process = subprocess.Popen([WEFT, *map(str, arguments)], cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=before)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_for_steps(self, process):
        """Reads what it prints up to the first report of a step: lines, for this is no terminal."""
        seen = ""
        for line in process.stdout:
            seen += line
            if " step " in line:
                self.assertNotIn("\r", line)
                return
        self.fail(f"ended before its first step:\n{seen}")

    def ended(self, process, seconds):
        """Exit code and remaining output of a process that has this long to end."""
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as late:
            printed = (late.output or b"").decode(errors="replace")
            self.fail(f"at work or its output open after {seconds} s:\n{at_work(process.pid)}\nprinted:\n{printed}")
        return process.returncode, output

    def rows(self, file):
        with open(self.folder / file, newline="") as text:
            return list(csv.DictReader(text))

    def assert_same_end(self, one, other):
        """Two results folders hold the same run, bit by bit."""
        for file in sorted((self.folder / one).glob("*.csv")):
            self.assertEqual(file.read_bytes(), (self.folder / other / file.name).read_bytes(), file.name)
        if h5py is None:
            return
        with h5py.File(self.folder / one / "checkpoint.h5") as a, h5py.File(self.folder / other / "checkpoint.h5") as b:
            compared = []

            def compare(name, item):
                if isinstance(item, h5py.Dataset) and "case" not in name:
                    compared.append(name)
                    self.assertEqual(item[()].tobytes(), b[name][()].tobytes(), name)

            a.visititems(compare)
            self.assertTrue(compared)


class BenchScript(InFolder):
    """A script of bench/flow, and others in place of the programs that it runs."""

    STAND_INS = {}  # texts, by name

    def setUp(self):
        super().setUp()
        for name, text in self.STAND_INS.items():
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)

    @staticmethod
    def script(name, *arguments, env):
        return subprocess.run([sys.executable, str(SOURCE / "bench" / "flow" / name), *map(str, arguments)], capture_output=True, text=True,
                              timeout=PATIENCE, env=env)
