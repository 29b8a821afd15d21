"""Pictures in three dimensions, by pyvista: fields, planes, walls, iso-surfaces and streamlines as pyvista datasets.

    >>> from weft.plot import scene
    >>> walls = {zone: {"kind": "slip_wall"} for zone in ("ymin", "ymax", "zmin", "zmax")}
    >>> case = {"mesh": {"generator": "box", "nx": 8, "ny": 4, "nz": 4}, "boundary": {"x*": {"kind": "far_field"}, **walls},
    ...         "free_stream": {"density": 1.4, "pressure": 1.0, "mach": 0.5}, "initial": {"kind": "uniform"}}
    >>> sim = weft.flow.Simulation(case)
    >>> plane = scene.slice(sim, "mach", "z", 0.5)
    >>> plotter = scene.draw(scene.surface(sim), plane, scene.streamlines(sim, count=20))
    >>> image = plotter.screenshot("scene.png")

Each function takes the path of a results folder or a weft.flow.Simulation. A Simulation of several ranks is gathered to rank 0: such
calls are collective, and other ranks get None. Coordinates are in m. Needs pyvista, the extra "meshes" of the package.
"""
import numpy as np

from .._optional import needed
from .errors import PlotError
from .scripts import _axis, _in_style, _open, _walls
from .shapes import NODES

__all__ = ["contours", "draw", "field", "slice", "streamlines", "surface"]


def _dataset(grid, names=(), at_points=False):
    """Returns a Grid as a pyvista.UnstructuredGrid with some of its fields in its cells or at its points."""
    pyvista = needed("pyvista", "meshes")
    cells, types, order = [], [], []
    for vtk_type in np.unique(grid.types):
        numbers, nodes = grid.nodes(vtk_type)
        cells.append(np.column_stack([np.full(len(nodes), NODES[vtk_type]), nodes]).ravel())
        types.append(np.full(len(nodes), vtk_type, np.uint8))
        order.append(numbers)
    # Copies, because VTK keeps the memory that it gets.
    dataset = pyvista.UnstructuredGrid(np.concatenate(cells), np.concatenate(types), np.array(grid.points))
    order = np.concatenate(order)
    for name in names:
        values = _values(grid, name)
        if at_points:
            columns = [grid.at_points(column) for column in values.reshape(len(values), -1).T]
            dataset.point_data[name] = columns[0] if values.ndim == 1 else np.stack(columns, axis=1)
        else:
            dataset.cell_data[name] = values[order]
    return dataset


def _values(grid, name):
    """Returns the values of a field in the cells, a vector with three components."""
    if name not in grid.fields or np.ndim(grid.fields[name]) == 1:
        return grid.field(name)
    vectors = np.asarray(grid.fields[name], float)
    return np.pad(vectors, ((0, 0), (0, 3 - vectors.shape[1])))


@_in_style
def field(run, name="density", *, step=None):
    """Returns the cells with a field.

    run: path of a results folder or of a field file, or a weft.flow.Simulation
    name: the field, as of weft.plot.field, in the cells; "velocity" has three components
    step: of the folder; None: the last that can be read

    Returns a pyvista.UnstructuredGrid, whose filters (clip, threshold, ...) make other parts of a picture. Raises PlotError as
    weft.plot.field, ImportError without pyvista.
    """
    return _dataset(_open(run, step)[1], [name])


@_in_style
def slice(run, name="density", axis="z", at=None, *, step=None):  # noqa: A001
    """Returns a field in a plane.

    run, name, step: as of field
    axis, at: the plane, such as "z" and 0.5, m; at=None: through the middle of the mesh

    Returns a pyvista.PolyData, the values in its cells. Raises PlotError also where the plane misses the mesh.
    """
    k = _axis(axis)
    dataset = _dataset(_open(run, step)[1], [name])
    origin = np.array(dataset.center)
    if at is not None:
        origin[k] = at
    plane = dataset.slice(normal=axis, origin=origin)
    if plane.n_cells == 0:
        low, high = dataset.bounds[2 * k], dataset.bounds[2 * k + 1]
        raise PlotError(f"the plane {axis} = {origin[k]:g} misses the mesh, which goes from {low:g} to {high:g}")
    return plane


