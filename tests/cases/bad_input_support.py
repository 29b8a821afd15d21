"""Attempts of tests/cases/bad_input_test.py: a command on a case, with what is there before."""
import atexit
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import h5py
except ImportError as missing:
    print(f"skipped: {missing}; apt-get install python3-h5py")
    sys.exit(77)

WEFT = pathlib.Path(sys.argv[1]).resolve()
SESSIONS = tempfile.mkdtemp(prefix="weft-mpi-")
atexit.register(shutil.rmtree, SESSIONS, ignore_errors=True)
TIMEOUT = 120  # s


def environment():
    """A folder for Open MPI of each program: one that ends removes the common one, where another may be about to begin."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_", "PMI_"))} | {
        "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
        "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_orte_tmpdir_base": tempfile.mkdtemp(dir=SESSIONS)}


CASE = """title = "Box"

[mesh]
generator = "box"
nx = 8
ny = 8

[initial]
kind = "expression"
density_expression = "1 + 0.1 * x"

[boundary.xmin]
kind = "slip_wall"

[boundary.xmax]
kind = "slip_wall"

[boundary.ymin]
kind = "slip_wall"

[boundary.ymax]
kind = "slip_wall"

[numerics]
cfl = 0.5

[stop]
steps = 4

[output]
directory = "results"
"""
ZONES = CASE[CASE.index("[boundary.xmin]"):CASE.index("[numerics]")]
ZONES_OF_WEDGE = """[boundary.wall]
kind = "total_pressure_inflow"
total_pressure = 1.2
total_temperature = 1.0
direction = [1.0, 0.1]

""" + "".join(f'[boundary.{zone}]\nkind = "far_field"\ndensity = 1.4\npressure = 1.0\n\n' for zone in ("inlet", "outlet", "upper"))
RESERVOIR = '[boundary.xmin]\nkind = "total_pressure_inflow"\ntotal_pressure = 1.2\ntotal_temperature = 1.0\n'
DUCT = RESERVOIR + '\n[boundary.xmax]\nkind = "static_pressure_outflow"\npressure = 1.0\n\n[boundary."y*"]\nkind = "slip_wall"\n\n'
CHECK, RUN = ["check", "case.toml"], ["run", "case.toml"]
MANY = """titel = "Box"

[mesh]
generator = "box"
nx = 8

[free_stream]
density = 1.0
pressure = "high"
mach = 2.0

[boundary.xmin]
kind = "supersonic_inflo"

[boundary.xmx]
kind = "slip_wall"

[boundary."y*"]
kind = "slip_wall"

[boundary."ym*"]
kind = "slip_wall"

[numerics]
cfl = 20
limter = "none"

[forces.all]
zones = ["xmni"]

[probes.far]
at = [7.0, 0.5]

[stop]
residual = 2
"""
NEAR_FAR_FIELD = """[mesh]
generator = "naca"
around = 32
radial = 16
radius = 3.0

[free_stream]
density = 1.4
pressure = 1.0
mach = 0.5

[boundary.airfoil]
kind = "slip_wall"

[boundary.farfield]
kind = "far_field"

