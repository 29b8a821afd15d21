"""The commands other than weft run.

    commands_test.py path/to/weft [unittest arguments]
"""
import json
import os
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree
from unittest import mock

from weft_support import CASES, COARSE, DONE, FAILED, PATIENCE, SOURCE, USAGE, WEFT, InFolder, environment, h5py, np, ranks, sets

# A triangle of second order, in the format of Gmsh, whose edge "wall" is curved.
SECOND_ORDER = """$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
1 1 "wall"
1 2 "far"
$EndPhysicalNames
$Nodes
6
1 0 0 0
2 1 0 0
3 0 1 0
4 0.5 -0.1 0
5 0.5 0.5 0
6 0 0.5 0
$EndNodes
$Elements
4
1 8 2 1 1 1 2 4
2 8 2 2 2 2 3 5
3 8 2 2 2 3 1 6
4 9 2 3 3 1 2 3 4 5 6
$EndElements
"""


def write_cgns_square(path, unit):
    """Two triangles in a square whose edge is 1000 of a unit of length."""
    def node(parent, name, label, data=None, children=()):
        group = parent.create_group(name, track_order=True)
        if isinstance(data, str):
            data = np.frombuffer(data.encode(), dtype=np.int8)
        kind = "MT" if data is None else {"int8": "C1", "int32": "I4", "float64": "R8"}[str(data.dtype)]
        for key, value, size in (("name", name, 33), ("label", label, 33), ("type", kind, 3)):
            group.attrs.create(key, np.bytes_(value), dtype=f"S{size}")
        if data is not None:
            group[" data"] = data
        for child in children:
            node(group, *child)

    def ints(*values):
        return np.array(values, dtype=np.int32)

    def section(name, kind, first, last, nodes):
        return (name, "Elements_t", ints(kind, 0), [("ElementRange", "IndexRange_t", ints(first, last)),
                                                    ("ElementConnectivity", "DataArray_t", ints(*nodes))])

    coordinates = [(f"Coordinate{axis}", "DataArray_t", np.array(x, dtype=np.float64))
                   for axis, x in (("X", [0, 1000, 1000, 0]), ("Y", [0, 0, 1000, 1000]))]
    with h5py.File(path, "w", track_order=True) as file:
        node(file, "Base", "CGNSBase_t", ints(2, 2), [
            ("DataClass", "DataClass_t", "Dimensional"),
            ("DimensionalUnits", "DimensionalUnits_t", "".join(f"{word:32}" for word in ("Kilogram", unit, "Second", "Kelvin", "Radian"))),
            ("Zone", "Zone_t", ints(4, 2, 0), [
                ("ZoneType", "ZoneType_t", "Unstructured"),
                ("GridCoordinates", "GridCoordinates_t", None, coordinates),
                section("Cells", 5, 1, 2, (1, 2, 3, 1, 3, 4)),
                section("wall", 3, 3, 6, (1, 2, 2, 3, 3, 4, 4, 1))])])


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

    def test_new_writes_a_case_for_a_mesh(self):
        self.weft("mesh", "generate", "naca", "naca.msh", "-p", "around=32", "-p", "radial=12", "-p", "radius=30")
        (self.folder / "cases").mkdir()
        printed = self.weft("new", "from_file", "cases/wing.toml", "--mesh", "naca.msh")
        self.assertEqual(printed, "wrote cases/wing.toml; run it with: weft run cases/wing.toml\n")
        for n in (1, 2, 3):
            checked = self.weft("check", "cases/wing.toml", *ranks(n))
            self.assertIn("good. 384 cells in 2-D; zones: airfoil farfield\n", checked)
            self.assertNotIn("warning", checked)
        self.weft("run", "cases/wing.toml", *sets("stop.steps=3", "output.history_steps=1"))
        self.assertEqual(len(self.rows("cases/results/wing/forces.csv")), 4)
        self.assertIn("airfoil_cd", self.rows("cases/results/wing/forces.csv")[0])
        self.assertIn("--force", self.weft("new", "from_file", "cases/wing.toml", "--mesh", "naca.msh", code=FAILED))
        for words in ((), ("wing.toml",)):
            self.assertIn("weft: error: this case is written for a mesh, and none is given; write weft new from_file CASE --mesh FILE",
                          self.weft("new", "from_file", *words, code=FAILED))
        # A mesh in millimetres: lengths of its case are in metres. Without --scale a change of scale alone is doubtful.
        self.weft("mesh", "generate", "naca", "mm.msh", "-p", "around=32", "-p", "radial=12", "-p", "radius=30", "-p", "chord=1000")
        self.weft("new", "from_file", "mm.toml", "--mesh", "mm.msh", "--scale", "0.001")
        checked = self.weft("check", "mm.toml", *ranks(2))
        self.assertRegex(checked, r"reference length (1|0\.99\d+|1\.00\d+) \(forces\.airfoil\.length\)")
        self.assertNotIn("warning", checked)
        self.weft("new", "from_file", "mm.toml", "--mesh", "mm.msh", "--force")
        checked = self.weft("check", "mm.toml", *sets("mesh.scale=0.001"), *ranks(2))
        for key in ("area", "length", "moment_centre"):
            self.assertRegex(checked, rf"weft: warning: mm\.toml:\d+:\d+: forces\.airfoil\.{key}: .* it looks like a value in the unit of")
        self.assertIn("give it after scaling, 1", self.weft("run", "mm.toml", *sets("mesh.scale=0.001", "stop.steps=1")))
        self.assertIn("a scale is for the mesh of", self.weft("new", "from_file", "--scale", "0.001", "--force", code=FAILED))
        # Kinds that cannot be guessed must be chosen; all of them are reported at once; a pattern gives several zones one kind.
        self.weft("mesh", "generate", "box", "box.su2", "-p", "nx=3", "-p", "ny=3", "-p", "nz=3")
        self.assertIn("replace CHOOSE by a kind for 6 zones: xmin, xmax, ", self.weft("new", "from_file", "box.toml", "--mesh", "box.su2"))
        refused = self.weft("check", "box.toml", code=FAILED)
        self.assertEqual(refused.count("weft: error: box.toml:"), 6, refused)
        self.assertEqual(refused.count("still to be chosen"), 6, refused)
        text = (self.folder / "box.toml").read_text()
        head, tail = text[:text.index("# 9 faces")], text[text.index("[numerics]"):]
        (self.folder / "box.toml").write_text(f'{head}[boundary."?min"]\nkind = "slip_wall"\n[boundary."*"]\nkind = "far_field"\n'
                                              f'[boundary.xmax]\nkind = "far_field"\n{tail}')
        refused = self.weft("check", "box.toml", code=FAILED)
        self.assertEqual(refused.count('the patterns "?min" and "*" both match the zone "'), 3, refused)
        (self.folder / "box.toml").write_text((self.folder / "box.toml").read_text().replace('[boundary."*"]', '[boundary."[yz]max"]'))
        refused = self.weft("check", "box.toml", code=FAILED)  # brackets stand for themselves
        self.assertIn('the mesh box.su2 has no boundary zone "[yz]max"', refused)
        (self.folder / "box.toml").write_text((self.folder / "box.toml").read_text().replace('"[yz]max"', '"?max"'))
        self.assertIn('zone ymax: far_field (by the pattern "?max")', self.weft("check", "box.toml"))
        # Periodic pairs and their translations are found; they are found again in a scaled mesh.
        self.weft("mesh", "generate", "vortex_box", "vortex.msh", "-p", "n=8")
        renamed = (self.folder / "vortex.msh").read_text()
        for old, new in (("xmin", "periodic_0_l"), ("xmax", "periodic_0_r"), ("ymin", "periodic_1_l"), ("ymax", "periodic_1_r")):
            renamed = renamed.replace(f'"{old}"', f'"{new}"')
        (self.folder / "vortex.msh").write_text(renamed)
        self.weft("new", "from_file", "vortex.toml", "--mesh", "vortex.msh")
        self.assertIn("zones periodic_0_l and periodic_0_r: periodic, (10, 0, 0) apart", self.weft("check", "vortex.toml", *ranks(2)))
        self.assertIn("a translation of (5, 0, 0) away", self.weft("check", "vortex.toml", *sets("mesh.scale=0.5")))

    def test_an_absolute_results_folder_is_no_former_place(self):
        """A run below the current folder was that of a relative output.directory in former versions; an absolute one never moved."""
        (self.folder / "cases" / "results").mkdir(parents=True)
        (self.folder / "results").mkdir()
        (self.folder / "results" / "case.toml").write_text("")
        text = (CASES / "sod.toml").read_text()
        for directory, warned in (("results", True), (self.folder / "cases" / "results", False)):
            changed = re.sub(r'directory = ".*"', f'directory = "{directory}"', text)
            self.assertNotEqual(changed, text)
            (self.folder / "cases" / "sod.toml").write_text(changed)
            checked = self.weft("check", self.folder / "cases" / "sod.toml", *sets("mesh.nx=40"))
            self.assertEqual("holds a run" in checked, warned, checked)

    def test_a_case_for_gpus_is_checked_without_one(self):
        case = self.coarse("wedge")
        with mock.patch.dict(os.environ, CUDA_VISIBLE_DEVICES=""):
            for options in ([], sets("numerics.precision=mixed", "transport=nccl"), ranks(2)):
                printed = self.weft("check", *case, "--device", "cuda", *options)
                self.assertIn("good. 96 cells", printed)
                self.assertIn("checked without a GPU", printed)
            self.assertIn("boundary.far", self.weft("check", *case, "--device", "cuda", *sets("boundary.far.kind=outlet"), code=FAILED))
        self.assertNotIn("GPU", self.weft("check", *case))
        slow = self.weft("check", *case, "--device", "cuda", *sets("numerics.precision=mixed", "free_stream.mach=0.03"))
        self.assertIn("weft: warning: the largest Mach number of the case's states is 0.03", slow)
        self.assertNotIn("the largest Mach number", self.weft("check", *case, *sets("free_stream.mach=0.03")))

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
        self.assertIn("nonsense", self.weft("mesh", "generate", "wedge", "none.su2", "-p", "nonsense=6", code=FAILED))
        self.assertIn("nx", self.weft("mesh", "generate", "wedge", "none.su2", "-p", "nx", code=FAILED))
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

    def test_files_are_replaced_only_by_force(self):
        small = ("-p", "nx=2", "-p", "ny=2")
        self.weft("mesh", "generate", "box", "m.su2", *small)
        self.weft("new", "sod", "mine.toml")
        for name in ("m.msh", "m.h5", "link.su2"):
            (self.folder / name).write_text("mine")
        (self.folder / "link.su2").unlink()
        (self.folder / "link.su2").symlink_to("nowhere")
        before = {file.name: file.read_bytes() for file in self.folder.iterdir() if file.exists()}
        writers = [("mesh", "convert", "m.su2", "m.msh"), ("mesh", "convert", "m.su2", "m.su2", *ranks(3)), ("mesh", "convert", "m.su2", "m.h5"),
                   ("mesh", "generate", "box", "m.msh", *small), ("mesh", "generate", "box", "link.su2"), ("mesh", "refine", "m.su2", "m.h5"),
                   ("mesh", "partition", "m.su2", "m.h5", "--ranks", 2, *ranks(3)), ("new", "wedge", "mine.toml")]
        for words in writers:
            refused = self.weft(*words, code=FAILED)
            self.assertIn("this file is there already; choose another name, or give --force to replace it", refused)
            self.assertEqual(refused.count("weft: error"), 1)
        self.assertEqual({file.name: file.read_bytes() for file in self.folder.iterdir() if file.exists()}, before)
        for words in writers:
            if "link.su2" in words:
                self.assertIn("this is a symbolic link to nowhere, which would be replaced by a file; give the name of the file itself",
                              self.weft(*words, "--force", code=FAILED))
            else:
                self.assertIn("wrote", self.weft(*words, "--force"))
        self.assertEqual([file for file in self.folder.iterdir() if file.suffix == ".part"], [])
        self.assertIn("4 cells", self.weft("mesh", "info", "m.su2"))  # converted in its own place

    def test_results_are_exported(self):
        self.weft("run", *self.coarse("naca0012"), *ranks(3))
        cells, points = 32 * 16, 32 * 17  # points where parts of ranks meet are one point
        self.assertIn(f"wrote naca0012/fields_00000005.vtu: {cells} cells, {points} points\n", self.weft("export", "naca0012"))
        blocks = xml.etree.ElementTree.parse(self.folder / "naca0012/fields_00000005.vtm").getroot()
        self.assertEqual([each.get("name") for each in blocks.iter("DataSet")], ["cells", "airfoil", "farfield"])
        for each in blocks.iter("DataSet"):
            self.assertTrue((self.folder / "naca0012" / each.get("file")).exists())
        self.assertIn("--force", self.weft("export", "naca0012", code=FAILED))
        self.weft("export", "naca0012", "--force")
        self.assertIn("wrote made/here/fields_00000005.vtu", self.weft("export", "naca0012", "--output", "made/here"))
        (self.folder / "cgns").mkdir()
        told = self.weft("export", "naca0012", "--format", "cgns", "--time", "all", "--output", "cgns")
        self.assertEqual(told.count("wrote cgns/fields_"), 2)
        self.assertIn("walls_00000005.vtu: 32 cells, 32 points", self.weft("export", "naca0012/walls_00000005.hdf"))
        if h5py:
            with h5py.File(self.folder / "cgns/fields_00000005.cgns") as file, \
                    h5py.File(self.folder / "naca0012/fields_00000005.hdf") as fields:
                zone = file["Base/Zone"]
                self.assertEqual(zone[" data"][()].ravel().tolist(), [points, cells, 0])
                self.assertEqual(zone.attrs["label"], b"Zone_t")
                for name, ours in (("Pressure", "pressure"), ("Mach", "mach")):
                    self.assertTrue(np.array_equal(zone[f"FlowSolution/{name}/ data"][()], fields[f"VTKHDF/CellData/{ours}"][()]))
        self.weft("mesh", "generate", "box", "mesh.h5", "-p", "nx=2", "-p", "ny=2")
        for words, said in ((["none"], "no such folder"), (["cgns"], "fields_*.hdf"), (["mesh.h5"], "not a field file"),
                            (["naca0012/case.toml"], "is not a field file"), (["naca0012", "--output", "mesh.h5"], "mesh.h5: cannot create this directory")):
            self.assertIn(said, self.weft("export", *words, code=FAILED))
        self.weft("export", "naca0012", "--format", "stl", code=USAGE)
        # Exports of a run are removed with it.
        self.weft("run", *self.coarse("naca0012", steps=3), "--overwrite")
        self.assertEqual([file.name for file in (self.folder / "naca0012").iterdir() if file.suffix in (".vtu", ".vtm")], [])

    def test_meshes_are_refined_and_cut(self):
        self.weft("mesh", "generate", "wedge", "w.h5", "-p", "nx=24", "-p", "ny=16", *ranks(2))
        self.assertIn("1536 cells", self.weft("mesh", "refine", "w.h5", "fine.h5", *ranks(2)))
        self.assertIn("24576 cells", self.weft("mesh", "refine", "w.h5", "finer.msh", "--times", "3"))
        self.assertIn("1536 cells", self.weft("mesh", "info", "fine.h5"))
        for partitioner in ("metis", "hilbert"):
            said = self.weft("mesh", "partition", "fine.h5", "cut.h5", "--ranks", "3", "--partitioner", partitioner, "-n", 2, "--force")
            self.assertIn("3 parts of 5", said)
            self.assertIn("the file is cut into 3 parts\n", self.weft("mesh", "info", "cut.h5", *ranks(3)))
            self.assertIn("of which 2 ranks can make no use", self.weft("mesh", "info", "cut.h5", *ranks(2)))
        heavy = ("mesh", "partition", "fine.h5", "heavy.h5", "--ranks", "2", "--force", "--weight")
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
        self.assertIn('did you mean "hilbert"?', self.weft("mesh", "info", "fine.h5", "--partitioner", "hilbrt", code=FAILED))
        self.assertIn("end its name in .h5", self.weft("mesh", "partition", "fine.h5", "cut.su2", "--ranks", "3", code=FAILED))
        self.assertIn("--ranks", self.weft("mesh", "partition", "fine.h5", "cut.h5", code=USAGE))
        self.assertIn("--times", self.weft("mesh", "refine", "fine.h5", "out.h5", "--times", "0", code=USAGE))

    @unittest.skipIf(h5py is None, "this Python has no h5py (Debian: python3-h5py)")
    def test_a_cgns_mesh_in_millimetres_becomes_metres_once(self):
        write_cgns_square(self.folder / "square.cgns", "Millimeter")
        said = "the coordinates of the file are in Millimeter: multiplied by 0.001 to metres"
        for words in ([], ranks(2)):
            info = self.weft("mesh", "info", "square.cgns", *words)
            self.assertIn(said, info)
            self.assertIn("(0, 0, 0) to (1, 1, 0)", info)
        (self.folder / "case.toml").write_text('[mesh]\nfile = "square.cgns"\n[initial]\ndensity = 1\npressure = 1\n'
                                               '[boundary.wall]\nkind = "slip_wall"\n[stop]\nsteps = 1\n')
        self.assertIn(said, self.weft("check", "case.toml"))
        self.assertIn(said, self.weft("run", "case.toml"))
        refused = self.weft("check", "case.toml", *sets("mesh.scale=0.001"), code=FAILED)
        self.assertIn("mesh.scale would do it a second time", refused)
        self.weft("check", "case.toml", *sets("mesh.scale=2"))
        convert = ("mesh", "convert", "square.cgns", "square.su2", *ranks(2))
        self.assertIn("--scale would do it a second time", self.weft(*convert, "--scale", "0.001", code=FAILED))
        self.assertIn(said, self.weft(*convert))
        self.assertIn("(0, 0, 0) to (1, 1, 0)", self.weft("mesh", "info", "square.su2"))
        write_cgns_square(self.folder / "square.cgns", "Meter")
        self.assertNotIn("coordinates", self.weft("mesh", "info", "square.cgns"))

    @unittest.skipIf(h5py is None, "this Python has no h5py (Debian: python3-h5py)")
    def test_the_mesh_that_the_guide_writes_with_python(self):
        program = (SOURCE / "docs/guide/meshes.md").read_text().split("```python\n")[1].split("```")[0]
        subprocess.run([sys.executable, "-c", program], cwd=self.folder, check=True)
        self.assertIn("wall: 4 faces", self.weft("mesh", "info", "square.h5", *ranks(2)))

    def test_what_was_lost_in_reading_a_mesh_is_in_its_document(self):
        (self.folder / "curved.msh").write_text(SECOND_ORDER)
        lost = "1 cell of second order is read as of first order, with straight edges, and 3 nodes between corners are dropped"
        self.assertIn(f"warning   {lost}", self.weft("mesh", "info", "curved.msh"))
        for words in ([], ranks(2)):
            done = subprocess.run([WEFT, "mesh", "info", "curved.msh", "--json", *words], cwd=self.folder, env=environment(),
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, DONE, done.stderr)
            document = json.loads(done.stdout)
            self.assertEqual(len(document["warnings"]), 1)
            self.assertTrue(document["warnings"][0].startswith(lost), document["warnings"])
            self.assertEqual(done.stderr, f"weft: warning: mesh curved.msh: {document['warnings'][0]}\n")

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

    def test_plan_draws_the_tasks_of_a_stage(self):
        command = ["plan", *self.coarse("forward_step"), "--ranks", 2, "--tasks", self.folder / "stage.svg"]
        self.weft(*command)
        picture = xml.etree.ElementTree.parse(self.folder / "stage.svg")
        titles = [title.text for title in picture.iter("{http://www.w3.org/2000/svg}title")]
        self.assertIn("update", titles)
        self.assertTrue([title for title in titles if title.startswith("start pull values: ")], titles)
        self.assertIn("stage.svg", self.weft(*command, code=FAILED))
        self.weft(*command, "--force", *ranks(2))

    def test_plan_writes_the_tasks_of_a_stage_in_the_format_of_the_extension(self):
        command = ["plan", *self.coarse("forward_step"), "--ranks", 2, "--cell-rate", 4, "--tasks"]
        for extension, beginning in ((".dot", "digraph tasks {"), (".txt", "first iteration\n"), (".svg", "<svg")):
            self.weft(*command, self.folder / f"stage{extension}")
            self.assertIn(beginning, (self.folder / f"stage{extension}").read_text()[:200])
        self.weft(*command, self.folder / "stage.json")
        nodes = json.loads((self.folder / "stage.json").read_text())["repeated"]["nodes"]
        self.assertIn("start pull values", [node["name"] for node in nodes])
        for name in ("stage.png", "stage", "svg", ""):
            refused = self.weft(*command, name, code=USAGE)
            self.assertIn("--tasks: its name must end in one of .svg, .dot, .json, .txt", refused)
            self.assertFalse((self.folder / name).is_file())

    def test_empty_names_of_files_are_refused(self):
        case = self.coarse("forward_step")
        for command in (["run", *case, "--trace", ""], ["new", ""], ["new", "naca0012", ""],
                        ["new", "from_file", "case.toml", "--mesh", ""], ["mesh", "generate", ""],
                        ["mesh", "generate", "naca", ""], ["mesh", "generate", "naca", "a.msh", "--format", ""],
                        ["export", self.folder, "--output", ""]):
            with self.subTest(command=command):
                self.assertIn("must not be empty", self.weft(*command, code=USAGE))

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
