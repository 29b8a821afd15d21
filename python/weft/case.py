"""Types of the sections and keys of a case, for completion and type checks in editors.

Written by tools/case-types from the declarations of the solver; do not edit. docs/guide/case_reference.md has the ranges and the
meaning of all keys. At run time cases are plain dictionaries, which the solver checks.

    import weft
    from weft.case import Case

    case: Case = {"mesh": {"generator": "box"}, "numerics": {"cfl": 0.5}}
    sim = weft.flow.Simulation(case, stop={"steps": 10})
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypedDict, Union


# State left of x0.
BoundaryLeft = TypedDict(
    "BoundaryLeft",
    {
        # Static pressure. (Pa)
        "pressure": Union[float, str],
        # Density; or give temperature. (kg/m^3)
        "density": Union[float, str],
        # Static temperature p / (density gas_constant), instead of density. (K)
        "temperature": Union[float, str],
        # Velocity; or give mach. (m/s)
        "velocity": Union[Sequence[float], str],
        # Mach number, instead of velocity.
        "mach": float,
        # Angle of attack: turns x towards lift_axis. With mach. (deg, default 0.0)
        "alpha": Union[float, str],
        # Sideslip: turns the stream from there towards x cross lift_axis. With mach. (deg, default 0.0)
        "beta": Union[float, str],
        # Axis towards which alpha turns the flow. (default "y")
        "lift_axis": Literal["y", "z"],
    },
    total=False,
)


# State right of x0.
BoundaryRight = TypedDict(
    "BoundaryRight",
    {
        # Static pressure. (Pa)
        "pressure": Union[float, str],
        # Density; or give temperature. (kg/m^3)
        "density": Union[float, str],
        # Static temperature p / (density gas_constant), instead of density. (K)
        "temperature": Union[float, str],
        # Velocity; or give mach. (m/s)
        "velocity": Union[Sequence[float], str],
        # Mach number, instead of velocity.
        "mach": float,
        # Angle of attack: turns x towards lift_axis. With mach. (deg, default 0.0)
        "alpha": Union[float, str],
        # Sideslip: turns the stream from there towards x cross lift_axis. With mach. (deg, default 0.0)
        "beta": Union[float, str],
        # Axis towards which alpha turns the flow. (default "y")
        "lift_axis": Literal["y", "z"],
    },
    total=False,
)


# A part of space with a state of its own; later ones win.
BoundaryRegion = TypedDict(
    "BoundaryRegion",
    {
        # Part of space that gets this state. box: between two corners; sphere: in 2-D a circle; half_space: one side of a
        # plane. (required)
        "shape": Literal["box", "sphere", "half_space"],
        # Lower corner of the box; absent: no lower bound. (m)
        "lower": Union[Sequence[float], str],
        # Upper corner of the box; absent: no upper bound. (m)
        "upper": Union[Sequence[float], str],
        # Centre of the sphere (2-D: circle). (m, required)
        "centre": Union[Sequence[float], str],
        # Radius of the sphere. (m, required)
        "radius": Union[float, str],
        # A point of the plane that bounds the half-space. (m, required)
        "point": Union[Sequence[float], str],
        # Points into the half-space. (required)
        "normal": Sequence[float],
        # Static pressure. (Pa)
        "pressure": Union[float, str],
        # Density; or give temperature. (kg/m^3)
        "density": Union[float, str],
        # Static temperature p / (density gas_constant), instead of density. (K)
        "temperature": Union[float, str],
        # Velocity; or give mach. (m/s)
        "velocity": Union[Sequence[float], str],
        # Mach number, instead of velocity.
        "mach": float,
        # Angle of attack: turns x towards lift_axis. With mach. (deg, default 0.0)
        "alpha": Union[float, str],
        # Sideslip: turns the stream from there towards x cross lift_axis. With mach. (deg, default 0.0)
        "beta": Union[float, str],
        # Axis towards which alpha turns the flow. (default "y")
        "lift_axis": Literal["y", "z"],
    },
    total=False,
)


# The scalars in the gas that comes in through this zone, where it is a far field, an inflow or prescribed.
# The scalar of this name: a formula of x, y, z and the time t. On a GPU one with t has the host take part in every stage.
# (default "0")
BoundaryScalars = Mapping[str, Union[str, float]]


# Two boundary zones that are one.
MeshPeriodic = TypedDict(
    "MeshPeriodic",
    {
        # First zone. (required)
        "from": str,
        # Second zone. (required)
        "to": str,
        # From a point of the first zone to that of the second. Default: that from the box around the first zone to the box
        # around the second. (m)
        "translation": Union[Sequence[float], str],
    },
    total=False,
)


# State left of x0.
InitialLeft = TypedDict(
    "InitialLeft",
    {
        # Static pressure. (Pa)
        "pressure": Union[float, str],
        # Density; or give temperature. (kg/m^3)
        "density": Union[float, str],
        # Static temperature p / (density gas_constant), instead of density. (K)
        "temperature": Union[float, str],
        # Velocity; or give mach. (m/s)
        "velocity": Union[Sequence[float], str],
        # Mach number, instead of velocity.
        "mach": float,
        # Angle of attack: turns x towards lift_axis. With mach. (deg, default 0.0)
        "alpha": Union[float, str],
        # Sideslip: turns the stream from there towards x cross lift_axis. With mach. (deg, default 0.0)
        "beta": Union[float, str],
        # Axis towards which alpha turns the flow. (default "y")
        "lift_axis": Literal["y", "z"],
    },
    total=False,
)


# State right of x0.
InitialRight = TypedDict(
    "InitialRight",
    {
        # Static pressure. (Pa)
        "pressure": Union[float, str],
        # Density; or give temperature. (kg/m^3)
        "density": Union[float, str],
        # Static temperature p / (density gas_constant), instead of density. (K)
        "temperature": Union[float, str],
        # Velocity; or give mach. (m/s)
        "velocity": Union[Sequence[float], str],
        # Mach number, instead of velocity.
        "mach": float,
        # Angle of attack: turns x towards lift_axis. With mach. (deg, default 0.0)
        "alpha": Union[float, str],
        # Sideslip: turns the stream from there towards x cross lift_axis. With mach. (deg, default 0.0)
        "beta": Union[float, str],
        # Axis towards which alpha turns the flow. (default "y")
        "lift_axis": Literal["y", "z"],
    },
    total=False,
)


# A part of space with a state of its own; later ones win.
InitialRegion = TypedDict(
    "InitialRegion",
    {
        # Part of space that gets this state. box: between two corners; sphere: in 2-D a circle; half_space: one side of a
        # plane. (required)
        "shape": Literal["box", "sphere", "half_space"],
        # Lower corner of the box; absent: no lower bound. (m)
        "lower": Union[Sequence[float], str],
        # Upper corner of the box; absent: no upper bound. (m)
        "upper": Union[Sequence[float], str],
        # Centre of the sphere (2-D: circle). (m, required)
        "centre": Union[Sequence[float], str],
        # Radius of the sphere. (m, required)
        "radius": Union[float, str],
        # A point of the plane that bounds the half-space. (m, required)
        "point": Union[Sequence[float], str],
        # Points into the half-space. (required)
        "normal": Sequence[float],
        # Static pressure. (Pa)
        "pressure": Union[float, str],
        # Density; or give temperature. (kg/m^3)
        "density": Union[float, str],
        # Static temperature p / (density gas_constant), instead of density. (K)
        "temperature": Union[float, str],
        # Velocity; or give mach. (m/s)
        "velocity": Union[Sequence[float], str],
        # Mach number, instead of velocity.
        "mach": float,
        # Angle of attack: turns x towards lift_axis. With mach. (deg, default 0.0)
        "alpha": Union[float, str],
        # Sideslip: turns the stream from there towards x cross lift_axis. With mach. (deg, default 0.0)
        "beta": Union[float, str],
        # Axis towards which alpha turns the flow. (default "y")
        "lift_axis": Literal["y", "z"],
    },
    total=False,
)


# A passive scalar: a quantity that the flow carries, such as a dye or a mixture fraction. Its name is that of its field in
# the results. Where the flow has a limiter the scalar has that of Barth and Jespersen, and keeps between the extremes of its
# start and of what comes in; without a limiter it may leave them.
Scalars = TypedDict(
    "Scalars",
    {
        # At the start: a formula of x, y, z. (default "0")
        "initial": Union[str, float],
    },
    total=False,
)


# The condition of a boundary zone of the mesh, or of all zones whose names match a pattern: `[boundary."wall*"]`, where `*`
# is any text and `?` any character. The name of a zone goes before patterns.
Boundary = TypedDict(
    "Boundary",
    {
        # Condition of this zone. slip_wall: a wall without friction; symmetry: a plane behind which the flow is the mirror
        # image; far_field: an undisturbed flow, by Riemann invariants; supersonic_inflow: a given state; supersonic_outflow:
        # the state inside; total_pressure_inflow: a reservoir of given total pressure and temperature;
        # static_pressure_outflow: a given static pressure; prescribed: a state as a function of place. (required)
        "kind": Literal[
            "slip_wall", "symmetry", "far_field", "supersonic_inflow", "supersonic_outflow", "total_pressure_inflow",
            "static_pressure_outflow", "prescribed"
        ],
        # Static pressure. (Pa) Or: Static pressure behind the outflow; of gas that comes back, the total pressure. (Pa,
        # required)
        "pressure": Union[float, str],
        # Density; or give temperature. (kg/m^3)
        "density": Union[float, str],
        # Static temperature p / (density gas_constant), instead of density. (K)
        "temperature": Union[float, str],
        # Velocity; or give mach. (m/s) Or: Velocity of the flow that carries it. (m/s, default [1.0, 1.0, 0.0]) Or: Velocity
        # of the flow that carries it. (m/s, default [1.0, 1.0, 1.0])
        "velocity": Union[Sequence[float], str],
        # Mach number, instead of velocity.
        "mach": float,
        # Angle of attack: turns x towards lift_axis. With mach. (deg, default 0.0)
        "alpha": Union[float, str],
        # Sideslip: turns the stream from there towards x cross lift_axis. With mach. (deg, default 0.0)
        "beta": Union[float, str],
        # Axis towards which alpha turns the flow. (default "y")
        "lift_axis": Literal["y", "z"],
        # Name of the section of forces of a lifting body. In plane flow the far field then is the given state with the
        # velocity of a point vortex at that section's moment_centre, with the circulation of the lift; empty: the given state
        # alone. (default "")
        "vortex_correction": str,
        # Steps between two updates of the circulation of vortex_correction. (default 20)
        "vortex_steps": int,
        # Total pressure of the reservoir; where the flow turns back it is the static pressure behind an outflow. (Pa,
        # required)
        "total_pressure": Union[float, str],
        # Total temperature of the reservoir; with gas_constant = 1 it is p / density. (K, required)
        "total_temperature": Union[float, str],
        # Direction of gas that enters; zeros: against the normal. (default [0.0, 0.0, 0.0])
        "direction": Sequence[float],
        # State as a function of place. (default "uniform")
        "state": Literal[
            "uniform", "riemann", "sod", "lax", "toro_123", "toro_left_blast", "toro_collision", "vortex", "entropy_wave",
            "forward_step", "double_mach", "ringleb", "manufactured", "expression", "function"
        ],
        # Plane x = x0 between left and right (0.5; toro_collision 0.4). (m)
        "x0": Union[float, str],
        # beta. (default 5.0)
        "strength": float,
        # Centre of the vortex at t = 0. (m, default [5.0, 5.0, 0.0])
        "centre": Union[Sequence[float], str],
        # Lengths of the periodic box; 0: not periodic. (m, default [10.0, 10.0, 0.0])
        "period": Union[Sequence[float], str],
        # Amplitude of the density. (default 0.2)
        "amplitude": float,
        # Waves per metre. (default [1.0, 1.0, 1.0])
        "wave": Sequence[float],
        # x where the shock meets y = 0 at t = 0. (m, default 0.16666666666666666)
        "foot": Union[float, str],
        # Dimensions of the mesh. (default 2)
        "dim": int,
        # Edge of the periodic box. (m, default 1.0)
        "length": Union[float, str],
        # Density, kg/m^3, as a formula of x, y and z (m); at a boundary, also of the time t (s). (default "1")
        "density_expression": Union[str, float],
        # x component of the velocity, m/s, as a formula of the same variables as the density. (default "0")
        "velocity_x_expression": Union[str, float],
        # y component of the velocity, m/s, as a formula of the same variables as the density. (default "0")
        "velocity_y_expression": Union[str, float],
        # z component of the velocity, m/s, as a formula of the same variables as the density. (default "0")
        "velocity_z_expression": Union[str, float],
        # Pressure, Pa, as a formula of the same variables as the density. (default "1")
        "pressure_expression": Union[str, float],
        # State left of x0. Only with `kind = prescribed, state = riemann`.
        "left": BoundaryLeft,
        # State right of x0. Only with `kind = prescribed, state = riemann`.
        "right": BoundaryRight,
        # A part of space with a state of its own; later ones win. Only with `kind = prescribed`.
        "region": Sequence[BoundaryRegion],
        # The scalars in the gas that comes in through this zone, where it is a far field, an inflow or prescribed.
        "scalars": BoundaryScalars,
    },
    total=False,
)


# Force and moment on boundary zones, in N and N m, in forces.csv; with a free stream that moves, coefficients, too.
Forces = TypedDict(
    "Forces",
    {
        # Boundary zones that the force acts on; names, or patterns: "wall*". (required)
        "zones": Union[str, Sequence[str]],
        # Reference area; in 2-D the chord times unit depth. (m^2, default 1.0)
        "area": Union[float, str],
        # Reference length of moments. (m, default 1.0)
        "length": Union[float, str],
        # Point about which moments are taken, right-handed about x, y and z: with x downstream and y up a positive moment
        # about z turns the nose down. The pitching moment coefficient cm_nose_up is positive where the nose goes up: about
        # lift_direction x drag_direction. (m, default [0.0, 0.0, 0.0])
        "moment_centre": Union[Sequence[float], str],
        # Pressure from which forces are counted. Default: that of the free stream; without one 0. (Pa)
        "reference_pressure": Union[float, str],
        # Default: along the free stream. (default [1.0, 0.0, 0.0])
        "drag_direction": Sequence[float],
        # Default: perpendicular to the free stream, in the plane of the free stream and lift_axis. (default [0.0, 1.0, 0.0])
        "lift_direction": Sequence[float],
    },
    total=False,
)


# Values at points, in probes.csv.
Probes = TypedDict(
    "Probes",
    {
        # The point. (m, required)
        "at": Union[Sequence[float], str],
    },
    total=False,
)


# Mass flow through boundary zones and averages over them, in monitors.csv: a column <name>_<quantity> each.
Monitors = TypedDict(
    "Monitors",
    {
        # Boundary zones, taken together; names, or patterns: "wall*". (required)
        "zones": Union[str, Sequence[str]],
        # Columns of monitors.csv: the mass flow, and averages of the gas at the faces: mass_flow: kg/s, positive out of the
        # domain; pressure: Pa; density: kg/m^3; temperature: K; mach: Mach number; total_pressure: Pa; total_temperature: K.
        # (default ["mass_flow"])
        "quantities": Union[str, Sequence[str]],
        # Weight of a face in an average: its area, or the absolute mass flow through it (the area, too, where no mass flows
        # through any of the faces). (default "area")
        "average": Literal["area", "mass"],
        # Show the values in the line of progress, too. (default false)
        "progress": bool,
    },
    total=False,
)


# Values along a line, in line_<name>_<step>.csv with each field file: distance from the first point, x, y, z, output.fields
# and scalars, linear within the cells. Points outside the mesh have no row.
Lines = TypedDict(
    "Lines",
    {
        # First point. (m, required)
        "from": Union[Sequence[float], str],
        # Last point. (m, required)
        "to": Union[Sequence[float], str],
        # Number of points, evenly spaced, both ends included. (default 101)
        "points": int,
    },
    total=False,
)


# A plane section of a 3-D mesh, in section_<name>_<step>.vtu with each field file: the polygon in each cell that the plane
# meets, with output.fields, scalars and cell_id.
Sections = TypedDict(
    "Sections",
    {
        # A point of the plane. (m, required)
        "point": Union[Sequence[float], str],
        # A vector perpendicular to the plane, of any length. (required)
        "normal": Sequence[float],
    },
    total=False,
)


# The gas: ideal, calorically perfect.
Gas = TypedDict(
    "Gas",
    {
        # Ratio of specific heats. (default 1.4)
        "gamma": float,
        # R in p = density R T; 287.05 for air; 1 where nothing has units. (J/(kg K), default 1.0)
        "gas_constant": Union[float, str],
    },
    total=False,
)


# The mesh, read or generated.
Mesh = TypedDict(
    "Mesh",
    {
        # Mesh to read: Gmsh (.msh), SU2 (.su2), CGNS (.cgns) or Weft's own (.h5). A relative path starts at the folder of the
        # case.
        "file": Union[str, PathLike[str]],
        # Mesh to generate instead; its parameters are keys of this section. (default "none")
        "generator": Literal[
            "none", "box", "vortex_box", "wedge", "expansion", "forward_step", "bump", "nozzle", "shock_reflection", "naca",
            "ringleb", "cylinder"
        ],
        # Cells along x. (default 32) Or: Cells along x; the corner is on the nearest node. (default 48) Or: Cells along x.
        # (default 96) Or: Cells along x; the throat is on the nearest node. (default 96) Or: Cells along x. (default 120) Or:
        # Cells along the streamlines. (default 64)
        "nx": Union[float, str],
        # Cells along y. (default 32) Or: Cells along y. (default 8) Or: Cells along y. (default 40) Or: Cells across.
        # (default 32)
        "ny": Union[float, str],
        # Cells along z; 0: a two-dimensional mesh. (default 0)
        "nz": Union[float, str],
        # Lower end in x. (m, default 0)
        "xmin": Union[float, str],
        # Upper end in x; above xmin. (m, default 1)
        "xmax": Union[float, str],
        # Lower end in y. (m, default 0)
        "ymin": Union[float, str],
        # Upper end in y; above ymin. (m, default 1)
        "ymax": Union[float, str],
        # Lower end in z, in 3-D. (m, default 0)
        "zmin": Union[float, str],
        # Upper end in z, in 3-D; above zmin. (m, default 1)
        "zmax": Union[float, str],
        # Types of the cells. (default "quads")
        "elements": Union[float, str],
        # That splits quads in triangles and prisms. (default "alternating")
        "diagonal": Union[float, str],
        # Smooth displacement of the nodes, as a fraction of the length. (default 0)
        "warp": Union[float, str],
        # Random displacement of the inner nodes, in cell sizes; at most 0.1 in 3-D. (default 0)
        "jitter": Union[float, str],
        # Seed of random displacements and diagonals. (default 1)
        "seed": Union[float, str],
        # Cells along each side. (default 64)
        "n": Union[float, str],
        # Length of each side. (m, default 10)
        "size": Union[float, str],
        # Angle by which the floor turns at x = 0. (degrees, default 10)
        "angle": Union[float, str],
        # From the inlet to the corner, along x. (m, default 0.5)
        "upstream": Union[float, str],
        # From the corner to the outlet, along x. (m, default 1)
        "downstream": Union[float, str],
        # Height of the inlet; the ceiling is flat. (m, default 1) Or: Height of the channel. (m, default 1)
        "height": Union[float, str],
        # Length of the cells at the corner, from which their lengths grow geometrically; 0: uniform cells. (m, default 0)
        "corner_size": Union[float, str],
        # Cells in z; 0: a two-dimensional mesh. (default 0)
        "layers": Union[float, str],
        # In z, where there are layers. (m, default 1) Or: In z, where there are layers. (m, default 0.2) Or: In z, where
        # there are layers. (m, default 0.1)
        "depth": Union[float, str],
        # Size of uniform cells; divides length, height, step_x and step_height. (m, default 0.05)
        "h": Union[float, str],
        # Length of the channel. (m, default 3)
        "length": Union[float, str],
        # Where the step begins; below length. (m, default 0.6)
        "step_x": Union[float, str],
        # Step height of the step; below height. (m, default 0.2)
        "step_height": Union[float, str],
        # Height of the half at the inlet. (m, default 0.15)
        "inlet": Union[float, str],
        # Height of the half at x = 0. (m, default 0.1)
        "throat": Union[float, str],
        # Height of the half at the exit, where there is a diverging part. (m, default 0.15)
        "exit": Union[float, str],
        # From the inlet to the throat, along x. (m, default 1)
        "converging": Union[float, str],
        # From the throat to the exit, along x; 0: the throat is the exit. (m, default 1)
        "diverging": Union[float, str],
        # The aerofoil: camber and its place in percent and tenths of the chord, thickness in percent. (default "0012")
        "digits": Union[float, str],
        # Cells around the aerofoil; even. (default 256) Or: Cells along the half circle. (default 80)
        "around": Union[float, str],
        # Cells from the aerofoil to the far field. (default 128) Or: Cells from the cylinder to the inflow. (default 40)
        "radial": Union[float, str],
        # Length of the aerofoil. (m, default 1)
        "chord": Union[float, str],
        # Radius of the far field. (chords, default 50) Or: Radius of the cylinder. (m, default 1)
        "radius": Union[float, str],
        # Height of the first cell at mid-chord; 0: half its length. (chords, default 0)
        "wall_spacing": Union[float, str],
        # The faster streamline; above k_outer. (default 0.8)
        "k_inner": Union[float, str],
        # The slower streamline; above q0. (default 0.5)
        "k_outer": Union[float, str],
        # Speed at inlet and outlet, in stagnation speeds of sound. (default 0.3)
        "q0": Union[float, str],
        # From the cylinder to the inflow ahead of it. (radii, default 1)
        "front": Union[float, str],
        # From the cylinder to the inflow at x = 0. (radii, default 3.5)
        "side": Union[float, str],
        # Coordinates are multiplied by it: 0.001 for a mesh in mm. (default 1.0)
        "scale": float,
        # Added to the coordinates after scaling. (m, default [0.0, 0.0, 0.0])
        "offset": Union[Sequence[float], str],
        # A 2-D mesh is the half of a meridian plane: y is the distance from the axis y = 0. Volumes, areas, forces and
        # integrals are those of the whole turn: of a force the component along x, without lift and moment. The gas does not
        # turn: velocities along z are 0. (default false)
        "axisymmetric": bool,
        # Numbering of the cells of a rank, for memory locality. hilbert: along a Hilbert curve; rcm: reverse Cuthill-McKee;
        # as_read: as the mesh has them. (default "hilbert")
        "order": Literal["hilbert", "rcm", "as_read"],
        # Distributes the cells to the ranks. automatic: the parts of the file, else METIS, or hilbert beyond 20 million
        # cells; metis: METIS on rank 0; scotch: PT-Scotch on all ranks; hilbert: pieces of a Hilbert curve, with the least
        # memory. (default "automatic")
        "partitioner": Literal["automatic", "metis", "scotch", "hilbert"],
        # Quantity that is distributed equally to the ranks: cells, or their measured cost by type. (default "cells")
        "balance": Literal["cells", "cost"],
        # Work of a cell as a formula of its place, "1 + 3*(x<0)", finite and above 0: a rank gets an equal share of the sum.
        # With balance = cost it is a factor. (default "1")
        "weight": Union[str, float],
        # Two boundary zones that are one.
        "periodic": Sequence[MeshPeriodic],
    },
    total=False,
)


# The undisturbed flow: default of far_field and supersonic_inflow boundaries and of a uniform start; reference of force
# coefficients.
FreeStream = TypedDict(
    "FreeStream",
    {
        # Static pressure. (Pa)
        "pressure": Union[float, str],
        # Density; or give temperature. (kg/m^3)
        "density": Union[float, str],
        # Static temperature p / (density gas_constant), instead of density. (K)
        "temperature": Union[float, str],
        # Velocity; or give mach. (m/s)
        "velocity": Union[Sequence[float], str],
        # Mach number, instead of velocity.
        "mach": float,
        # Angle of attack: turns x towards lift_axis. With mach. (deg, default 0.0)
        "alpha": Union[float, str],
        # Sideslip: turns the stream from there towards x cross lift_axis. With mach. (deg, default 0.0)
        "beta": Union[float, str],
        # Axis towards which alpha turns the flow. (default "y")
        "lift_axis": Literal["y", "z"],
    },
    total=False,
)


# The flow at the start.
Initial = TypedDict(
    "Initial",
    {
        # State as a function of place. uniform: one state everywhere; riemann: two states, left and right of a plane; sod:
        # Sod's Riemann problem; lax: Lax's Riemann problem; toro_123: Toro's Riemann problem of two rarefactions;
        # toro_left_blast: left half of Woodward and Colella's blast waves; toro_collision: Toro's Riemann problem of two
        # shocks that collide; vortex: the isentropic vortex; entropy_wave: a wave of density that the flow carries;
        # forward_step: the stream of the forward step at Mach 3; double_mach: the double Mach reflection; ringleb: Ringleb's
        # flow; manufactured: the manufactured solution; expression: formulas of x, y and z; solution: the solution of another
        # run; function: a function of the program, given from Python. (default "uniform")
        "kind": Literal[
            "uniform", "riemann", "sod", "lax", "toro_123", "toro_left_blast", "toro_collision", "vortex", "entropy_wave",
            "forward_step", "double_mach", "ringleb", "manufactured", "expression", "solution", "function"
        ],
        # Static pressure. (Pa)
        "pressure": Union[float, str],
        # Density; or give temperature. (kg/m^3)
        "density": Union[float, str],
        # Static temperature p / (density gas_constant), instead of density. (K)
        "temperature": Union[float, str],
        # Velocity; or give mach. (m/s) Or: Velocity of the flow that carries it. (m/s, default [1.0, 1.0, 0.0]) Or: Velocity
        # of the flow that carries it. (m/s, default [1.0, 1.0, 1.0])
        "velocity": Union[Sequence[float], str],
        # Mach number, instead of velocity.
        "mach": float,
        # Angle of attack: turns x towards lift_axis. With mach. (deg, default 0.0)
        "alpha": Union[float, str],
        # Sideslip: turns the stream from there towards x cross lift_axis. With mach. (deg, default 0.0)
        "beta": Union[float, str],
        # Axis towards which alpha turns the flow. (default "y")
        "lift_axis": Literal["y", "z"],
        # Plane x = x0 between left and right (0.5; toro_collision 0.4). (m)
        "x0": Union[float, str],
        # beta. (default 5.0)
        "strength": float,
        # Centre of the vortex at t = 0. (m, default [5.0, 5.0, 0.0])
        "centre": Union[Sequence[float], str],
        # Lengths of the periodic box; 0: not periodic. (m, default [10.0, 10.0, 0.0])
        "period": Union[Sequence[float], str],
        # Amplitude of the density. (default 0.2)
        "amplitude": float,
        # Waves per metre. (default [1.0, 1.0, 1.0])
        "wave": Sequence[float],
        # x where the shock meets y = 0 at t = 0. (m, default 0.16666666666666666)
        "foot": Union[float, str],
        # Dimensions of the mesh. (default 2)
        "dim": int,
        # Edge of the periodic box. (m, default 1.0)
        "length": Union[float, str],
        # Density, kg/m^3, as a formula of x, y and z (m); at a boundary, also of the time t (s). (default "1")
        "density_expression": Union[str, float],
        # x component of the velocity, m/s, as a formula of the same variables as the density. (default "0")
        "velocity_x_expression": Union[str, float],
        # y component of the velocity, m/s, as a formula of the same variables as the density. (default "0")
        "velocity_y_expression": Union[str, float],
        # z component of the velocity, m/s, as a formula of the same variables as the density. (default "0")
        "velocity_z_expression": Union[str, float],
        # Pressure, Pa, as a formula of the same variables as the density. (default "1")
        "pressure_expression": Union[str, float],
        # Field file (fields_*.hdf) of an earlier run, on any mesh and any number of ranks, or a results folder, whose last
        # field file is taken. Each cell gets the value at its centroid, linear from the nearest cell of that file; outside
        # the mesh of that run, the value of the nearest cell. Gas, dimensions and number of scalars must be those of that
        # run; the time begins at 0. (required)
        "file": Union[str, PathLike[str]],
        # State left of x0. Only with `kind = riemann`.
        "left": InitialLeft,
        # State right of x0. Only with `kind = riemann`.
        "right": InitialRight,
        # A part of space with a state of its own; later ones win.
        "region": Sequence[InitialRegion],
    },
    total=False,
)


# How the equations are solved.
Numerics = TypedDict(
    "Numerics",
    {
        # Numerical flux through a face. In weak shocks on triangles and tetrahedra the default takes lift from airfoils (2.3
        # % on the triangles of a NACA 0012 at Mach 0.8) or total pressure: choose hllc for transonic flow there, and keep the
        # default for strong shocks, which hllc alone makes unstable. On triangles strong shocks leave streaks with the
        # default and with hlle. hllc: two acoustic waves and the contact, unstable along strong shocks (carbuncles); roe:
        # Roe's linearised Riemann problem with Harten's entropy fix; rusanov: one wave (local Lax-Friedrichs), the most
        # dissipative and robust; hlle: two acoustic waves, smears contacts and shear layers; ausm_plus_up: AUSM+-up,
        # convection and pressure split, accurate at low Mach numbers; hllc_hlle: HLLC, and HLLE in shocks, where HLLC is
        # unstable. (default "hllc_hlle")
        "flux": Literal["hllc", "roe", "rusanov", "hlle", "ausm_plus_up", "hllc_hlle"],
        # Harten's entropy fix: acoustic speeds below this multiple of the speed of sound are raised smoothly to at least half
        # of it, so that an expansion through a sonic point stays smooth. 0: none. (default 0.2)
        "entropy_fix": float,
        # Lower bound of the Mach number that scales its low-speed terms: the largest of the flow if it is far below 1,
        # otherwise 1. (default 1.0)
        "cutoff_mach": float,
        # Limiter of the linear reconstruction. It acts on each velocity component by itself, so that results depend on the
        # frame: if mesh and stream are turned by 40 degrees, the lift of an airfoil in the transient after an impulsive start
        # changes by 0.2 to 0.6 % with barth_jespersen, and this does not vanish as the grid is refined; with venkatakrishnan
        # it falls to 0.1 % on 128 x 64 cells, without a limiter there is no change. none: the plain linear reconstruction,
        # for smooth flows; barth_jespersen: makes no new extremes, but is not smooth, so that steady flows with strong shocks
        # oscillate about their mean; venkatakrishnan: smooth, so that steady flows converge, with small overshoots. (default
        # "barth_jespersen")
        "limiter": Literal["none", "barth_jespersen", "venkatakrishnan"],
        # Larger values leave larger smooth variations unlimited. (default 5.0)
        "venkatakrishnan_k": float,
        # Cell sizes of Venkatakrishnan's parameter are relative to it. Default: twice the largest distance of a slip wall's
        # node from the centroid of all slip walls, which is about the chord of an airfoil or the diameter of a sphere;
        # without walls that of all nodes from the centroid of the mesh. (m)
        "reference_length": Union[float, str],
        # Gradient of the linear reconstruction. none: first order in space; green_gauss: of second order on orthogonal meshes
        # only; least_squares: of second order on every mesh. (default "least_squares")
        "gradient": Literal["none", "green_gauss", "least_squares"],
        # Neighbours in the stencil of a least-squares gradient. face: across faces; node: through nodes. (default "face")
        "stencil": Literal["face", "node"],
        # Keeps least squares over face neighbours stable without a limiter on meshes that have other cells than quads and
        # hexahedra: differences to all neighbours count alike, gradients of slivers are bounded, and small jumps at faces
        # between two cells are damped. (default true)
        "stabilize_simplices": bool,
        # Order (and stages) of the SSP Runge-Kutta scheme. (default 3)
        "rk_order": int,
        # Courant number. With stabilize_simplices, on meshes that have other cells than quads and hexahedra, steps are those
        # of 0.8 at most (0.64 with rk_order below 3), with a warning. (default 0.8)
        "cfl": float,
        # Steps at the start in which the Courant number grows from cfl_start to cfl. (default 0)
        "cfl_ramp_steps": int,
        # With cfl_ramp_steps. (default 0.1)
        "cfl_start": float,
        # Steps at the start in which the scheme grows from first order in space to second: the upper bound of the limiters
        # grows from 0 to 1. (default 0)
        "order_ramp_steps": int,
        # Each cell with its own time step: steady flows only. (default false)
        "local_time_step": bool,
        # Preserves the state of [initial] to rounding. It must be stationary, such as a column of gas at rest under a body
        # force: the rate that the scheme computes of it is subtracted from every rate. A perturbation in [initial] would also
        # be preserved, so that perturbations must come from the boundary. (default false)
        "well_balanced": bool,
        # Scalar types in which a GPU computes; the host has fp64 alone. fp64: everything in 64 bits; mixed: gradients and
        # fluxes in 32 bits, the state and its update in 64; fp32: everything in 32 bits. (default "fp64")
        "precision": Literal["fp64", "mixed", "fp32"],
    },
    total=False,
)


# A force on every part of the gas alike, such as gravity.
BodyForce = TypedDict(
    "BodyForce",
    {
        # Force per mass. (m/s^2, default [0.0, 0.0, 0.0])
        "acceleration": Union[Sequence[float], str],
    },
    total=False,
)


# When to stop: the first that holds.
Stop = TypedDict(
    "Stop",
    {
        # Flow time. (s)
        "time": Union[float, str],
        # Steps since the start of the run.
        "steps": int,
        # Wall-clock time of this call; a checkpoint is left. (s)
        "wall_time": Union[float, str],
        # Residual of density relative to its largest: 1e-8 stops after a fall of eight orders.
        "residual": float,
        # Largest change of any drag or lift coefficient over force_window steps. The run ends when, besides, each has changed
        # by at most 0.5 % of its magnitude over the last fifth of the steps, and at least over force_window; one near 0
        # counts as 1 % of the larger of drag and lift, and as 0.1 % of the largest since the start.
        "force_change": float,
        # Steps over which force_change is computed. (default 200)
        "force_window": int,
    },
    total=False,
)


# Files that are written: fields, checkpoints and histories, where and when.
Output = TypedDict(
    "Output",
    {
        # Folder of the results; made if absent. A relative path starts at the folder of the case. (default "results")
        "directory": Union[str, PathLike[str]],
        # Flow time between field files; steps are shortened to meet it. (s)
        "field_interval": Union[float, str],
        # Steps between field files.
        "field_steps": int,
        # Steps between rows of residuals.csv, forces.csv, monitors.csv, probes.csv and integrals.csv. (default 10)
        "history_steps": int,
        # Steps between checkpoints. One is always left at the end.
        "checkpoint_steps": int,
        # Wall-clock time between checkpoints; 0: as many as checkpoint_steps asks for. (s, default 600.0)
        "checkpoint_seconds": Union[float, str],
        # Precision of field files. (default "double")
        "precision": Literal["double", "single"],
        # Quantities of the flow in field files, in addition to the scalars, cell_id and rank: any of density: rho, kg/m^3;
        # velocity: u, 3 components, m/s; pressure: p, Pa; mach: Mach number M = |u| / a, a = sqrt(gamma p / rho);
        # temperature: T = p / (rho R), K; total_temperature: T (1 + (gamma - 1) M^2 / 2), K; total_pressure: p (1 + (gamma -
        # 1) M^2 / 2)^(gamma / (gamma - 1)), Pa; entropy: R / (gamma - 1) ln(p / rho^gamma), less that of the free stream
        # where there is one, J/(kg K); cp: pressure coefficient (p - p_inf) / (rho_inf u_inf^2 / 2), which needs a free
        # stream that moves; vorticity: curl u, 3 components, 1/s; in 2-D its component along z; schlieren: |grad rho|,
        # kg/m^4. Vorticity and schlieren are made from the gradients of the scheme, as its limiter leaves them. (default
        # ["density", "velocity", "pressure", "mach"])
        "fields": Union[str, Sequence[str]],
        # Write the integral of each conserved variable to integrals.csv; of an axisymmetric flow momentum_y is that away from
        # the axis, whose vectors add up to 0. (default false)
        "integrals": bool,
        # At the end, compare with the exact solution of [initial]: errors.csv. Field files hold it as exact_density,
        # exact_velocity, exact_pressure and exact_mach. (default false)
        "exact_errors": bool,
    },
    total=False,
)


# The sections and keys of a case except for the mesh.
CaseSections = TypedDict(
    "CaseSections",
    {
        # One line, for people. (default "")
        "title": str,
        # Where the flow is computed: on the cores of the CPU, or on GPUs, which are assigned to the ranks of a machine in
        # turn. (default "host")
        "device": Literal["host", "cuda"],
        # How ghosts travel. automatic: between GPUs the first of peer, nccl, cuda_aware and staged that can be used, on the
        # host shared or host, with each neighbour; host: on the host, by MPI; shared: on the host, through memory that the
        # ranks of a machine share; staged: between GPUs, by MPI from memory of the host; cuda_aware: between GPUs, by MPI
        # from their memory; nccl: between GPUs, by NCCL; peer: between GPUs, written straight into the other GPU's memory.
        # (default "automatic")
        "transport": Literal["automatic", "host", "shared", "staged", "cuda_aware", "nccl", "peer"],
        # Threads of each rank that compute, on the host; results are the same to the last bit. (default 1)
        "threads": int,
        # The cores on which the threads of the ranks execute. automatic: numa on a machine with several NUMA nodes, if the
        # threads of the run are more than half of its cores and not more than its hardware threads, and no launcher has bound
        # the ranks; none otherwise; none: the operating system chooses the cores, within what a launcher permits; cores: each
        # rank has a share of the cores of its machine, and each of its threads one core of it; numa: each rank has a share of
        # the cores of its machine, and each of its threads those of one NUMA node of it. (default "automatic")
        "bind": Literal["automatic", "none", "cores", "numa"],
        # Source term; manufactured: that of [initial], kind manufactured; function: a function of the program, given from
        # Python. (default "none")
        "source": Union[Literal["none", "manufactured", "function"], Callable[..., Any]],
        # The gas: ideal, calorically perfect.
        "gas": Gas,
        # The undisturbed flow: default of far_field and supersonic_inflow boundaries and of a uniform start; reference of
        # force coefficients.
        "free_stream": FreeStream,
        # The flow at the start.
        "initial": Union[Initial, Callable[..., Any]],
        # A passive scalar: a quantity that the flow carries, such as a dye or a mixture fraction. Its name is that of its
        # field in the results. Where the flow has a limiter the scalar has that of Barth and Jespersen, and keeps between the
        # extremes of its start and of what comes in; without a limiter it may leave them.
        "scalars": Mapping[str, Scalars],
        # The condition of a boundary zone of the mesh, or of all zones whose names match a pattern: `[boundary."wall*"]`,
        # where `*` is any text and `?` any character. The name of a zone goes before patterns.
        "boundary": Mapping[str, Union[Boundary, Callable[..., Any]]],
        # How the equations are solved.
        "numerics": Numerics,
        # A force on every part of the gas alike, such as gravity.
        "body_force": BodyForce,
        # When to stop: the first that holds.
        "stop": Stop,
        # Files that are written: fields, checkpoints and histories, where and when.
        "output": Output,
        # Force and moment on boundary zones, in N and N m, in forces.csv; with a free stream that moves, coefficients, too.
        "forces": Mapping[str, Forces],
        # Values at points, in probes.csv.
        "probes": Mapping[str, Probes],
        # Mass flow through boundary zones and averages over them, in monitors.csv: a column <name>_<quantity> each.
        "monitors": Mapping[str, Monitors],
        # Values along a line, in line_<name>_<step>.csv with each field file: distance from the first point, x, y, z,
        # output.fields and scalars, linear within the cells. Points outside the mesh have no row.
        "lines": Mapping[str, Lines],
        # A plane section of a 3-D mesh, in section_<name>_<step>.vtu with each field file: the polygon in each cell that the
        # plane meets, with output.fields, scalars and cell_id.
        "sections": Mapping[str, Sections],
    },
    total=False,
)


class Case(CaseSections, total=False):
    """A case as a dictionary."""

    mesh: Mesh


__all__ = [
    "BodyForce",
    "Boundary",
    "BoundaryLeft",
    "BoundaryRegion",
    "BoundaryRight",
    "BoundaryScalars",
    "Case",
    "CaseSections",
    "Forces",
    "FreeStream",
    "Gas",
    "Initial",
    "InitialLeft",
    "InitialRegion",
    "InitialRight",
    "Lines",
    "Mesh",
    "MeshPeriodic",
    "Monitors",
    "Numerics",
    "Output",
    "Probes",
    "Scalars",
    "Sections",
    "Stop",
]
