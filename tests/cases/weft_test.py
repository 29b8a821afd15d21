"""Tests of the program as its users meet it: every case of cases/, results folders, restarts, signals, lost ranks, wrong input.

    weft_test.py path/to/weft [unittest arguments]
"""
import atexit
import csv
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

try:
    import h5py
    import numpy as np
except ImportError:
    h5py = None  # then checkpoints are compared through the histories alone

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CASES = SOURCE / "cases"
WEFT = pathlib.Path(sys.argv.pop(1)).resolve()

DONE, FAILED, USAGE, PHYSICS, INTERRUPTED = 0, 1, 2, 3, 130
SESSIONS = tempfile.mkdtemp(prefix="weft-mpi-")
atexit.register(shutil.rmtree, SESSIONS, ignore_errors=True)
PATIENCE = 60  # seconds that any one command may take on a busy machine

# What makes each case small.
COARSE = {
    "dye": ["mesh.n=16"],
    "forward_step": ["mesh.h=0.1"],
    "from_file": [],
    "naca0012": ["mesh.around=32", "mesh.radial=16"],
    "naca0012_file": [],
    "onera_m6": ["boundary.zmax.kind=symmetry"],
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


class InFolder(unittest.TestCase):
    """Each test has a folder of its own, with relative results folders in it."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weft-cases-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def weft(self, *arguments, code=DONE, **variables):
        """Standard output and error together of a command that must end with this code. @param variables  of its environment."""
        done = subprocess.run([WEFT, *map(str, arguments)], cwd=self.folder, env=environment() | variables, timeout=PATIENCE,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, code, f"weft {' '.join(map(str, arguments))}\n{done.stdout}")
        return done.stdout

    def coarse(self, name, *overrides, steps=5, results=None):
        """The arguments that choose a case of cases/ on a coarse mesh."""
        return [CASES / f"{name}.toml",
                *sets(*COARSE[name], f"stop.steps={steps}", f"output.directory={results or name}", *overrides)]

    def start(self, *arguments):
        """A command that runs on; ended with the test at the latest."""
        process = subprocess.Popen([WEFT, *map(str, arguments)], cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
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
        output, _ = process.communicate(timeout=seconds)
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


class EveryCase(InFolder):
    def test_runs_coarsely(self):
        self.assertEqual(sorted(file.stem for file in CASES.glob("*.toml")), sorted(COARSE))
        for name in COARSE:
            with self.subTest(case=name):
                more = []
                if name in MESHES:
                    self.make_mesh(f"{name}.su2", *MESHES[name])
                    more = [f"mesh.file={name}.su2"]
                arguments = self.coarse(name, *more)
                self.assertIn("good", self.weft("check", *arguments))
                self.assertIn("step 5", self.weft("run", *arguments))
                kept = {file.name for file in (self.folder / name).iterdir()}
                self.assertLessEqual({"case.toml", "checkpoint.h5", "residuals.csv", "fields_00000000.hdf",
                                      "fields_00000005.hdf"}, kept)
                # The effective case is a case: it gives the same run.
                again = [self.folder / name / "case.toml", *sets(f"output.directory={name}_again")]
                self.weft("run", *again)
                self.assert_same_end(name, f"{name}_again")

    def make_mesh(self, file, generator, parameters, names):
        self.weft("mesh", "generate", generator, file, *[word for p in parameters for word in ("-p", p)])
        lines = (self.folder / file).read_text().splitlines()
        for i, line in enumerate(lines):
            if line.startswith("MARKER_TAG="):
                name = line.partition("=")[2].strip()
                lines[i] = f"MARKER_TAG= {names.get(name, name)}"
        (self.folder / file).write_text("\n".join(lines) + "\n")

    def test_writes_what_it_is_asked_for(self):
        self.weft("run", *self.coarse("wedge", "output.history_steps=2", "output.integrals=true", "output.field_steps=2",
                                      "output.checkpoint_steps=3", "output.precision=single", steps=6))
        self.assertEqual([row["step"] for row in self.rows("wedge/residuals.csv")], ["2", "4", "6"])
        for file in ("forces", "probes", "integrals"):
            self.assertEqual([row["step"] for row in self.rows(f"wedge/{file}.csv")], ["0", "2", "4", "6"])
        fields = sorted(file.name for file in (self.folder / "wedge").glob("fields_*"))
        self.assertEqual(fields, [f"fields_0000000{step}.hdf" for step in (0, 2, 4, 6)])

    def test_field_times_are_met(self):
        self.weft("run", *self.coarse("vortex", "stop.time=0.1", "output.field_interval=0.04", "output.history_steps=1",
                                      steps=1000))
        times = [float(row["time"]) for row in self.rows("vortex/residuals.csv")]
        for wanted in (0.04, 0.08, 0.1):
            self.assertTrue(any(abs(t - wanted) < 1e-12 for t in times), (wanted, times))
        self.assertEqual(len(list((self.folder / "vortex").glob("fields_*"))), 4)


class ManyRanks(InFolder):
    def totals(self, folder):
        last = self.rows(f"{folder}/integrals.csv")[-1]
        return {name: float(value) for name, value in last.items()}

    def test_three_ranks_give_the_results_of_one(self):
        for n, folder in ((1, "one"), (3, "three")):
            self.weft("run", *self.coarse("vortex", "output.history_steps=5", results=folder, steps=20), *ranks(n))
        one, three = self.totals("one"), self.totals("three")
        for name, value in one.items():
            self.assertAlmostEqual(three[name], value, delta=1e-10 * max(1, abs(value)), msg=name)
        a, b = (self.rows(f"{folder}/errors.csv")[-1] for folder in ("one", "three"))
        self.assertAlmostEqual(float(a["density_l2"]), float(b["density_l2"]), delta=1e-12)

    def test_more_ranks_than_cells(self):
        for n, folder in ((1, "one"), (4, "four")):
            self.weft("run", *self.coarse("sod", "mesh.nx=2", "output.integrals=true", results=folder), *ranks(n))
        one, four = self.totals("one"), self.totals("four")
        for name, value in one.items():
            self.assertAlmostEqual(four[name], value, delta=1e-12, msg=name)

    def test_options_for_the_launcher_may_be_its_own(self):
        self.weft("info", *ranks(2), "--mpirun-options", "--bind-to none --oversubscribe --mca mpi_yield_when_idle 0")

    def test_starts_ranks_on_a_machine_without_ssh(self):
        programs = self.folder / "bin"
        programs.mkdir()
        for name in ("mpirun", "orted"):
            (programs / name).symlink_to(shutil.which(name))
        self.assertRegex(self.weft("info", *ranks(2), PATH=str(programs)), r"ranks +2")

    def test_info_counts_ranks(self):
        self.assertRegex(self.weft("info", *ranks(2)), r"ranks +2 \(2 on this machine\)")


class Restart(InFolder):
    def test_is_bitwise_the_uninterrupted_run(self):
        for name, n in (("wedge", 1), ("vortex", 2)):
            with self.subTest(case=name):
                often = ["output.history_steps=1", "output.integrals=true"]
                self.weft("run", *self.coarse(name, *often, steps=14, results=f"{name}_whole"), *ranks(n))
                self.weft("run", *self.coarse(name, *often, steps=6, results=f"{name}_parts"), *ranks(n))
                printed = self.weft("run", *self.coarse(name, *often, steps=14, results=f"{name}_parts"), "--resume", *ranks(n))
                self.assertIn("at step 6", printed)
                self.assert_same_end(f"{name}_whole", f"{name}_parts")

    def test_on_another_number_of_ranks(self):
        self.weft("run", *self.coarse("vortex", "output.history_steps=2", steps=6, results="parts"))
        self.weft("run", *self.coarse("vortex", "output.history_steps=2", steps=12, results="parts"), "--resume", *ranks(2))
        self.weft("run", *self.coarse("vortex", "output.history_steps=2", steps=12, results="whole"))
        a, b = self.rows("whole/residuals.csv"), self.rows("parts/residuals.csv")
        self.assertEqual([row["step"] for row in a], [row["step"] for row in b])
        for left, right in zip(a, b):
            self.assertAlmostEqual(float(left["density"]), float(right["density"]), delta=1e-12 * float(left["density"]) + 1e-14)

    def test_refuses_another_mesh_and_a_damaged_checkpoint(self):
        self.weft("run", *self.coarse("sod"))
        self.assertIn("checkpoint.h5", self.weft("run", *self.coarse("sod", "mesh.nx=50"), "--resume", code=FAILED))
        file = self.folder / "sod" / "checkpoint.h5"
        file.write_bytes(file.read_bytes()[:500])
        self.assertIn("checkpoint.h5", self.weft("run", *self.coarse("sod"), "--resume", code=FAILED))

    def test_takes_the_checkpoint_before_a_damaged_one(self):
        case = lambda steps, results: self.coarse("vortex", "output.checkpoint_steps=4", steps=steps, results=results)
        self.weft("run", *case(10, "whole"))
        self.weft("run", *case(8, "parts"))
        newest = self.folder / "parts" / "checkpoint.h5"
        data = bytearray(newest.read_bytes())
        for at in range(len(data) // 2, len(data), 97):  # rows, wherever they are
            data[at] ^= 0x40
        newest.write_bytes(data)
        (self.folder / "parts" / "fields_00000008.hdf.part").write_bytes(b"what a kill leaves")
        printed = self.weft("run", *case(10, "parts"), "--resume", *ranks(2))
        self.assertIn("taking the checkpoint before it", printed)
        self.assertIn("checkpoint_previous.h5 at step", printed)
        self.assertEqual(list((self.folder / "parts").glob("*.part")), [])
        whole, parts = self.rows("whole/residuals.csv"), self.rows("parts/residuals.csv")
        self.assertEqual([row["step"] for row in whole], [row["step"] for row in parts])
        for name in ("checkpoint.h5", "checkpoint_previous.h5"):  # the damaged one is gone from both
            self.assertTrue((self.folder / "parts" / name).read_bytes() != bytes(data))
        newest.unlink()
        (self.folder / "parts" / "checkpoint_previous.h5").write_bytes(b"nothing")
        self.assertIn("checkpoint.h5", self.weft("run", *case(12, "parts"), "--resume", code=FAILED))

    def test_a_run_that_is_over_is_left_as_it_is(self):
        self.weft("run", *self.coarse("sod"))
        before = (self.folder / "sod" / "residuals.csv").read_bytes()
        printed = self.weft("run", *self.coarse("sod"), "--resume")
        self.assertIn("nothing to do: the number of steps is reached already, step 5,", printed)
        self.assertNotIn("stopped", printed)
        self.assertEqual((self.folder / "sod" / "residuals.csv").read_bytes(), before)
        self.assertIn("stopped: the number of steps is reached, step 6", self.weft("run", *self.coarse("sod", steps=6), "--resume"))


class ResultsFolder(InFolder):
    def test_is_never_overwritten_unasked(self):
        self.weft("run", *self.coarse("sod"))
        notes = [self.folder / "sod" / name for name in ("notes.txt", "measured.csv", "sketch.png", "other.hdf")]
        for note in notes:
            note.write_text("mine")
        before = (self.folder / "sod" / "checkpoint.h5").read_bytes()
        for launch in ([], ranks(2)):
            self.assertIn("--overwrite", self.weft("run", *self.coarse("sod"), *launch, code=FAILED))
        self.assertEqual((self.folder / "sod" / "checkpoint.h5").read_bytes(), before)
        self.weft("run", *self.coarse("sod", steps=3), "--overwrite")
        self.assertEqual([note.read_text() for note in notes], ["mine"] * len(notes))
        self.assertFalse((self.folder / "sod" / "fields_00000005.hdf").exists())
        self.assertIn("--resume", self.weft("run", *self.coarse("sod"), "--overwrite", "--resume", code=USAGE))

    def test_a_case_that_cannot_start_touches_nothing(self):
        self.weft("run", *self.coarse("sod"))
        before = {file: file.read_bytes() for file in (self.folder / "sod").iterdir()}
        for wrong in ("mesh.nx=0", "boundary.lid.kind=slip_wall", "mesh.generator=bocks"):
            for how in ("--overwrite", "--resume"):
                self.weft("run", *self.coarse("sod", wrong), how, code=FAILED)
        self.assertEqual({file: file.read_bytes() for file in (self.folder / "sod").iterdir()}, before)
        # Nor does a first attempt stand in the way of the second.
        self.weft("run", *self.coarse("sod", "boundary.lid.kind=slip_wall", results="new"), code=FAILED)
        self.weft("run", *self.coarse("sod", results="new"))
        # And it leaves no folder behind that it made.
        (self.folder / "mine").mkdir()
        for results in ("one/two", "mine/two"):
            self.weft("run", *self.coarse("sod", "boundary.lid.kind=slip_wall", results=results), *ranks(2), code=FAILED)
        self.assertFalse((self.folder / "one").exists())
        self.assertEqual(list((self.folder / "mine").iterdir()), [])

    def test_that_cannot_be_written(self):
        (self.folder / "file").write_text("in the way")
        self.assertIn("file", self.weft("run", *self.coarse("sod", results="file/results"), code=FAILED))
        self.assertIn("file", self.weft("run", *self.coarse("sod", results="file/results"), *ranks(2), code=FAILED))

    def test_nothing_to_resume(self):
        self.assertIn("leave out --resume", self.weft("run", *self.coarse("sod"), "--resume", code=FAILED))


class Record(InFolder):
    """run.json, the walls, and the page that `weft report` makes of them."""

    def record(self, folder):
        return json.loads((self.folder / folder / "run.json").read_text())

    def test_says_what_ran_where_and_how_it_ended(self):
        self.weft("run", *self.coarse("wedge", steps=4), *ranks(2))
        record = self.record("wedge")
        call, = record["calls"]
        self.assertEqual((call["status"], call["ranks"], call["first_step"], call["step"], call["device"]), ("finished", 2, 0, 4, "host"))
        self.assertIn("-n 2", call["command"])
        self.assertRegex(call["started"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertGreater(call["cell_residuals_per_second"], 0)
        self.assertLessEqual(call["seconds"]["stepping"], call["seconds"]["wall"])
        self.assertEqual((record["mesh"]["cells"], record["mesh"]["dim"]), (96, 2))
        self.assertIn("wall", [zone["name"] for zone in record["mesh"]["zones"]])
        self.weft("run", *self.coarse("wedge", steps=6), "--resume")
        self.assertEqual([(c["status"], c["first_step"], c["step"]) for c in self.record("wedge")["calls"]], [("finished", 0, 4), ("finished", 4, 6)])
        self.weft("run", *self.coarse("wedge", steps=2), "--overwrite")
        self.assertEqual(len(self.record("wedge")["calls"]), 1)

    def test_tells_failed_runs_and_keeps_out_of_folders_of_others(self):
        wrong = ["numerics.flux=roe", "initial.kind=expression", "initial.velocity_x_expression=x < 0.5 ? -40 : 40", "output.exact_errors=false"]
        self.weft("run", *self.coarse("sod", *wrong, steps=500), code=PHYSICS)
        call, = self.record("sod")["calls"]
        self.assertEqual(call["status"], "failed")
        self.assertIn("left the range of the gas", call["reason"])
        before = (self.folder / "sod" / "run.json").read_bytes()
        self.weft("run", *self.coarse("sod"), code=FAILED)  # refused, for there are results
        self.assertEqual((self.folder / "sod" / "run.json").read_bytes(), before)

    @unittest.skipIf(h5py is None, "no h5py")
    def test_pressure_on_the_walls_is_what_the_forces_count(self):
        for n in (1, 3):
            self.weft("run", *self.coarse("naca0012", steps=20, results=f"naca{n}"), *ranks(n))
            with h5py.File(self.folder / f"naca{n}" / "walls_00000020.hdf") as file:
                root = file["VTKHDF"]
                points, lines, pressure, force, first, at = root["Points"][:], root["Connectivity"][:], root["CellData/pressure"][:], [0, 0], 0, 0
                self.assertEqual(len(pressure), 32)
                for p, ids in zip(root["NumberOfPoints"][:], root["NumberOfConnectivityIds"][:]):
                    for a, b in lines[at:at + ids].reshape(-1, 2) + first:
                        dx, dy = (points[b] - points[a])[:2]
                        force[0] += (pressure[at // 2] - 1) * dy
                        force[1] -= (pressure[at // 2] - 1) * dx
                        at += 2
                    first += p
                self.assertTrue(np.allclose((pressure - 1) / (0.5 * 1.4 * 0.8**2), root["CellData/cp"][:]))
            last = self.rows(f"naca{n}/forces.csv")[-1]
            for mine, name in zip(force, ("airfoil_fx", "airfoil_fy")):
                self.assertAlmostEqual(abs(mine), abs(float(last[name])), delta=1e-12)
        # At steps of which no history asks for anything, too.
        self.weft("run", *self.coarse("naca0012", "output.field_steps=10", "output.history_steps=20", steps=20, results="long"))
        self.weft("run", *self.coarse("naca0012", steps=10, results="short"))
        walls = [h5py.File(self.folder / folder / "walls_00000010.hdf")["VTKHDF/CellData/pressure"][:] for folder in ("long", "short")]
        self.assertTrue((walls[0] == walls[1]).all())
        self.weft("run", *self.coarse("vortex"))
        self.assertEqual(list((self.folder / "vortex").glob("walls_*")), [])  # no walls, no file

    @unittest.skipIf(h5py is None, "no h5py")
    def test_report(self):
        self.weft("run", *self.coarse("wedge"), *ranks(2))
        self.assertRegex(self.weft("report", "wedge"), r"^wrote wedge/report.html \([\d.]+ MiB\): the run is finished\n$")
        self.assertIn("-n 2", (self.folder / "wedge" / "report.html").read_text())
        self.weft("report", "wedge", "--output", "page.html")
        self.assertTrue((self.folder / "page.html").exists())
        self.assertIn("there is no such folder", self.weft("report", "wegde", code=FAILED))
        self.assertIn("see weft report --help", self.weft("report", code=USAGE))
        self.assertIn("results folder of a run", self.weft("report", "--help"))
        self.weft("run", *self.coarse("wedge"), "--overwrite")
        self.assertFalse((self.folder / "wedge" / "report.html").exists())


class WrongInput(InFolder):
    def test_says_what_where_and_what_to_do(self):
        case = CASES / "sod.toml"
        for arguments, words in (
                ((self.folder / "nosuch.toml",), ("nosuch.toml", "no such file")),
                ((self.folder,), (str(self.folder),)),
                ((case, *sets("numerics.clf=1")), ("numerics.clf", 'did you mean "cfl"')),
                ((case, *sets("numerics.cfl=fast")), ("numerics.cfl", "fast")),
                ((case, *sets("numerics.cfl=-1")), ("numerics.cfl", "-1")),
                ((case, *sets("numerics.flux=hlcc")), ("numerics.flux", "hllc")),
                ((case, *sets("stop")), ("--set stop",)),
                ((case, *sets("=3")), ("--set",)),
                ((case, *sets("mesh.generator=boxx")), ("mesh.generator", "box")),
                ((case, *sets("mesh.nx=-3")), ("nx", "-3")),
                ((case, *sets("mesh.file=a.msh")), ("mesh.generator", "exactly one")),
                ((case, *sets("boundary.xmim.kind=slip_wall")), ("xmim", 'did you mean "xmin"')),
                ((case, *sets("forces.a.zones=xmni", "free_stream.density=1", "free_stream.pressure=1", "free_stream.mach=1")),
                 ("forces.a.zones", 'did you mean "xmin"')),
                ((CASES / "from_file.toml",), ("from_file.toml:", "mesh.file: there is no mesh file", "mesh.su2")),
                ((CASES / "from_file.toml", *sets("mesh.file=nosuch.su2")), ("--set mesh.file=nosuch.su2: mesh.file: there is no mesh file",))):
            with self.subTest(arguments=arguments):
                printed = self.weft("check", *arguments, code=FAILED)
                self.assertEqual(printed.count("weft: error:"), 1, printed)
                for word in words:
                    self.assertIn(word, printed)

    def test_is_told_once_by_all_ranks_together(self):
        began = time.monotonic()
        printed = self.weft("run", *self.coarse("sod", "boundary.lid.kind=slip_wall"), *ranks(3), code=FAILED)
        self.assertEqual(printed.count("weft: error"), 1, printed)
        self.assertNotIn("alone", printed)
        self.assertLess(time.monotonic() - began, 20)

    def test_names_the_line_of_the_case(self):
        text = (CASES / "sod.toml").read_text().replace('limiter = "barth_jespersen"', 'limiter = "barth"')
        (self.folder / "case.toml").write_text(text)
        line = 1 + text[:text.index('limiter = ')].count("\n")
        self.assertIn(f"case.toml:{line}:", self.weft("check", "case.toml", code=FAILED))
        (self.folder / "case.toml").write_text("[mesh\n")
        self.assertIn("case.toml:1:", self.weft("check", "case.toml", code=FAILED))

    def test_of_the_command_line(self):
        for arguments, problem, command in (
                ((), "a command is missing; choose one of run, check,", "weft"),
                (("fly",), 'there is no command "fly"; choose one of run, check,', "weft"),
                (("run",), "case is required", "weft run"),
                (("run", "a.toml", "-n", "0"), "--ranks: must be a number > 0, is 0", "weft run"),
                (("run", "a.toml", "-n", "two"), "is two", "weft run"),
                (("run", "a.toml", "--set"), "--set: ", "weft run"),
                (("run", "a.toml", "--fast"), "--fast", "weft run"),
                (("mesh",), "a command is missing; choose one of", "weft mesh"),
                (("mesh", "convert", "a.su2", "b.su2", "--scale", "nan"), "--scale: must be", "weft mesh convert"),
                (("mesh", "convert", "a.su2"), "is required", "weft mesh convert")):
            with self.subTest(arguments=arguments):
                printed = self.weft(*arguments, code=USAGE)
                self.assertRegex(printed, rf"^weft: error: .*{re.escape(problem)}.*; see {command} --help\n$")
        self.assertRegex(self.weft("--version"), r"^weft \d+\.\d+\.\d+\n$")
        self.assertIn("run", self.weft("--help"))
        self.assertIn("--resume", self.weft("run", "--help"))


class BadState(InFolder):
    def test_stops_with_the_cell_and_its_fields(self):
        # Roe's linearised solver cannot open a vacuum, however short the step.
        wrong = ["numerics.flux=roe", "initial.kind=expression", "initial.velocity_x_expression=x < 0.5 ? -40 : 40"]
        for n in (1, 2):
            with self.subTest(ranks=n):
                printed = self.weft("run", *self.coarse("sod", *wrong, "output.exact_errors=false", steps=500, results=f"bad{n}"),
                                    *ranks(n), code=PHYSICS)
                self.assertEqual(printed.count("weft: error"), 1, printed)
                for word in ("left the range of the gas at step", "element", "density", "neighbour", "lower cfl"):
                    self.assertIn(word, printed)
                self.assertTrue((self.folder / f"bad{n}" / "fields_failed.hdf").exists())


class Terminal(InFolder):
    def lines(self, columns):
        """What a run shows on a terminal of this width."""
        ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen([WEFT, "run", *map(str, self.coarse("vortex", "mesh.n=24", steps=3000)), "--overwrite"], cwd=self.folder,
                                   env=environment(), stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
        os.close(theirs)
        shown = b""
        with open(ours, "rb", buffering=0) as terminal:
            try:
                while more := terminal.read(4096):
                    shown += more
            except OSError:
                pass  # so does Linux tell that nobody writes any more
        self.assertEqual(process.wait(PATIENCE), DONE)
        return [line.split("\x1b")[0] for line in shown.decode().split("\r") if "step " in line and "left" in line]

    def test_the_bar_fits_and_tells_the_time_left(self):
        for columns in (40, 80, 200):
            lines = self.lines(columns)
            self.assertTrue(lines)
            for line in lines:
                self.assertLess(len(line), columns)
                self.assertRegex(line, r" left (\?|\d+ s)$")
        self.assertIn(" dt ", lines[0])
        self.assertIn("[", lines[0])


class Interrupted(InFolder):
    def endless(self, *more):
        return self.coarse("vortex", "stop.time=1e9", "mesh.n=32", results="endless", steps=10**9) + list(more)

    def left_after(self, seconds, processes):
        """Those that still live when this time is over."""
        end = time.monotonic() + seconds
        while any(map(alive, processes)) and time.monotonic() < end:
            time.sleep(0.1)
        return [pid for pid in processes if alive(pid)]

    def test_leaves_a_checkpoint_that_goes_on(self):
        for number, launch in ((signal.SIGINT, ranks(2)), (signal.SIGTERM, ranks(2)), (signal.SIGTERM, []), (signal.SIGINT, [])):
            with self.subTest(signal=number.name, launch=launch):
                process = self.start("run", *self.endless("--overwrite"), *launch)
                self.wait_for_steps(process)
                process.send_signal(number)
                code, printed = self.ended(process, 30)
                self.assertEqual(code, INTERRUPTED, printed)
                self.assertIn("stopped: interrupted", printed)
                self.assertTrue((self.folder / "endless" / "checkpoint.h5").exists())
        step = int(printed.split("stopped: interrupted, step ")[1].split(",")[0])
        self.assertIn(f"at step {step},", self.weft("run", *self.endless("--resume"), *sets(f"stop.steps={step + 3}")))

    def test_from_a_terminal_reaches_every_process_of_the_group(self):
        process = subprocess.Popen([WEFT, "run", *map(str, self.endless()), *ranks(2)], cwd=self.folder, env=environment(),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   start_new_session=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        self.wait_for_steps(process)
        os.killpg(process.pid, signal.SIGINT)
        code, printed = self.ended(process, 30)
        self.assertEqual(code, INTERRUPTED, printed)
        self.assertTrue((self.folder / "endless" / "checkpoint.h5").exists())

    def test_a_killed_rank_ends_the_job(self):
        process = self.start("run", *self.endless(), *ranks(2))
        self.wait_for_steps(process)
        at_work = [pid for pid in descendants(process.pid) if is_rank(pid)]
        self.assertEqual(len(at_work), 2)
        os.kill(at_work[1], signal.SIGKILL)
        code, printed = self.ended(process, 10)
        self.assertNotIn(code, (DONE, INTERRUPTED), printed)
        self.assertIn("a rank was killed by signal 9", printed)
        self.assertIn("--resume", printed)
        self.assertEqual(self.left_after(5, at_work), [])

    def test_the_watchdog_says_who_is_waited_for(self):
        process = self.start("run", *self.endless("--overwrite", "--watchdog", "2"), *ranks(2))
        self.wait_for_steps(process)
        workers = [pid for pid in descendants(process.pid) if is_rank(pid)]
        os.kill(workers[1], signal.SIGSTOP)
        code, printed = self.ended(process, 40)
        self.assertEqual(code, 124, printed)
        self.assertIn("weft: watchdog: rank ", printed)
        self.assertRegex(printed, r"has waited 2(\.\d+)? s for (rank \d|the other ranks) \(")
        self.assertEqual(self.left_after(5, workers), [])

    def test_before_the_ranks_are_there_it_is_not_lost(self):
        for delay in (0.1, 0.3, 0.6):
            process = self.start("run", *self.endless("--overwrite"), *ranks(2))
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:  # it came before anybody listened
                process.send_signal(signal.SIGINT)
            code, printed = self.ended(process, 30)
            self.assertEqual(code, INTERRUPTED, printed)

    def test_what_mpirun_refuses_is_told(self):
        result = subprocess.run([WEFT, "info", "-n", "2", "--mpirun-options", "--hostfile nowhere"], cwd=self.folder, env=environment(),
                                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertNotEqual(result.returncode, DONE)
        self.assertIn("before any rank started", result.stderr)
        self.assertIn("mpirun -n 2 --hostfile nowhere true", result.stderr)

    def test_an_mpirun_that_does_not_end_is_ended(self):
        process = self.start("run", *self.endless(), *ranks(2))
        self.wait_for_steps(process)
        at_work = [pid for pid in descendants(process.pid) if is_rank(pid)]
        os.kill(parent_of(at_work[0]), signal.SIGSTOP)  # so mpirun does not hear of the end of its ranks
        for pid in at_work:
            os.kill(pid, signal.SIGKILL)
        began = time.monotonic()
        code, printed = self.ended(process, 50)
        self.assertIn("mpirun has not; it is killed", printed)
        self.assertEqual(code, 128 + signal.SIGKILL, printed)
        self.assertGreater(time.monotonic() - began, 10)

    def test_a_killed_launcher_leaves_nobody_behind(self):
        process = self.start("run", *self.endless(), *ranks(2))
        self.wait_for_steps(process)
        family = descendants(process.pid)
        process.kill()
        process.wait()
        self.assertEqual(self.left_after(10, family), [])


class Tools(InFolder):
    def test_new_writes_cases(self):
        listed = self.weft("new")
        for name in COARSE:
            self.assertIn(name, listed)
        self.weft("new", "sod")
        self.assertEqual((self.folder / "sod.toml").read_bytes(), (CASES / "sod.toml").read_bytes())
        self.assertIn("--force", self.weft("new", "sod", code=FAILED))
        self.weft("new", "sod", "--force")
        self.weft("new", "wedge", "mine.toml")
        self.assertIn("good. 128 cells in 2-D; zones: ", self.weft("check", "mine.toml", *sets("mesh.nx=16", "mesh.ny=8")))
        self.assertIn("; no boundary\n", self.weft("check", *self.coarse("vortex")))
        self.assertIn("wrote one.su2: 1 cell, 4 nodes", self.weft("mesh", "generate", "box", "one.su2", "-p", "nx=1", "-p", "ny=1"))
        self.assertIn('did you mean "wedge"', self.weft("new", "wegde", code=FAILED))
        self.weft("new", "sod", "no/folder/here.toml", code=FAILED)

    def test_meshes_are_generated_and_converted(self):
        generators = self.weft("mesh", "generate")
        for name in ("box", "wedge", "naca", "ringleb"):
            self.assertIn(name, generators)
        self.assertIn("nx", self.weft("mesh", "generate", "wedge"))
        self.assertIn("box", self.weft("mesh", "generate", "boxs", code=FAILED))
        self.assertIn("24 cells", self.weft("mesh", "generate", "wedge", "w.su2", "-p", "nx=6", "-p", "ny=4"))
        self.assertIn("24 cells", self.weft("mesh", "convert", "w.su2", "w.msh", *ranks(2)))
        self.assertIn("24 cells", self.weft("mesh", "convert", "w.msh", "w2.su2", "--format", "su2"))
        self.assertIn("24 cells", self.weft("mesh", "convert", "w.msh", "w.h5", *ranks(2)))
        self.assertIn("nonsense", self.weft("mesh", "generate", "wedge", "w.su2", "-p", "nonsense=6", code=FAILED))
        self.assertIn("nx", self.weft("mesh", "generate", "wedge", "w.su2", "-p", "nx", code=FAILED))
        self.assertIn(".stl", self.weft("mesh", "convert", "w.su2", "w.stl", code=FAILED))
        # The files are the mesh that the generator makes: the same run, cell by cell in whatever order.
        self.weft("run", *self.coarse("wedge", "mesh.nx=6", "mesh.ny=4", "output.history_steps=1", results="generated"))
        text = (CASES / "wedge.toml").read_text()
        head, tail = text.split("[mesh]", 1)
        rest = tail[tail.index("[free_stream]"):]
        for file in ("w.su2", "w.msh", "w2.su2", "w.h5"):
            (self.folder / "w.toml").write_text(f'{head}[mesh]\nfile = "{file}"\n{rest}')
            self.weft("run", "w.toml", *sets("stop.steps=5", "output.history_steps=1", f"output.directory=from_{file}"))
            a, b = self.rows("generated/residuals.csv")[-1], self.rows(f"from_{file}/residuals.csv")[-1]
            self.assertAlmostEqual(float(a["density"]), float(b["density"]), delta=1e-12 * float(a["density"]))

    def test_meshes_are_refined_and_cut(self):
        self.weft("mesh", "generate", "wedge", "w.h5", "-p", "nx=24", "-p", "ny=16", *ranks(2))
        self.assertIn("1536 cells", self.weft("mesh", "refine", "w.h5", "fine.h5", *ranks(2)))
        self.assertIn("24576 cells", self.weft("mesh", "refine", "w.h5", "finer.msh", "--times", "3"))
        self.assertIn("1536 cells", self.weft("mesh", "info", "fine.h5"))
        for partitioner in ("metis", "hilbert"):
            said = self.weft("mesh", "partition", "fine.h5", "cut.h5", "--ranks", "3", "--partitioner", partitioner, "-n", 2)
            self.assertIn("3 parts of 5", said)
            self.assertIn("the file is cut into 3 parts\n", self.weft("mesh", "info", "cut.h5", *ranks(3)))
            self.assertIn("of which 2 ranks can make no use", self.weft("mesh", "info", "cut.h5", *ranks(2)))
        heavy = ("mesh", "partition", "fine.h5", "heavy.h5", "--ranks", "2", "--weight")
        self.assertRegex(self.weft(*heavy, "x < 0 ? 9 : 1"), r"2 parts of 3\d\d to 12\d\d")
        self.assertIn('--weight: "x" is -0.', self.weft(*heavy, "x", code=FAILED))
        text = (CASES / "wedge.toml").read_text()
        head, tail = text.split("[mesh]", 1)
        (self.folder / "cut.toml").write_text(f'{head}[mesh]\nfile = "cut.h5"\n{tail[tail.index("[free_stream]"):]}')
        run = ("run", "cut.toml", *sets("stop.steps=2"))
        self.assertIn("cut anew", self.weft(*run, *sets("output.directory=two"), *ranks(2)))
        self.assertNotIn("cut anew", self.weft(*run, *sets("output.directory=three", "mesh.balance=cost"), *ranks(3)))
        self.weft(*run, *sets("output.directory=curve", "mesh.partitioner=hilbert"), *ranks(3))
        self.assertIn('did you mean "hilbert"', self.weft(*run, *sets("mesh.partitioner=hilbrt"), code=FAILED))
        self.assertIn("did you mean hilbert?", self.weft("mesh", "info", "fine.h5", "--partitioner", "hilbrt", code=FAILED))
        self.assertIn("end its name in .h5", self.weft("mesh", "partition", "fine.h5", "cut.su2", "--ranks", "3", code=FAILED))
        self.assertIn("--ranks", self.weft("mesh", "partition", "fine.h5", "cut.h5", code=USAGE))
        self.assertIn("--times", self.weft("mesh", "refine", "fine.h5", "out.h5", "--times", "0", code=USAGE))

    @unittest.skipIf(h5py is None, "no h5py")
    def test_the_mesh_that_the_guide_writes_with_python(self):
        program = (SOURCE / "docs/guide/meshes.md").read_text().split("```python\n")[1].split("```")[0]
        subprocess.run([sys.executable, "-c", program], cwd=self.folder, check=True)
        self.assertIn("wall: 4 faces", self.weft("mesh", "info", "square.h5", *ranks(2)))

    def test_plans_for_ranks_that_are_not_there(self):
        case = self.coarse("forward_step")
        given = ["--latency", "1.5", "--bandwidth", "12", "--cell-rate", "4"]
        alone = self.weft("plan", *case, "--ranks", "1,2,64", *given)
        self.assertIn("1.5 us a message         (given)", alone)
        table = [line.split() for line in alone.splitlines() if line.strip().endswith("%")]
        self.assertEqual([int(row[0]) for row in table], [1, 2, 64])
        self.assertEqual(table[0][3:7], ["0", "0", "0", "0"], "one rank has no ghosts and sends nothing")
        self.assertIn("less than 50%", alone)
        together = self.weft("plan", *case, "--ranks", "1,2,64", *given, "-n", 2)
        for row, same in zip(table, [line.split() for line in together.splitlines() if line.strip().endswith("%")]):
            self.assertEqual(row[:7], same[:7], "counts do not depend on the ranks that plan")
        self.assertIn("measured between the ranks", self.weft("plan", *case, "--ranks", 2, "-n", 2))
        self.assertFalse((self.folder / "forward_step").exists(), "nothing is written")

    def test_plans_that_cannot_be_made(self):
        case = self.coarse("forward_step")
        for wrong in ([], ["--ranks", 0], ["--ranks", 65537], ["--ranks", "2,many"], ["--ranks", 2, "--latency", 0],
                      ["--ranks", 2, "--bandwidth", -1]):
            self.assertIn("see weft plan --help", self.weft("plan", *case, *wrong, code=USAGE))
        self.assertIn("no_such.toml", self.weft("plan", "no_such.toml", "--ranks", 2, code=FAILED))
        self.assertIn("on the host only", self.weft("plan", *case, "--ranks", 2, "--set", "device=cuda", code=FAILED))

    def test_info_and_reference(self):
        self.assertIn("Open MPI", self.weft("info"))
        reference = self.weft("reference")
        for key in ("cfl", "limiter", "venkatakrishnan_k", "force_window", "total_pressure", "generator", "checkpoint_steps"):
            self.assertIn(f"`{key}`", reference)


if __name__ == "__main__":
    unittest.main(verbosity=2)
