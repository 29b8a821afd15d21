"""Tests of tools/weft-plot: cuts have the right area, pictures are drawn, mistakes are named. Exits with 77 where h5py or matplotlib
is missing."""
import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

try:
    import h5py
    import numpy as np
    import matplotlib.image
except ImportError as missing:
    print(f"skipped: {missing}; apt-get install python3-h5py python3-numpy python3-matplotlib")
    sys.exit(77)

TOOL = Path(__file__).resolve().parents[2] / "tools" / "weft-plot"
loader = SourceFileLoader("weft_plot", str(TOOL))
sys.dont_write_bytecode = True
weft_plot = module_from_spec(spec_from_loader("weft_plot", loader))
loader.exec_module(weft_plot)

TRIANGLE, QUAD, TETRAHEDRON, HEXAHEDRON, PRISM, PYRAMID = 5, 9, 10, 12, 13, 14


def write(path, points, cells, fields, pieces=1, time=0.25, step=10):
    """cells: list of (VTK type, nodes). Each piece holds its share of the cells, and all points."""
    split = [cells[i::pieces] for i in range(pieces)]
    order = [j for i in range(pieces) for j in range(len(cells))[i::pieces]]
    with h5py.File(path, "w") as file:
        root = file.create_group("VTKHDF")
        root["NumberOfPoints"] = [len(points)] * pieces
        root["NumberOfCells"] = [len(piece) for piece in split]
        root["NumberOfConnectivityIds"] = [sum(len(nodes) for _, nodes in piece) for piece in split]
        root["Points"] = np.concatenate([points] * pieces)
        root["Connectivity"] = np.concatenate([nodes for piece in split for _, nodes in piece])
        root["Offsets"] = np.concatenate([np.cumsum([0] + [len(nodes) for _, nodes in piece]) for piece in split])
        root["Types"] = np.array([kind for piece in split for kind, _ in piece], np.uint8)
        for name, values in fields.items():
            root["CellData/" + name] = np.asarray(values)[order]
        root["FieldData/TimeValue"], root["FieldData/Step"] = [time], [step]


def lattice(n, dim):
    """Points of the unit square or cube, and the number of one."""
    x = np.linspace(0, 1, n + 1)
    grid = np.meshgrid(*[x] * dim, indexing="ij")
    points = np.stack([axis.ravel() for axis in grid] + [np.zeros((n + 1) ** dim)] * (3 - dim), axis=1)
    return points, lambda *i: int(np.ravel_multi_index(i, (n + 1,) * dim))


def square(n):
    points, at = lattice(n, 2)
    cells = []
    for i in range(n):
        for j in range(n):
            a, b, c, d = at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)
            cells += [(QUAD, [a, b, c, d])] if (i + j) % 2 else [(TRIANGLE, [a, b, c]), (TRIANGLE, [a, c, d])]
    return points, cells