[stop]
steps = 4
"""


# ------------------------------------------------------------------------------------------------------- what stands there before

def finished(folder, *words):
    """A run that came to its end."""
    result = subprocess.run([WEFT, *RUN, *words], cwd=folder, env=environment(), capture_output=True, text=True, timeout=TIMEOUT)
    assert result.returncode == 0, result.stderr


def generated(folder):
    subprocess.run([WEFT, "mesh", "generate", "box", "box.msh", "-p", "nx=4", "-p", "ny=4"], cwd=folder, env=environment(), check=True,
                   capture_output=True, timeout=TIMEOUT)


def with_file(name, content):
    def prepare(folder):
        (folder / name).write_bytes(content)
    return prepare


def checkpoint(change, previous=False):
    """A finished run whose newest checkpoint is changed; the one before it is deleted, unless it is to stay."""
    def prepare(folder):
        finished(folder, "--set", "output.checkpoint_steps=2")
        if not previous:
            (folder / "results" / "checkpoint_previous.h5").unlink()
        change(folder / "results" / "checkpoint.h5")
    return prepare


def cut(file):
    file.write_bytes(file.read_bytes()[:2000])


def foreign(file):
    with h5py.File(file, "w") as other:
        other["x"] = [1.0]


def of_version(file):
    with h5py.File(file, "r+") as other:
        other.attrs["Version"] = 1


def changed_value(file):
    with h5py.File(file, "r+") as other:
        other["fields/conserved"][3, 0] += 1e-9


def changed_step(file):
    with h5py.File(file, "r+") as other:
        other.attrs["Step"] = 3


def changed_rows(file):
    with h5py.File(file, "r+") as other:
        other["rows_of_rank"][0] = -1


def in_the_way(folder):
    (folder / "results").write_text("a file")


def without_permission(folder):
    (folder / "results").mkdir(mode=0o555)


WITHOUT_CAPABILITIES = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.geteuid() == 0 else []


def mounted(options, after='exec "$0" "$@"'):
    """The command on a small file system of its own as results/."""
    return ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh", "-c",
            f'mkdir -p results && mount -t tmpfs -o {options} none results && {after}']


def several(folder):
    """Two results folders in one."""
    for name in ("a", "b"):
        finished(folder, "--set", f"output.directory=runs/{name}")


# The first checkpoint is so late that the fields of the start are whole, which reserve more space than they need while they are written.
LARGER = ["--set", "mesh.nx=100", "--set", "mesh.ny=100", "--set", "output.checkpoint_steps=200", "--set", "stop.steps=600"]
THEN_RESUME = '"$0" "$@"; code=$?; mount -o remount,size=50m results && "$0" "$@" --resume; exit $code'


def with_probe(folder):
    finished(folder, "--set", "probes.a.at=[0.5, 0.5]")


# ----------------------------------------------------------------------------------------------------------------------- the tables

class Try:
    """@param tried  of the page; None: the command without its case
    @param command  words after `weft`
    @param edit  old and new text of the case
    @param before  makes files in the folder
    @param inside  a command that runs the program
    @param where  what `weft info` says on machines and of builds that can try it"""

    def __init__(self, tried, command, edit=None, before=None, inside=(), where=""):
        self.tried, self.command, self.edit, self.before, self.inside = tried, command, edit, before, list(inside)
        self.where = where

    def run(self):
        """Exit code and message; None where the machine cannot try it."""
        with tempfile.TemporaryDirectory(prefix="weft-bad-") as scratch:
            folder = pathlib.Path(scratch)
            text = CASE
            if self.edit:
                assert self.edit[0] in text, self.edit
                text = text.replace(self.edit[0], self.edit[1], 1)
            (folder / "case.toml").write_text(text)
            if self.before:
                self.before(folder)
            if self.where and self.where not in subprocess.run([WEFT, "info"], env=environment(), capture_output=True).stdout.decode():
                return None
            if self.inside and subprocess.run([*self.inside, "true"], cwd=folder, capture_output=True).returncode != 0:
                return None
            result = subprocess.run([*self.inside, WEFT, *self.command], cwd=folder, env=environment(), capture_output=True, timeout=TIMEOUT)
            going_on = [line for line in result.stdout.decode().splitlines() if "checkpoint" in line and "at step" in line]
            said = "\n".join([result.stderr.decode(errors="backslashreplace"), *going_on])
            return result.returncode, said.replace(f"{os.path.realpath(folder)}/", "").replace(f"{folder}/", "")


def edit(new, old, of="case.toml", command=CHECK):
    return Try(f"`{new}`", command, (old, new))


def words(*command, before=None, where=""):
    return Try("`weft " + " ".join(command) + "`" if command else "`weft`", command, before=before, where=where)