@_in_style
def surface(run, *, step=None):
    """Returns the walls of a 3-D mesh.

    run, step: as of field

    Returns a pyvista.PolyData; its faces have "pressure", Pa, "cp" where there is a free stream, and "zone", the number of the zone.
    Raises PlotError also where the mesh is one of 2-D or has no walls.
    """
    grid = _walls(run, step)[1]
    if not grid.flat:
        raise PlotError(f"{grid.path}: the walls of this mesh are lines; use weft.plot.cp")
    dataset = _dataset(grid, [name for name in ("cp", "pressure", "zone") if name in grid.fields])
    return dataset.extract_surface(algorithm=None)


@_in_style
def contours(run, name="density", lines=10, *, levels=None, step=None):
    """Returns surfaces on which a field has given values, or in 2-D lines.

    run, name, step: as of field
    lines: number of evenly spaced values; levels: the values instead

    Returns a pyvista.PolyData. Between cells the field is linear, from means over the cells around each point. It is empty where
    no level is met. Raises as field.
    """
    dataset = _dataset(_open(run, step)[1], [name], at_points=True)
    if dataset.point_data[name].ndim > 1:
        raise PlotError(f"{name} is a vector; choose a component, such as {name}_x")
    if levels is None:
        low, high = np.nanmin(dataset.point_data[name]), np.nanmax(dataset.point_data[name])
        levels = low + (high - low) * (np.arange(lines) + 0.5) / lines
    return dataset.contour(isosurfaces=[float(level) for level in levels], scalars=name)


@_in_style
def streamlines(run, name="mach", points=None, *, count=100, step=None):
    """Returns lines along the velocity.

    run, step: as of field
    name: the field that colours them
    points: where lines begin, m, shape (n, 3), and from where they are followed in both directions; None: in `count` cells, evenly
        chosen

    Returns a pyvista.PolyData with "velocity" and the field at its points. Raises as field.
    """
    pyvista = needed("pyvista", "meshes")
    grid = _open(run, step)[1]
    dataset = _dataset(grid, dict.fromkeys(["velocity", name]), at_points=True)
    if points is None:
        points = grid.centres()[np.linspace(0, len(grid.types) - 1, min(count, len(grid.types))).astype(int)]
    seeds = pyvista.PolyData(np.asarray(points, float).reshape(-1, 3))
    return dataset.streamlines_from_source(seeds, vectors="velocity", integration_direction="both", initial_step_length=0.1,
                                           max_step_length=0.1, max_steps=100000, max_length=10 * dataset.length,
                                           compute_vorticity=False)


def draw(*parts, name=None, range=None, colours="viridis", size=(1000, 700), plotter=None):  # noqa: A002
    """Draws parts of a picture: what the functions above, or filters of pyvista, return.

    parts: pyvista datasets; None and empty ones are not drawn
    name: the field whose values give the colours; None: that of each part
    range: (low, high), of the colours; None: of the values
    colours: name of a matplotlib colour map
    size: width and height of the picture, pixels
    plotter: a pyvista.Plotter, to which the parts are added; None: a new one without a window on the screen

    Returns the pyvista.Plotter: screenshot("a.png") writes it, show() shows it in a notebook. None where all parts are None, as on
    ranks above 0. Raises PlotError for a field that a part does not have, ImportError without pyvista.
    """
    if parts and all(part is None for part in parts):
        return None
    pyvista = needed("pyvista", "meshes")
    if plotter is None:
        plotter = pyvista.Plotter(off_screen=True, window_size=list(size))
    for part in parts:
        if part is None or part.n_points == 0:
            continue
        shown = name or part.active_scalars_name
        if name is not None and name not in part.array_names:
            raise PlotError(f"a part has no field {name!r}; it has {', '.join(part.array_names)}")
        plotter.add_mesh(part, scalars=shown, clim=range, cmap=colours)
    return plotter