def cube(kind, n=2):
    points, at = lattice(n, 3)
    points, cells = list(points), []
    for i, j, k in np.ndindex(n, n, n):
        h = [at(i + a, j + b, k + c) for c in (0, 1) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
        if kind == HEXAHEDRON:
            cells.append((kind, h))
        elif kind == PRISM:
            cells += [(kind, [h[q] for q in half]) for half in ((0, 1, 2, 4, 5, 6), (0, 2, 3, 4, 6, 7))]
        else:
            centre = len(points)
            points.append(np.mean([points[q] for q in h], axis=0))
            for face in ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)):
                q = [h[f] for f in face][::-1]
                if kind == PYRAMID:
                    cells.append((kind, q + [centre]))
                else:
                    cells += [(kind, [q[0], q[1], q[2], centre]), (kind, [q[0], q[2], q[3], centre])]
    return np.array(points), cells


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
            weft_plot.run(weft_plot.parse_options([str(argument) for argument in arguments]))
        paths = [Path(line) for line in said.getvalue().splitlines()]
        for path in paths:
            pixels = matplotlib.image.imread(path)
            self.assertGreater(pixels.shape[1], 400)
            self.assertGreater(pixels[..., :3].std(), 0.01, f"{path} is blank")
        return [path.name for path in paths]

    def failure(self, *arguments):
        said = io.StringIO()
        with self.assertRaises((weft_plot.PlotError, SystemExit)) as caught, contextlib.redirect_stderr(said):
            weft_plot.run(weft_plot.parse_options([str(argument) for argument in arguments]))
        return said.getvalue() + str(caught.exception)

    def square_results(self, step=10, pieces=3):
        points, cells = square(8)
        x = np.array([points[nodes].mean(axis=0)[0] for _, nodes in cells])
        write(self.folder / f"fields_{step:08d}.vtkhdf", points, cells,
              {"density": 1 + x, "velocity": np.stack([3 * x, 4 * x, 0 * x], 1), "rank": np.zeros(len(x), np.int64)}, pieces, step=step)

    # Geometry.

    def test_a_slice_covers_the_cut_of_every_cell_type(self):
        for kind in (HEXAHEDRON, PRISM, PYRAMID, TETRAHEDRON):
            points, cells = cube(kind)
            centre = np.array([points[nodes].mean(axis=0) for _, nodes in cells])
            write(self.folder / "cube.vtkhdf", points, cells, {"x": centre[:, 0]}, pieces=2)
            grid = weft_plot.Grid(self.folder / "cube.vtkhdf")
            for axis in "xyz":
                for position in (0.0, 0.1, 0.25, 0.5, 0.77, 1.0):
                    with self.subTest(kind=kind, axis=axis, position=position):
                        drawing = weft_plot.slice_drawing(grid, grid.field("x"), axis, position)
                        total = sum(area(polygons).sum() for polygons in drawing.polygons)
                        self.assertAlmostEqual(total, 1.0, 6)

    def test_a_slice_shows_the_values_of_the_cells_it_cuts(self):
        points, cells = cube(HEXAHEDRON, 4)
        centre = np.array([points[nodes].mean(axis=0) for _, nodes in cells])
        write(self.folder / "cube.vtkhdf", points, cells, {"x": centre[:, 0]})
        grid = weft_plot.Grid(self.folder / "cube.vtkhdf")
        drawing = weft_plot.slice_drawing(grid, grid.field("x"), "z", 0.3)
        self.assertEqual(drawing.axes, "xy")
        for polygons, values in zip(drawing.polygons, drawing.values):
            self.assertLess(np.abs(polygons[..., 0].mean(axis=1) - values).max(), 0.125)

    def test_pieces_are_put_together(self):
        self.square_results()
        grid = weft_plot.Grid(self.folder / "fields_00000010.vtkhdf")
        drawing = weft_plot.flat_drawing(grid, grid.field("density"))
        self.assertAlmostEqual(sum(area(polygons).sum() for polygons in drawing.polygons), 1.0)
        self.assertTrue(np.allclose(grid.centres()[:, 0] + 1, grid.field("density")))
        self.assertEqual(len(np.unique(grid.merged_points())), 81)
        self.assertTrue(np.allclose(grid.field("velocity"), 5 * (grid.field("density") - 1)))
        self.assertTrue(np.allclose(grid.field("velocity_y"), 4 * (grid.field("density") - 1)))
        at_points = drawing.corner_values()
        inside = (np.abs(grid.points[:, :2] - 0.5) < 0.45).all(axis=1)
        self.assertLess(np.abs(at_points - 1 - grid.points[:, 0])[inside].max(), 0.05)

    # Pictures.

    def test_a_folder_gives_the_latest_fields_and_the_histories(self):
        self.square_results(10)
        self.square_results(200)
        (self.folder / "residuals.csv").write_text("step,time,density,energy\n1,0.1,1,2\n2,0.2,0.1,0\n3,0.3,0.01,nan\n4,0.")
        (self.folder / "forces.csv").write_text("step,time,wall.cl,wall.cd,flap.cl\n1,0.1,1,2,3\n2,0.2,1,2,3\n")
        self.assertEqual(self.pictures(self.folder), ["fields_00000200_density.png", "fields_00000200_density_contours.png",
                                                      "residuals.png", "forces.png"])

    def test_options(self):
        self.square_results()
        out = self.folder / "a" / "b"
        names = self.pictures(self.folder, "--field", "velocity,velocity_x", "--output", out, "--step", "10", "--range", "0:2",
                              "--window", "0:0.5,0:1", "--mesh", "--colours", "magma", "--contours", "5")
        self.assertEqual(names, [f"fields_00000010_{name}.png" for name in
                                 ("velocity", "velocity_contours", "velocity_x", "velocity_x_contours")])
        self.assertTrue((out / names[0]).is_file())
        self.assertEqual(self.pictures(self.folder, "--profile", "x"), ["fields_00000010_density_along_x.png"])
        self.assertEqual(len(self.pictures(self.folder, "--field", "all", "--contours", "0")), 3)

    def test_three_dimensions(self):
        points, cells = cube(TETRAHEDRON)
        write(self.folder / "fields_1.vtkhdf", points, cells, {"density": np.arange(len(cells)) * 1.0})
        self.assertEqual(self.pictures(self.folder, "--slice", "x=0.3", "--contours", "0"), ["fields_1_density_x0.3.png"])
        self.assertEqual(self.pictures(self.folder / "fields_1.vtkhdf")[0], "fields_1_density_z0.5.png")

    def test_the_command_prints_paths_and_ends_with_a_code(self):
        self.square_results()
        done = subprocess.run([TOOL, self.folder, "--contours", "0"], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, f"{self.folder}/fields_00000010_density.png\n")
        done = subprocess.run([TOOL, self.folder / "none"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, f"weft-plot: error: {self.folder}/none: there is no such file or folder\n")

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
        self.assertIn("is not like 0:1", self.failure(self.folder, "--range", "2:1"))
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
