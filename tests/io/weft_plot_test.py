"""Tests of the drawing tools behind `weft plot`: cuts have the right area, pictures are drawn, mistakes are named. Exits with 77 where h5py or matplotlib
is missing."""
import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

try:
    import h5py
    import numpy as np
    import matplotlib.image
    from PIL import Image
except ImportError as missing:
    print(f"skipped: {missing}; apt-get install python3-h5py python3-numpy python3-matplotlib")
    sys.exit(77)

sys.dont_write_bytecode = True
MODULES = Path(__file__).resolve().parents[2] / "python"
TOOL = [sys.executable, "-B", MODULES / "weft" / "plot", "plot"]
sys.path[:0] = [str(MODULES), str(Path(__file__).resolve().parent / "support")]
from vtkhdf import HEXAHEDRON, PRISM, PYRAMID, TETRAHEDRON, circle, cube, lattice, square, write  # noqa: E402

from weft.plot import pictures, plot_command, walls  # noqa: E402
from weft.plot.drawing import flat_drawing, slice_drawing  # noqa: E402
from weft.plot.errors import PlotError  # noqa: E402
from weft.plot.grid import Grid  # noqa: E402
from weft.plot.moving import WRITERS, FFMpegWriter, PillowWriter  # noqa: E402
from weft.plot.style import begin_command  # noqa: E402

begin_command()


def area(polygons):
    x, y = polygons[..., 0], polygons[..., 1]
    return 0.5 * np.abs((x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1)).sum(axis=1))


