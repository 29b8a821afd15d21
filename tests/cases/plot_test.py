"""weft plot, weft report and weft mesh info --picture, on results of runs. Exits with 77 where h5py or matplotlib is missing.

    plot_test.py path/to/weft [unittest arguments]
"""
import os
import re
import subprocess
import sys
import unittest

try:
    import h5py
    import matplotlib.image
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}; apt-get install python3-h5py python3-numpy python3-matplotlib")
    sys.exit(77)

from weft_support import FAILED, PATIENCE, SOURCE, USAGE, WEFT, InFolder, environment, ranks, sets

SI = ["gas.gas_constant=287.05", "free_stream.density=1.225", "free_stream.pressure=101325"]


def text_of(svg):
    """The words of an SVG, joined as one reads them."""
    return " ".join(re.findall(r"<(?:text|tspan)[^>]*>([^<]+)", svg.read_text()))


class Plot(InFolder):
    def plot(self, *arguments, code=0):
        """The lines that the command prints; standard error where it fails."""
        done = subprocess.run([WEFT, "plot", *map(str, arguments)], cwd=self.folder, env=environment(), timeout=PATIENCE, capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        if code == 0:
            self.assertEqual(done.stderr, "")
            return done.stdout.splitlines()
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def pixels(self, name):
        picture = matplotlib.image.imread(self.folder / name)[..., :3]
        self.assertGreater(picture.std(), 0.01, f"{name} is blank")
        return picture

    # One test for each run: they take as long as the pictures.

    def test_a_line_with_its_exact_solution(self):
        self.weft("run", *self.coarse("sod", steps=20))
        with h5py.File(self.folder / "sod" / "fields_00000020.hdf") as file:
            cells = file["VTKHDF/CellData"]
            self.assertLess(np.abs(cells["density"][:] - cells["exact_density"][:]).mean(), 0.02)
            self.assertEqual(cells["exact_velocity"].shape, (40, 3))
            self.assertEqual((cells["exact_density"][:].max(), cells["exact_density"][:].min()), (1, 0.125))
        self.assertEqual(self.plot("sod"), ["sod/fields_00000020_density_along_x.png", "sod/residuals.png"])
        self.assertEqual(self.plot("sod", "--field", "velocity_x", "--output", "a.svg", "--title", "Sod"), ["a.svg"])
        for word in ("Velocity x", "exact", "computed", "Sod"):
            self.assertIn(word, text_of(self.folder / "a.svg"))
        self.plot("sod", "--step", 0, "--field", "mach", "--output", "uniform.png")  # all of it is 0
        listed = self.plot("sod", "--list")
        for line in ("sod: fields of 2 steps: 0, 20", "  velocity, with velocity_x, velocity_y and velocity_z", "  schlieren, computed here",
                     "  error_density, computed here", "mesh and boundary zones (--zones)"):
            self.assertIn(line, listed)
        self.weft("report", "sod")
        page = (self.folder / "sod" / "report.html").read_text()
        for words in ("along x, with the exact solution", "Boundary zones, coloured by their condition", "xmin: supersonic outflow",
                      "Error against the exact solution"):
            self.assertTrue(words in page, words)
        # Without the exact solution there is none in the fields.
        self.weft("run", *self.coarse("sod", "output.exact_errors=false", results="plain", steps=1))
        with h5py.File(self.folder / "plain" / "fields_00000001.hdf") as file:
            self.assertNotIn("exact_density", file["VTKHDF/CellData"])

    def test_a_body_in_a_large_domain(self):
        self.weft("run", *self.coarse("naca0012", *SI, steps=20), *ranks(2))
        with h5py.File(self.folder / "naca0012" / "boundary.hdf") as file:  # written by both ranks
            zones = file["VTKHDF/CellData/zone"][:]
            self.assertEqual(sorted(np.unique(zones)), [0, 1])
            self.assertEqual([(zones == z).sum() for z in (0, 1)], [32, 32])
            self.assertEqual(set(file["VTKHDF/Types"][:]), {3})
        self.assertEqual(len(self.plot("naca0012")), 4)  # fields, walls, residuals, forces
        names = self.plot("naca0012", "--field", "pressure", "--format", "svg", "--output", "drawn")
        near = text_of(self.folder / names[0])
        for words in ("x (m)", "Pressure (Pa)", "1.5"):
            self.assertIn(words, near)
        self.assertNotIn("−15", near)
        whole = text_of(self.folder / self.plot("naca0012", "--field", "pressure", "--whole", "--output", "whole.svg")[0])
        self.assertIn("−15", whole)
        window = text_of(self.folder / self.plot("naca0012", "--field", "pressure", "--window", "-3,5,-2,2", "--output", "part.svg")[0])
        self.assertIn("4", window)
        walls = text_of(self.folder / self.plot("naca0012/walls_00000020.hdf", "--output", "walls.svg")[0])
        for words in ("upper side", "lower side", "Cp* = −0.43", "x / c, c = 1 m"):  # Mach 0.8, gamma 1.4: -0.4346
            self.assertIn(words, walls)
        self.plot("naca0012", "--field", "schlieren", "--output", "schlieren.png")
        self.pixels("schlieren.png")
        self.weft("report", "naca0012")
        page = (self.folder / "naca0012" / "report.html").read_text()
        for words in ("airfoil Cm z", "a positive Cm z turns the nose down", "farfield: far field", "Decades that residuals fell",
                      "that of density fell by"):
            self.assertTrue(words in page, words)

    def test_a_figure_for_a_journal(self):
        self.weft("run", *self.coarse("wedge", steps=20))
        self.plot("wedge", "--field", "pressure", "--shading", "smooth", "--lines", 20, "--size", "9,7", "--output", "figure.pdf")
        text = (self.folder / "figure.pdf").read_bytes()
        self.assertTrue(b"/CIDFontType2" in text or b"/TrueType" in text)
        self.assertNotIn(b"/Type3", text)
        box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", text)
        self.assertAlmostEqual(float(box.group(1)), 9 / 2.54 * 72, 1)
        self.assertAlmostEqual(float(box.group(2)), 7 / 2.54 * 72, 1)
        self.plot("wedge", "--field", "density", "--levels", "1.5,1.6", "--mesh", "--streamlines", "--dpi", 60, "--output", "one.png")
        self.assertEqual(self.pixels("one.png").shape[1], int(16 / 2.54 * 60))

    def test_three_dimensions_and_a_scalar(self):
        self.small_wing("wing", steps=2)
        self.assertEqual(self.plot("wing", "--field", "smoke,mach", "--output", "."), ["fields_00000002_smoke_z1.png", "fields_00000002_mach_z1.png"])
        self.pixels("fields_00000002_mach_z1.png")  # through the middle of the span, around the body
        self.assertEqual(self.plot("wing", "--field", "mach", "--slice", "x=0.5", "--output", "x.png"), ["x.png"])
        self.assertIn("misses the mesh", self.plot("wing", "--slice", "z=3", "--output", "x.png", code=FAILED))
        self.lines_of_a_cut()
        self.assertIn("wing/fields_00000002.cgns: 576 cells", self.weft("export", "wing", "--format", "cgns"))
        exported = self.weft("mesh", "info", "wing/fields_00000002.cgns")
        for line in self.weft("mesh", "info", "wing.msh").splitlines():
            if line.startswith("  boundary"):
                self.assertIn(line, exported)
        said = self.weft("mesh", "info", "wing.msh", "--picture", "mesh.svg", *ranks(2))
        self.assertIn("mesh.svg\n", said)
        for zone in ("airfoil", "farfield", "zmin", "zmax"):
            self.assertIn(zone, text_of(self.folder / "mesh.svg"))
        self.assertEqual([file.name for file in self.folder.iterdir() if file.name.startswith(".")], [])
        self.assertIn("weft: error: no/mesh.png: cannot create", self.weft("mesh", "info", "wing.msh", "--picture", "no/mesh.png", code=FAILED))
        self.assertIn("--picture: pictures are .png, .pdf and .svg files, and mesh.jpg is none",
                      self.weft("mesh", "info", "wing.msh", "--picture", "mesh.jpg", code=USAGE))

    def lines_of_a_cut(self):
        """The outline of a cut is the body and the ends of the domain; streamlines keep to the cells."""
        sys.path.insert(0, str(SOURCE / "python"))
        self.addCleanup(sys.path.remove, str(SOURCE / "python"))
        from weft.plot import drawing, grid, pictures
        fields = grid.Grid(self.folder / "wing" / "fields_00000002.hdf")
        outline = drawing.cut_outline(fields.boundary, "z", 1.001)
        self.assertEqual(outline.shape, (2 * 24, 2, 2))  # around the body and the far field
        ends = np.round(outline.reshape(-1, 2), 9)
        self.assertTrue((np.unique(ends, axis=0, return_counts=True)[1] == 2).all())  # closed lines
        figure = pictures.field(fields, "mach", pictures.choices(slice=("z", 1.001), streamlines=2.0))
        far = np.hypot(*outline.reshape(-1, 2).T).max()
        streamlines = [line for line in figure.axes[0].collections if line.get_linewidth()[0] == 0.5]
        self.assertEqual(len(streamlines), 1)
        ends = np.concatenate([path.vertices for path in streamlines[0].get_paths()])
        self.assertGreater(len(ends), 100)
        self.assertLess(np.hypot(*ends.T).max(), 1.01 * far)

    def test_fields_that_are_not_finite(self):
        self.weft("run", *self.coarse("forward_step", steps=2))
        fields = self.folder / "forward_step" / "fields_00000002.hdf"
        with h5py.File(fields, "a") as file:
            file["VTKHDF/CellData/density"][7] = np.nan
            file["VTKHDF/CellData/pressure"][...] = np.inf
        for shading in ("cells", "smooth"):
            self.plot("forward_step", "--field", "density", "--shading", shading, "--lines", 5, "--output", "one.svg")
            self.assertIn("1 cell without a finite value", text_of(self.folder / "one.svg"))
        self.assertIn("has no finite value", self.plot("forward_step", "--field", "pressure", "--output", "one.png", code=FAILED))
        fields.write_bytes(fields.read_bytes()[:-500])
        self.assertIn("cannot be read", self.plot("forward_step", "--step", 2, "--output", "one.png", code=FAILED))

    def test_takes_the_last_files_that_are_whole(self):
        self.weft("run", *self.coarse("naca0012", "output.field_steps=5", steps=15))
        folder = self.folder / "naca0012"
        for name in ("fields_00000010.hdf", "fields_00000015.hdf", "walls_00000015.hdf"):
            (folder / name).write_bytes((folder / name).read_bytes()[:2000])
        for arguments, drawn in ((["--field", "mach"], ["naca0012/fields_00000005_mach.png"]), (["--zones"], ["naca0012/boundary.png"]),
                                 ([], ["naca0012/fields_00000005_density.png", "naca0012/walls_00000005.png", "naca0012/residuals.png",
                                       "naca0012/forces.png"])):
            done = subprocess.run([WEFT, "plot", "naca0012", *arguments], cwd=self.folder, env=environment(), timeout=PATIENCE, capture_output=True,
                                  text=True, check=True)
            self.assertEqual(done.stdout.splitlines(), drawn)
            self.assertRegex(done.stderr, r"^weft: warning: naca0012/fields_00000015.hdf: cannot be read .*; drawing fields_00000005.hdf instead\n$")
        self.assertIn("cannot be read", self.plot("naca0012", "--step", "15", code=FAILED))
        moving = subprocess.run([WEFT, "plot", "naca0012", "--animate", "gif"], cwd=self.folder, env=environment(), timeout=PATIENCE,
                                capture_output=True, text=True, check=True)
        self.assertEqual(moving.stderr.count("; left out\n"), 2)
        self.assertIn("naca0012/fields_density.gif\n", moving.stdout)
        for name in ("fields_00000000.hdf", "fields_00000005.hdf"):
            (folder / name).write_bytes(b"")
        self.assertIn("fields_00000015.hdf: cannot be read", self.plot("naca0012", code=FAILED))

    def test_folders_with_several_runs(self):
        for n in range(10):
            (self.folder / "sweep" / f"alpha_{n}").mkdir(parents=True)
            (self.folder / "sweep" / f"alpha_{n}" / "case.toml").write_text("")
        names = ", ".join(f"alpha_{n}" for n in range(8))
        self.assertEqual(self.plot("sweep", code=FAILED), f"weft: error: sweep: holds no results itself, but 10 folders with results: {names} and 2 more; "
                         "give one of them: weft plot sweep/alpha_0\n")
        self.assertIn("give one of them: weft report sweep/alpha_0\n", self.weft("report", "sweep", code=FAILED))
        said = self.weft("export", "sweep", code=FAILED)
        self.assertIn(f"sweep: this folder holds no field file itself, but 10 folders with results: {names} and 2 more; "
                      "give one of them: weft export sweep/alpha_0\n", said)
        (self.folder / "forces.csv").write_text("step\n")
        self.assertIn("forces.csv: is not a field file (fields_*.hdf, walls_*.hdf or boundary.hdf); give one", self.weft("export", "forces.csv", code=FAILED))

    def test_mistakes_are_one_line(self):
        (self.folder / "empty").mkdir()
        (self.folder / "text.txt").write_text("no results")
        self.assertIn("weft: error: rnu: there is no such file or folder; give", self.plot("rnu", code=FAILED))
        self.assertIn("weft: error: empty: has neither", self.plot("empty", code=FAILED))
        self.assertIn("weft: error: empty: has neither", self.plot("empty", "--list", code=FAILED))
        self.assertIn("is none of the files that can be drawn", self.plot("text.txt", code=FAILED))
        self.assertIn("has no boundary.hdf", self.plot("empty", "--zones", code=FAILED))
        for wrong in ([], ["empty", "--windwo", "1"], ["empty", "--size", "1"], ["empty", "--window", "3,1,0,1"], ["empty", "--dpi", "1e9"]):
            self.assertIn("see weft plot --help", self.plot(*wrong, code=USAGE))
        self.assertIn("pictures are .png, .pdf, .svg files", self.plot("empty", "--output", "a.jpg", code=FAILED))
        self.assertIn("is no PNG file", self.plot("empty", "--output", "a.pdf", "--format", "png", code=FAILED))
        self.assertIn('did you mean "plot"', self.weft("plto", code=USAGE))

    def test_output_that_cannot_be_written(self):
        self.weft("run", *self.coarse("sod", steps=1))
        for where, *arguments in (("pipe", "plot", "sod", "--list"), ("closed", "plot", "sod", "--list"), ("full", "plot", "--help"),
                                  ("closed", "report", "sod"), ("pipe", "plot", "sod")):
            with self.subTest(arguments=arguments, where=where):
                read, write = os.pipe()
                os.close(read)
                full = os.open("/dev/full", os.O_WRONLY)
                command = ["sh", "-c", '"$0" "$@" >&-' if where == "closed" else '"$0" "$@"', str(WEFT), *arguments]
                done = subprocess.run(command, cwd=self.folder, env=environment(), stdout=full if where == "full" else write,
                                      stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False)
                os.close(write)
                os.close(full)
                self.assertEqual(done.returncode, FAILED, done.stderr)
                self.assertRegex(done.stderr, r"^weft: error: standard output: cannot be written \([^\n]*\); all else was done\n$")
        self.assertTrue((self.folder / "sod" / "residuals.png").exists())  # for all users
        self.assertTrue((self.folder / "sod" / "report.html").exists())


if __name__ == "__main__":
    unittest.main()