class WeftPlot(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def pictures(self, *arguments):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            plot_command.run([str(argument) for argument in arguments])
        paths = [Path(line) for line in said.getvalue().splitlines()]
        for path in paths:
            if path.suffix != ".png":
                continue
            pixels = matplotlib.image.imread(path)
            self.assertGreater(pixels.shape[1], 400)
            self.assertGreater(pixels[..., :3].std(), 0.01, f"{path} is blank")
        return [path.name for path in paths]

    def failure(self, *arguments):
        said = io.StringIO()
        with self.assertRaises((PlotError, SystemExit)) as caught, contextlib.redirect_stderr(said):
            plot_command.run([str(argument) for argument in arguments])
        return said.getvalue() + str(caught.exception)

    def square_results(self, step=10, pieces=3):
        points, cells = square(8)
        x = np.array([points[nodes].mean(axis=0)[0] for _, nodes in cells])
        write(self.folder / f"fields_{step:08d}.vtkhdf", points, cells,
              {"density": 1 + x, "velocity": np.stack([3 * x, 4 * x, 0 * x], 1), "rank": np.zeros(len(x), np.int64)}, pieces, step=step)

    def test_numbers_along_an_axis_are_text_with_their_power_of_ten_as_a_formula(self):
        figure = matplotlib.pyplot.figure()
        axes = figure.add_subplot()
        axes.plot([0, 1], [-2e7, 2e7])
        with contextlib.redirect_stdout(io.StringIO()):
            pictures.save(figure, self.folder / "one.svg", pictures.choices())
        text = (self.folder / "one.svg").read_text()
        for number in ("0.4", "−1.5"):
            self.assertRegex(text, rf"<text[^>]*>{number}</text>")
        self.assertIn(r"\times\mathdefault{10^{7}}", axes.yaxis.get_offset_text().get_text())

    # Geometry.

    def test_a_slice_covers_the_cut_of_every_cell_type(self):
        for kind in (HEXAHEDRON, PRISM, PYRAMID, TETRAHEDRON):
            points, cells = cube(kind)
            centre = np.array([points[nodes].mean(axis=0) for _, nodes in cells])
            write(self.folder / "cube.vtkhdf", points, cells, {"x": centre[:, 0]}, pieces=2)
            grid = Grid(self.folder / "cube.vtkhdf")
            for axis in "xyz":
                for position in (0.0, 0.1, 0.25, 0.5, 0.77, 1.0):
                    with self.subTest(kind=kind, axis=axis, position=position):
                        drawing = slice_drawing(grid, grid.field("x"), axis, position)
                        total = sum(area(polygons).sum() for polygons in drawing.polygons)
                        self.assertAlmostEqual(total, 1.0, 6)

    def test_a_slice_shows_the_values_of_the_cells_it_cuts(self):
        points, cells = cube(HEXAHEDRON, 4)
        centre = np.array([points[nodes].mean(axis=0) for _, nodes in cells])
        write(self.folder / "cube.vtkhdf", points, cells, {"x": centre[:, 0]})
        grid = Grid(self.folder / "cube.vtkhdf")
        drawing = slice_drawing(grid, grid.field("x"), "z", 0.3)
        self.assertEqual(drawing.axes, "xy")
        for polygons, values in zip(drawing.polygons, drawing.values):
            self.assertLess(np.abs(polygons[..., 0].mean(axis=1) - values).max(), 0.125)

    def test_pieces_are_put_together(self):
        self.square_results()
        grid = Grid(self.folder / "fields_00000010.vtkhdf")
        drawing = flat_drawing(grid, grid.field("density"))
        self.assertAlmostEqual(sum(area(polygons).sum() for polygons in drawing.polygons), 1.0)
        self.assertTrue(np.allclose(grid.centres()[:, 0] + 1, grid.field("density")))
        self.assertEqual(len(np.unique(grid.merged_points)), 81)
        self.assertTrue(np.allclose(grid.field("velocity"), 5 * (grid.field("density") - 1)))
        self.assertTrue(np.allclose(grid.field("velocity_y"), 4 * (grid.field("density") - 1)))
        at_points = drawing.corner_values()
        inside = (np.abs(grid.points[:, :2] - 0.5) < 0.45).all(axis=1)
        self.assertLess(np.abs(at_points - 1 - grid.points[:, 0])[inside].max(), 0.05)

    def test_sampling_is_linear_in_the_triangles_and_nothing_elsewhere(self):
        points, cells = square(8)
        write(self.folder / "square.vtkhdf", points, cells, {"x": np.array([points[nodes].mean(axis=0)[0] for _, nodes in cells])}, 3)
        grid = Grid(self.folder / "square.vtkhdf")
        drawing = flat_drawing(grid, grid.field("x"))
        drawing.corner_values = lambda: 2 * drawing.corners[:, 0] - 3 * drawing.corners[:, 1]
        x, y = np.linspace(-0.5, 1.0, 31), np.linspace(0.01, 1.2, 17)
        sampled, expected = drawing.sample(x, y), 2 * x[None, :] - 3 * y[:, None]
        inside = (x[None, :] >= 0) & (y[:, None] <= 1)
        self.assertTrue(np.isnan(sampled[~inside]).all())
        self.assertLess(np.abs(sampled - expected)[inside & (x[None, :] < 0.999)].max(), 1e-12)

    def test_walls_are_walked_from_end_to_end_or_round(self):
        self.assertEqual(walls.chains([(5, 6), (2, 3), (4, 5), (3, 4)]), [[0, 2, 3, 1]])
        self.assertEqual(walls.chains([(1, 2), (3, 1), (2, 3), (8, 9)]), [[3], [0, 2, 1, 0]])
        points, cells = cube(HEXAHEDRON, 4)
        write(self.folder / "walls_1.hdf", points[points[:, 2] == 0], [(9, [0, 5, 6, 1])], {"pressure": [1.0], "zone": [0]})
        faces, middles, ends = walls.cut_faces(Grid(self.folder / "walls_1.hdf"), "y", 0.1)
        self.assertEqual(list(faces), [0])
        self.assertTrue(np.allclose(middles, [[0.125, 0.1, 0]]))
        self.assertTrue(np.allclose(ends, [[0, 0.25]]))

    # Pictures.

    def test_a_folder_gives_the_latest_fields_and_the_histories(self):
        self.square_results(10)
        self.square_results(200)
        (self.folder / "residuals.csv").write_text("step,time,density,energy\n1,0.1,1,2\n2,0.2,0.1,0\n3,0.3,0.01,nan\n4,0.")
        (self.folder / "forces.csv").write_text("step,time,wall.cl,wall.cd,flap.cl\n1,0.1,1,2,3\n2,0.2,1,2,3\n")
        self.assertEqual(self.pictures(self.folder), ["fields_00000200_density.png", "residuals.png", "forces.png"])

    def test_options(self):
        self.square_results()
        out = self.folder / "a" / "b"
        names = self.pictures(self.folder, "--field", "velocity,velocity_x", "--output", out, "--step", "10", "--range", "0:2",
                              "--window", "-0.5,0.5,0,1", "--mesh", "--colours", "magma", "--lines", "5")
        self.assertEqual(names, [f"fields_00000010_{name}.png" for name in ("velocity", "velocity_x")])
        self.assertTrue((out / names[0]).is_file())
        self.assertEqual(self.pictures(self.folder, "--profile", "x"), ["fields_00000010_density_along_x.png"])
        self.assertEqual(len(self.pictures(self.folder, "--field", "all", "--shading", "smooth")), 3)
        self.pictures(self.folder, "--output", out / "one.png", "--size", "12,9", "--dpi", "100", "--title", "")
        self.assertEqual(matplotlib.image.imread(out / "one.png").shape[:2], (354, 472))

    def test_lines(self):
        self.square_results()
        names = self.pictures(self.folder, "--field", "velocity", "--levels", "1,2", "--streamlines", "--window", "0.1:0.9,0:1")
        self.assertEqual(names, ["fields_00000010_velocity.png"])
        grid = Grid(self.folder / "fields_00000010.vtkhdf")
        for levels, drawn in (([1.25, 1.5], 2), ([7], 0)):  # a level that the field does not have gives no line
            figure = pictures.field(grid, "density", pictures.choices(levels=levels))
            self.assertEqual(sum(type(lines).__name__ == "PathCollection" or "Contour" in type(lines).__name__ for lines in figure.axes[0].collections
                                 if lines.get_paths()), drawn)

    def test_shading(self):
        self.square_results()
        grid = Grid(self.folder / "fields_00000010.vtkhdf")
        shown = {}
        for shading in ("cells", "smooth", "none"):
            image = pictures.field(grid, "density", pictures.choices(shading=shading)).axes[0].images[0].get_array()
            shown[shading] = len(np.unique(image.compressed()))
        self.assertEqual((shown["cells"], shown["none"]), (24, 1))  # centres of 8 columns of quads, and of two kinds of triangles
        self.assertGreater(shown["smooth"], 1000)

    def test_what_the_file_lacks_is_computed(self):
        for points, cells in (square(8), cube(HEXAHEDRON, 4), cube(TETRAHEDRON), cube(PRISM), cube(PYRAMID)):
            x, y, _ = np.array([points[nodes].mean(axis=0) for _, nodes in cells]).T
            name = self.folder / "fields_00000001.hdf"
            write(name, points, cells, {"density": 3 * x + 4 * y, "exact_density": 3 * x, "rank": 0 * x}, 2)
            grid = Grid(name)
            self.assertEqual(grid.known(), ["density", "exact_density", "rank", "error_density", "schlieren"])
            self.assertTrue(np.allclose(grid.field("error_density"), 4 * grid.centres()[:, 1]))
            inside = (np.abs(grid.centres() - 0.5)[:, :2 if grid.flat else 3] < 0.3).all(axis=1)
            if len(points) < 30:  # no cell has all its neighbours
                continue
            if cells[0][0] == HEXAHEDRON or grid.flat:  # the means at points are those of a linear function
                self.assertTrue(np.allclose(grid.field("schlieren")[inside], 5, rtol=0.15), grid.field("schlieren")[inside])
        write(name, *square(2), {"density": np.ones(6), "schlieren": np.full(6, 7.0)})
        self.assertEqual(Grid(name).field("schlieren")[0], 7)  # that of the file comes first

    def test_walls(self):
        points, cells = circle(40)
        x = np.array([points[nodes].mean(axis=0)[0] for _, nodes in cells])
        name = self.folder / "walls_00000010.vtkhdf"
        write(name, points, cells, {"pressure": 2 - x, "cp": 1 - x, "zone": np.ones(40, np.int64)}, pieces=2)
        self.assertEqual(self.pictures(name), ["walls_00000010.png"])
        self.square_results()
        (self.folder / "case.toml").write_text('[forces.body]\nzones = ["round"]\n')
        (self.folder / "run.json").write_text('{"mesh": {"dim": 2, "zones": [{"name": "gone", "dim": 1, "elements": 0}, '
                                              '{"name": "far", "dim": 1, "elements": 9}, {"name": "round", "dim": 1, "elements": 40}]}}')
        self.assertEqual(self.pictures(self.folder), ["fields_00000010_density.png", "walls_00000010.png"])
        figure = walls.pressure(Grid(name), ["far", "round"], ["round"], None, pictures.choices())
        axes, = figure.axes
        self.assertTrue(axes.get_xlabel().startswith("x / c, c = 2 from x = 2"))
        self.assertGreater(*axes.get_ylim())  # Cp upward negative
        self.assertEqual([line.get_label() for line in axes.lines], ["upper side", "lower side"])
        self.assertEqual([len(line.get_xdata()) for line in axes.lines], [20, 20])
        figure = walls.pressure(Grid(name), ["far", "round"], [], None, pictures.choices())
        self.assertEqual([len(line.get_xdata()) for line in figure.axes[0].lines], [41])  # closed
        points, cells = cube(HEXAHEDRON, 4)
        solid = self.folder / "walls_00000011.vtkhdf"
        write(solid, points, [(9, nodes[:4]) for _, nodes in cells], {"pressure": np.arange(64.0), "zone": np.zeros(64, np.int64)})
        self.assertEqual(self.pictures(solid), ["walls_00000011.png", "walls_00000011_seen.png"])
        self.assertEqual(self.pictures(solid, "--slice", "y=0.3"), ["walls_00000011.png"])
        self.assertIn("misses the walls, which go from 0 to 1", self.failure(solid, "--slice", "y=3"))

    def test_moving_pictures(self):
        for step in (10, 20, 30):
            self.square_results(step)
        said = io.StringIO()
        for kind in ("gif", "mp4"):
            if kind == "mp4" and not FFMpegWriter.isAvailable():
                continue
            with contextlib.redirect_stdout(said):
                plot_command.run([str(self.folder), "--animate", kind])
        self.assertEqual(said.getvalue().splitlines()[0], f"{self.folder}/fields_density.gif")
        with Image.open(self.folder / "fields_density.gif") as picture:
            self.assertEqual(picture.n_frames, 3)
        with mock.patch.object(FFMpegWriter, "isAvailable", lambda: False):
            self.assertIn("an MP4 needs ffmpeg: apt-get install ffmpeg, or make a GIF", self.failure(self.folder, "--animate", "mp4"))
        self.assertIn("takes a results folder", self.failure(self.folder / "fields_00000010.vtkhdf", "--animate", "gif"))
        for step in (10, 20):
            (self.folder / f"fields_{step:08d}.vtkhdf").unlink()
        self.assertIn("fields of 1 step, and nothing moves", self.failure(self.folder, "--animate", "gif"))

    def test_a_moving_picture_that_cannot_be_written(self):
        picture = self.folder / "fields_density.mp4"
        for step in (10, 20):
            self.square_results(step)

        class Full(PillowWriter):
            def finish(self):
                picture.write_bytes(b"part")
                raise subprocess.CalledProcessError(1, ["ffmpeg"], "", "Writing: No space left on device\nConversion failed!\n")

        class Refused(PillowWriter):
            def finish(self):
                raise PermissionError(13, "Permission denied")

        with mock.patch.dict(WRITERS, mp4=Full):
            self.assertIn(f"{picture}: cannot be written (Writing: No space left on device); choose", self.failure(self.folder, "--animate", "mp4"))
        self.assertFalse(picture.exists())
        picture.write_bytes(b"an earlier one")
        with mock.patch.dict(WRITERS, mp4=Refused):
            self.assertIn("Permission denied", self.failure(self.folder, "--animate", "mp4"))
        self.assertEqual(picture.read_bytes(), b"an earlier one")

    def test_three_dimensions(self):
        points, cells = cube(TETRAHEDRON)
        write(self.folder / "fields_1.vtkhdf", points, cells, {"density": np.arange(len(cells)) * 1.0})
        self.assertEqual(self.pictures(self.folder, "--slice", "x=0.3"), ["fields_1_density_x0.3.png"])
        self.assertEqual(self.pictures(self.folder / "fields_1.vtkhdf")[0], "fields_1_density_z0.5.png")

    def test_the_command_prints_paths_and_ends_with_a_code(self):
        self.square_results()
        done = subprocess.run([*TOOL, self.folder], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, f"{self.folder}/fields_00000010_density.png\n")
        done = subprocess.run([*TOOL, self.folder / "none"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, f"weft: error: {self.folder}/none: there is no such file or folder; give the folder that "
                                      "\"results in\" named at the end of the run\n")

    # Mistakes.

    def test_mistakes_are_named(self):
        self.assertIn("there is no such file or folder", self.failure(self.folder / "none"))
        self.assertIn("neither fields_<step>.hdf nor residuals.csv", self.failure(self.folder))
        self.square_results()
        self.assertIn('no field "desnity"; did you mean "density"? it has density, rank, velocity',
                      self.failure(self.folder, "--field", "desnity"))
        self.assertIn("has no fields of step 3; it has 10", self.failure(self.folder, "--step", "3"))
        self.assertIn("--slice is for 3-D", self.failure(self.folder, "--slice", "z=0"))
        self.assertIn("is not like z=0.5", self.failure(self.folder, "--slice", "w=0"))
        self.assertIn("is not like 0,1", self.failure(self.folder, "--range", "2:1"))
        self.assertIn("is not like 0.8,1,1.2", self.failure(self.folder, "--levels", "2,1"))
        self.assertIn("is no number > 0", self.failure(self.folder, "--streamlines", "-1"))
        self.assertIn("shows no cell", self.failure(self.folder, "--window", "5:6,5:6"))
        self.assertIn('there is no "viridsi"; did you mean "viridis"', self.failure(self.folder, "--colours", "viridsi"))
        self.assertIn("cannot be made", self.failure(self.folder, "--output", "/proc/pictures"))

    def test_bad_files_are_named(self):
        bad = self.folder / "fields_1.vtkhdf"
        bad.write_text("nothing")
        self.assertIn("cannot be read", self.failure(bad))
        with h5py.File(bad, "w") as file:
            file.create_group("other")
        self.assertIn("has no group VTKHDF", self.failure(bad))
        write(bad, *cube(HEXAHEDRON), {"density": np.ones(8)})
        self.assertIn("misses the mesh, which goes from 0 to 1", self.failure(bad, "--slice", "y=7"))
        bad.write_bytes(bad.read_bytes()[:-400])
        self.assertIn("cannot be read", self.failure(bad))
        history = self.folder / "residuals.csv"
        for text, message in (("", "is empty"), ("step,a\n", "has no rows yet"), ("step\n1\n", "no column to draw"),
                              ("step,a\n1\n2,3\n", ":2: has 1 values for 2 columns"), ("step,a\n1,x\n2,3\n", ":2: could not convert")):
            history.write_text(text)
            self.assertIn(message, self.failure(history))


if __name__ == "__main__":
    unittest.main()
