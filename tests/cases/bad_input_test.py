#!/usr/bin/python3
"""docs/guide/bad_input.md says what the program says to each wrong input of the tables below, which this runs.

    tests/cases/bad_input_test.py WEFT [--write]      WEFT: the program; --write: write the page again

Rows that this machine cannot try (no mount namespaces: disk full, read-only; no CUDA) are taken from the page as they are.
"""
import concurrent.futures
import difflib
import pathlib
import re
import sys

from bad_input_support import *

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guide" / "bad_input.md"

TABLES = (
    ("The command line", "", (
        words(),
        words("fly"),
        words("rum", "case.toml"),
        words("run"),
        words("run", "case.toml", "--fast"),
        words("run", "case.toml", "-n", "0"),
        words("run", "case.toml", "-n", "two"),
        words("run", "case.toml", "--overwrite", "--resume"),
        words("run", "case.toml", "--device", "gpu"),
        words("run", "case.toml", "--device", "cuda", where="no NVIDIA driver was found"),
        Try("the same, of a build without nvcc", ["run", "case.toml", "--device", "cuda"], where="this build has no CUDA"),
        words("run", "case.toml", "--threads", "0"),
        words("run", "case.toml", "--threads", "5000"),
        words("run", "case.toml", "--threads", "two"),
        words("run", "case.toml", "--threads", "2", "--device", "cuda"),
        words("run", "case.toml", "--watchdog", "0"),
        words("run", "case.toml", "--set"),
        words("run", "case.toml", "--set", "stop"),
        words("run", "case.toml", "--set", "=3"),
        words("run", "case.toml", "--set", "stop.steps=[1,"),
        words("run", "nofile.toml"),
        words("run", "."),
        words("new", "wege"),
        words("new", "sod", "case.toml"),
        words("new", "sod", "mine.toml", "--mesh", "box.msh", before=generated),
        words("new", "--mesh", "box.msh", before=generated),
        words("new", "from_file", "mine.toml", "--mesh", "nofile.msh"),
        words("mesh", "generate", "bocks", "m.msh"),
        words("mesh", "generate", "box", "m.msh", "-p", "nz=deep"),
        words("mesh", "generate", "box", "m.xyz"),
        words("mesh", "generate", "box", "nofolder/m.msh"),
        words("mesh", "convert", "nofile.msh", "m.su2"),
        words("mesh", "convert", "box.msh", "m.vtk", before=generated),
        words("mesh", "convert", "box.msh", "m.su2", "--scale", "0", before=generated),
        words("plan", "case.toml"),
        words("plan", "case.toml", "--ranks", "0"),
        words("plan", "case.toml", "--ranks", "100000"),
        words("report", "nofolder"),
        words("report", "empty", before=lambda folder: (folder / "empty").mkdir()),
        words("run", "case.toml", "--resum"),
        words("run", "case.toml", "other.toml"),
        words("run", "case.toml", "--accept-changes"),
        words("run", "case.toml", "--set", "numerics.cfl", "0.5"),
        words("run", "case.toml", "--set", "numerics.cfl=0,5"),
        words("run", "case.toml", "--set", "cfl=0.5"),
        words("run", "case.toml", "--set", "boundary.lid.pressure=1.0"),
        words("run", "case.toml", "--set", "boundary.xmni.kind=symmetry"),
        words("check"),
        words("check", "case.tml"),
        words("check", "box.msh", before=generated),
        words("new", "naca0012.toml"),
        words("new", "from_file"),
        words("new", "from_file", "box.msh", before=generated),
        words("new", "from_file", "mine.toml", "--mesh", "case.toml"),
        words("completion", "tcsh"),
        words("info", "--jsn"),
        words("bench"),
        words("bench", "kernels", "--only", "srot"),
        words("bench", "kernels", "--only", "bucket_sort"),
        words("bench", "kernels", "--device", "gpu"),
        words("bench", "kernels", "--tune", "--quick"),
        words("bench", "kernels", where="this build has no CUDA"),
    )),
    ("Mesh files", "", (
        words("mesh"),
        words("mesh", "info"),
        words("mesh", "box.msh", before=generated),
        words("mesh", "info", "case.toml"),
        words("mesh", "info", "."),
        words("mesh", "info", "box.msh", "--picture", "box.gif", before=generated),
        words("mesh", "convert", "box.msh", before=generated),
        words("mesh", "convert", "box.msh", "box.msh", before=generated),
        words("mesh", "convert", "box.msh", "box.cgns", before=generated),
        words("mesh", "generate", "box", "m.msh", "-p", "nx"),
        words("mesh", "generate", "box", "m.msh", "-p", "nq=3"),
        words("mesh", "refine", "box.msh", "fine.msh", "--times", "0", before=generated),
        words("mesh", "refine", "box.msh", "fine.msh", "--times", "40", before=generated),
        words("mesh", "partition", "box.msh", "cut.msh", "--ranks", "2", before=generated),
        Try("`weft mesh info box.bdf`, of Nastran", ["mesh", "info", "box.bdf"],
            before=with_file("box.bdf", b"$ Created by a mesher\nSOL 1\nCEND\nBEGIN BULK\nGRID,1,0,0.0,0.0,0.0\nENDDATA\n")),
    )),
    ("Sweeps", "`weft run case.toml` with these words.", (
        Try("`--sweep`", [*RUN, "--sweep"]),
        *(Try(f"`--sweep {values}`", [*RUN, "--sweep", values])
          for values in ("numerics.cfl", "numerics.cfl=", "numerics.cfl=0.1:0.5", "numerics.cfl=0.1:0.5:0.3", "numerics.cfl=0.5:0.1:0.1",
                         "numerics.cfl=0.5,0.5", "numerics.cfl=0.1,99", "numerics.clf=0.1,0.2", "numerics.flux=hllc,roe", "mesh.nx=4,8",
                         "free_stream.alpha=2deg,4deg", "boundary.lid.pressure=1,2")),
        Try("`--sweep numerics.cfl=0.1,0.2`, and the folder holds a run", [*RUN, "--sweep", "numerics.cfl=0.1,0.2"], before=finished),
    )),
    ("Pictures, pages and exports", "After a run of 4 steps in `results/`.", (
        words("plot"),
        words("plot", "result"),
        words("plot", "case.toml", before=finished),
        words("plot", "results", "--field", "presure", before=finished),
        words("plot", "results", "--step", "7", before=finished),
        words("plot", "results", "--output", "a.jpg", before=finished),
        words("plot", "results", "--slice", "z=0.5", before=finished),
        words("plot", "results", "--window", "0,1", before=finished),
        words("plot", "results", "--colours", "viridus", before=finished),
        words("plot", "results", "--field", "cp", before=finished),
        words("plot", "runs", before=several),
        words("report", "runs", before=several),
        words("report", "results/residuals.csv", before=finished),
        words("export", "runs", before=several),
        words("export", "results", "--format", "vtk", before=finished),
        words("export", "results/residuals.csv", before=finished),
        words("export", "results/checkpoint.h5", before=finished),
        words("export", "nofolder"),
    )),
    ("The case as a file", "Each is the whole of `case.toml`, and `weft check case.toml`.", (
        Try("an empty file", CHECK, (CASE, "")),
        Try("`[mesh`", CHECK, (CASE, "[mesh\n")),
        Try("`title = Box`", CHECK, (CASE, "title = Box\n")),
        Try("`title = \"Box`", CHECK, (CASE, 'title = "Box\n')),
        Try("`[mesh]` twice", CHECK, (CASE, CASE + "[mesh]\n")),
        Try("`nx = 8` twice", CHECK, ("nx = 8", "nx = 8\nnx = 8")),
        Try("a picture", CHECK, before=with_file("case.toml", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")),
        Try("text that is not UTF-8", CHECK, before=with_file("case.toml", b'title = "Fl\xfcgel"\n')),
    )),
    ("Keys", "A good case with one line changed, and `weft check case.toml`.", (
        edit("[numerix]", "[numerics]"),
        edit("cfll = 0.5", "cfl = 0.5"),
        edit('cfl = "fast"', "cfl = 0.5"),
        edit("cfl = true", "cfl = 0.5"),
        edit("cfl = [0.5, 0.5]", "cfl = 0.5"),
        edit("cfl = nan", "cfl = 0.5"),
        edit("cfl = 1e999", "cfl = 0.5"),
        edit("cfl = 0.0", "cfl = 0.5"),
        edit("cfl = 20", "cfl = 0.5"),
        edit('cfl = "0.5 m"', "cfl = 0.5"),
        edit('flux = "hlcc"', "cfl = 0.5"),
        edit("flux = 3", "cfl = 0.5"),
        edit('limiter = "none "', "cfl = 0.5"),
        edit("steps = 1.5", "steps = 4"),
        edit("steps = -1", "steps = 4"),
        edit("steps = 99999999999999999999", "steps = 4"),
        edit('time = "2 parsecs"', "steps = 4"),
        edit('time = "2 m"', "steps = 4"),
        edit("exact_errors = 1", 'directory = "results"'),
        edit("directory = 7", 'directory = "results"'),
        edit('title = ["a", "b"]', 'title = "Box"'),
        edit("gas = 1.4", 'title = "Box"'),
        edit("cfl = 0,5", "cfl = 0.5"),
        edit("cfl = .5", "cfl = 0.5"),
        edit('limiter = "Venkatakrishnan"', "cfl = 0.5"),
        edit("rk_order = 4", "cfl = 0.5"),
        edit('steps = "many"', "steps = 4"),
        edit("residual = -1e-6", "steps = 4"),
        edit('directory = ""', 'directory = "results"'),
        edit('directory = "case.toml"', 'directory = "results"', command=RUN),
        edit('kind = "slipwall"', 'kind = "slip_wall"'),
        edit("kind = slip_wall", 'kind = "slip_wall"'),
        edit('kind = "wall"', 'kind = "slip_wall"'),
        edit('kind = "outlet"', 'kind = "slip_wall"'),
        edit('kind = "periodic"', 'kind = "slip_wall"'),
        edit("[boundary.Xmin]", "[boundary.xmin]"),
        edit('xmin = "slip_wall"', '[boundary.xmin]\nkind = "slip_wall"\n'),
        edit("gas.gamma = 1.0", 'title = "Box"'),
    )),
    ("What must fit together", "A good case with one line changed, and `weft check case.toml`.", (
        Try("no `[mesh]`", CHECK, ('[mesh]\ngenerator = "box"\nnx = 8\nny = 8\n', "")),
        Try("no `[stop]`", CHECK, ("[stop]\nsteps = 4\n", "")),
        Try("no condition for one zone", CHECK, ('[boundary.ymax]\nkind = "slip_wall"\n', "")),
        edit("[boundary.ymay]", "[boundary.ymax]"),
        edit('[boundary."z*"]', "[boundary.ymax]"),
        Try('`[boundary."xm*"]` and `[boundary."?max"]`', CHECK,
            (ZONES, '[boundary."xm*"]\nkind = "slip_wall"\n\n[boundary."?max"]\nkind = "slip_wall"\n\n[boundary.ymin]\nkind = "slip_wall"\n\n')),
        edit('kind = "CHOOSE"', 'kind = "slip_wall"'),
        Try("ten slips at once", CHECK, (CASE, MANY)),
        Try("`[boundary.ymax]` without `kind`", CHECK, ('[boundary.ymax]\nkind = "slip_wall"\n', "[boundary.ymax]\n")),
        Try("`kind = \"supersonic_inflow\"` without a state", CHECK, ('[boundary.xmin]\nkind = "slip_wall"',
                                                                     '[boundary.xmin]\nkind = "supersonic_inflow"')),
        Try("`pressure = 1.0` for a slip wall", CHECK, ('[boundary.xmin]\nkind = "slip_wall"',
                                                       '[boundary.xmin]\nkind = "slip_wall"\npressure = 1.0')),
        edit('precision = "mixed"', "cfl = 0.5"),
        Try("density and temperature", CHECK, ("[stop]", "[free_stream]\npressure = 1.0\ndensity = 1.0\ntemperature = 1.0\nmach = 0.5\n\n[stop]")),
        Try("Mach number and velocity", CHECK, ("[stop]", "[free_stream]\npressure = 1.0\ndensity = 1.0\nvelocity = [1.0, 0.0]\nmach = 0.5\n\n[stop]")),
        Try("forces on a zone that is not there", CHECK,
            ("[stop]", "[free_stream]\npressure = 1.0\ndensity = 1.0\nmach = 0.5\n\n[forces.all]\nzones = [\"xmim\"]\n\n[stop]")),
        Try("forces on no zone", CHECK,
            ("[stop]", "[free_stream]\npressure = 1.0\ndensity = 1.0\nmach = 0.5\n\n[forces.all]\nzones = []\n\n[stop]")),
        Try("forces on a pattern that no zone has", CHECK,
            ("[stop]", "[free_stream]\npressure = 1.0\ndensity = 1.0\nmach = 0.5\n\n[forces.all]\nzones = [\"z*\"]\n\n[stop]")),
        Try("a monitor of a zone that is not there", CHECK, ("[stop]", "[monitors.out]\nzones = \"xmx\"\n\n[stop]")),
        Try("a monitor of a quantity that is none", CHECK,
            ("[stop]", "[monitors.out]\nzones = \"xmax\"\nquantities = [\"massflow\"]\n\n[stop]")),
        Try("a field of no such name", CHECK, ("[output]", "[output]\nfields = [\"presure\"]")),
        Try("cp without a free stream", CHECK, ("[output]", "[output]\nfields = [\"pressure\", \"cp\"]")),
        Try("a line outside of the mesh", CHECK, ("[stop]", "[lines.far]\nfrom = [7.0, 0.5]\nto = [8.0, 0.5]\n\n[stop]")),
        Try("a section of a 2-D mesh", CHECK, ("[stop]", "[sections.mid]\npoint = [0.5, 0.5]\nnormal = [1.0, 0.0]\n\n[stop]")),
        Try("settled forces without a free stream", CHECK,
            ("[stop]", "[forces.all]\nzones = [\"xmin\"]\n\n[stop]\nforce_change = 1e-4")),
        Try("a probe outside of the mesh", CHECK, ("[stop]", "[probes.far]\nat = [7.0, 0.5]\n\n[stop]")),
        Try("a scalar that is called as a field", CHECK, ("[stop]", "[scalars.pressure]\ninitial = 1.0\n\n[stop]")),
        Try("a scalar with a name that is no word", CHECK, ("[stop]", '[scalars."red dye"]\ninitial = 1.0\n\n[stop]')),
        Try("a probe at one number", CHECK, ("[stop]", "[probes.a]\nat = 0.5\n\n[stop]")),
        Try("a probe at a text", CHECK, ("[stop]", "[probes.a]\nat = \"0.5, 0.5\"\n\n[stop]")),
        Try("two scalars of one name", CHECK, ("[stop]", "[scalars.dye]\n\n[scalars.dye]\n\n[stop]")),
        Try("nine scalars", CHECK, ("[stop]", "".join(f"[scalars.dye_{k}]\n" for k in range(9)) + "\n[stop]")),
        Try("`1 / (x - x)` as a scalar", CHECK, ("[stop]", '[scalars.dye]\ninitial = "1 / (x - x)"\n\n[stop]')),
        Try("a scalar of the time at the start", CHECK, ("[stop]", '[scalars.dye]\ninitial = "t"\n\n[stop]')),
        Try("a scalar on GPUs in fp32", [*CHECK, "--device", "cuda", "--set", "numerics.precision=fp32"], ("[stop]", "[scalars.dye]\n\n[stop]")),
        Try("a far field that brings a scalar which is not there", CHECK,
            ('[boundary.xmin]\nkind = "slip_wall"', '[scalars.dye]\n\n[boundary.xmin]\nkind = "far_field"\ndensity = 1.0\npressure = 1.0\nscalars.die = 1.0')),
        Try("a slip wall that brings a scalar", CHECK,
            ('[boundary.xmin]\nkind = "slip_wall"', '[scalars.dye]\n\n[boundary.xmin]\nkind = "slip_wall"\nscalars.dye = 1.0')),
        Try("a periodic pair that does not fit", CHECK,
            ('[boundary.xmin]\nkind = "slip_wall"\n\n[boundary.xmax]\nkind = "slip_wall"\n',
             '[[mesh.periodic]]\nfrom = "xmin"\nto = "xmax"\ntranslation = [2.0, 0.0]\n')),
        Try("a periodic pair of zones of different shapes", CHECK,
            (ZONES, '[[mesh.periodic]]\nfrom = "xmin"\nto = "ymin"\n\n' + ZONES[ZONES.index("[boundary.xmax]"):ZONES.index("[boundary.ymin]")])),
        Try("a periodic pair of zones with different numbers of faces", [*CHECK, "--set", "mesh.nx=9"],
            (ZONES, '[[mesh.periodic]]\nfrom = "xmin"\nto = "ymin"\n\n' + ZONES[ZONES.index("[boundary.xmax]"):ZONES.index("[boundary.ymin]")])),
        Try("a periodic zone that is not there", CHECK,
            ('[boundary.xmin]\nkind = "slip_wall"\n\n[boundary.xmax]\nkind = "slip_wall"\n',
             '[[mesh.periodic]]\nfrom = "xmin"\nto = "xmux"\ntranslation = [1.0, 0.0]\n')),
        Try("a periodic zone with a condition", CHECK,
            ('[boundary.xmin]\n', '[[mesh.periodic]]\nfrom = "xmin"\nto = "xmax"\ntranslation = [1.0, 0.0]\n\n[boundary.xmin]\n')),
        edit('generator = "bocks"', 'generator = "box"'),
        edit('file = "nofile.su2"', 'generator = "box"'),
        edit('file = "."', 'generator = "box"\nnx = 8\nny = 8'),
        edit('file = "nofile.su2"', 'generator = "box"\nnx = 8\nny = 8'),
        Try("`file` and `generator`", CHECK, ('generator = "box"', 'generator = "box"\nfile = "a.su2"')),
        edit("nx = 0", "nx = 8"),
        edit("nx = 10000000", "nx = 8"),
        edit("nx = 8.5", "nx = 8"),
        edit("xmax = -1.0", "nx = 8"),
        edit("around = 64", "nx = 8"),
        Try("an inflow whose direction points out of the domain", CHECK, ('[boundary.xmin]\nkind = "slip_wall"', RESERVOIR + "direction = [-1.0, 0.2]")),
        Try("an inflow whose direction goes along the boundary, `-n 2`", [*CHECK, "-n", "2"],
            ('[boundary.xmin]\nkind = "slip_wall"', RESERVOIR + "direction = [0.0, 1.0]")),
        Try("pressure and temperature in SI units without a gas constant", CHECK,
            ("[stop]", "[free_stream]\npressure = 101325.0\ntemperature = 288.15\nmach = 0.5\n\n[stop]")),
        Try("a reservoir in SI units without a gas constant", CHECK,
            ('[boundary.xmin]\nkind = "slip_wall"',
             '[boundary.xmin]\nkind = "total_pressure_inflow"\ntotal_pressure = "1.2 bar"\ntotal_temperature = "300 K"')),
    )),
    ("What can hardly be meant", "A good case with one zone changed, and `weft check case.toml`. The message is a warning, after which\nthe run goes on.", (
        Try("an inflow whose direction points out of the domain on some faces", [*CHECK, "--set", "mesh.generator=wedge", "--set", "mesh.angle=30.0"],
            (ZONES, ZONES_OF_WEDGE)),
        Try("a subsonic state of a supersonic inflow", CHECK,
            ('[boundary.xmin]\nkind = "slip_wall"',
             '[boundary.xmin]\nkind = "supersonic_inflow"\ndensity = 1.4\npressure = 1.0\nvelocity = [0.5, 0.1]')),
        Try("the same, `weft run case.toml -n 2`", [*RUN, "-n", "2"],
            ('[boundary.xmin]\nkind = "slip_wall"',
             '[boundary.xmin]\nkind = "supersonic_inflow"\ndensity = 1.4\npressure = 1.0\nvelocity = [0.5, 0.1]')),
        Try("the state of a supersonic inflow that leaves the domain", [*CHECK, "--set", "initial.velocity_x_expression=-2"],
            (ZONES[:ZONES.index("[boundary.ymin]")],
             "".join(f'[boundary.{zone}]\nkind = "supersonic_inflow"\ndensity = 1.0\npressure = 1.0\nvelocity = [-2.0, 0.0]\n\n'
                     for zone in ("xmin", "xmax")))),
        Try("a low pressure and a temperature in SI units without a gas constant", CHECK,
            ("[stop]", "[free_stream]\npressure = 500.0\ntemperature = 288.15\nmach = 0.5\n\n[stop]")),
        Try("a pressure and a low temperature in SI units without a gas constant", CHECK,
            ("[stop]", "[free_stream]\npressure = 101325.0\ntemperature = 60.0\nmach = 0.5\n\n[stop]")),
        Try("a gas constant in SI units with a state that is not", CHECK,
            ("[stop]", "[gas]\ngas_constant = 287.05\n\n[free_stream]\npressure = 1.0\ndensity = 1.4\nmach = 0.5\n\n[stop]")),
        Try("cells far longer than wide", [*CHECK, "--set", "mesh.xmax=20000"]),
        Try("a far field next to the body", CHECK, (CASE, NEAR_FAR_FIELD)),
        Try("a velocity along z in a 2-D flow", CHECK,
            ('kind = "expression"\ndensity_expression = "1 + 0.1 * x"', "density = 1.0\npressure = 1.0\nvelocity = [0.0, 0.0, 10.0]")),
        Try("a reservoir below the pressure of the outlet", CHECK, (ZONES, DUCT.replace("1.2", "0.9"))),
        Try("a reservoir in bar, an outlet in Pa", CHECK, (ZONES, DUCT.replace("pressure = 1.0", "pressure = 101325.0"))),
        Try("a reservoir in Pa, an outlet in bar", CHECK, (ZONES, DUCT.replace("1.2", "120000.0"))),
        Try("a reference length in millimetres of a mesh that is scaled to metres",
            [*CHECK, "--set", "mesh.chord=1000", "--set", "mesh.scale=0.001", "--set", "mesh.radius=30"],
            (CASE, NEAR_FAR_FIELD.replace("[stop]", '[forces.airfoil]\nzones = ["airfoil"]\nlength = 1000.0\n\n[stop]'))),
    )),
    ("Formulas", "`density_expression` of the case, and `weft check case.toml`.", tuple(
        Try(f"`{formula}`" if formula else "nothing", CHECK, ('"1 + 0.1 * x"', f'"{formula}"'))
        for formula in ("", "1 +", "1 + (x", "1 + w", "sine(x)", "x = 2", "sqrt(x - 2)", "1 / (x - x)", "-1", "x, y", "1 + é",
                        "1 + x**2", "1 + Sin(x)", "1 + X", "10 m", "1.2 bar",
                        "1 + 0.1 * x;", "if(x < 0.5, 1, 2)", "x < 0.5 ? 1", "1 + 0.1 * r", "1 + 0,1 * x"))),
    ("Results", "`weft run case.toml`, but for what is said.", (
        Try("the folder holds a run", RUN, before=finished),
        Try("a file is in the way", RUN, before=in_the_way),
        Try("the folder may not be written", RUN, before=without_permission, inside=WITHOUT_CAPABILITIES),
        Try("the same, `-n 2`", [*RUN, "-n", "2"], before=without_permission, inside=WITHOUT_CAPABILITIES),
        Try("the file system is read-only", RUN, inside=mounted("ro")),
        Try("the disk is full from the start", RUN, inside=mounted("size=4k")),
        Try("the disk is full when fields are written", [*RUN, *LARGER], inside=mounted("size=1600k")),
        Try("the disk is full when the first checkpoint is written", [*RUN, *LARGER], inside=mounted("size=2140k")),
        Try("the same, `-n 2`", [*RUN, *LARGER, "-n", "2"], inside=mounted("size=2140k")),
        Try("the disk is full when the second checkpoint is written; then, on a larger one, `--resume`", [*RUN, *LARGER],
            inside=mounted("size=2500k", THEN_RESUME)),
    )),
    ("Checkpoints", "`weft run case.toml --resume` after a run of 4 steps, but for what is said.", (
        Try("there was no run", [*RUN, "--resume"]),
        Try("the checkpoint is deleted", [*RUN, "--resume"], before=checkpoint(lambda file: file.unlink())),
        Try("it is a text", [*RUN, "--resume"], before=checkpoint(lambda file: file.write_text("not HDF5"))),
        Try("it is empty", [*RUN, "--resume"], before=checkpoint(lambda file: file.write_text(""))),
        Try("it is cut short", [*RUN, "--resume"], before=checkpoint(cut)),
        Try("it is another file of HDF5", [*RUN, "--resume"], before=checkpoint(foreign)),
        Try("it is of another format", [*RUN, "--resume"], before=checkpoint(of_version)),
        Try("a value is changed by 1e-9", [*RUN, "--resume"], before=checkpoint(changed_value)),
        Try("the same, `-n 3`", [*RUN, "--resume", "-n", "3"], before=checkpoint(changed_value)),
        Try("the step is changed", [*RUN, "--resume"], before=checkpoint(changed_step)),
        Try("a rank has -1 rows", [*RUN, "--resume"], before=checkpoint(changed_rows)),
        Try("a value is changed, the one before it is good", [*RUN, "--resume", "--set", "stop.steps=6"], before=checkpoint(changed_value, previous=True)),
        Try("the mesh has other cells", [*RUN, "--resume", "--set", "mesh.nx=9"], before=finished),
        Try("the case has a scalar more", [*RUN, "--resume", "--set", "scalars.dye={}"], before=finished),
        Try("the mesh is moved", [*RUN, "--resume", "--set", "mesh.offset=[1.0, 0.0]"], before=finished),
        Try("the columns of a history change", [*RUN, "--resume", "--set", "probes.a.at=[0.5, 0.5]", "--set", "probes.b.at=[0.2, 0.5]"],
            before=with_probe),
    )),
    ("The flow", "`weft run case.toml` with a start that cannot be.", (
        Try("`pressure_expression = \"-1\"`", RUN, ('density_expression = "1 + 0.1 * x"', 'pressure_expression = "-1"')),
        Try("walls that move apart faster than gas can follow", [*RUN, "--set", "numerics.flux=roe"],
            ('density_expression = "1 + 0.1 * x"', 'velocity_x_expression = "x < 0.5 ? -40 : 40"')),
    )),
)

HEADER = """# Wrong input, and what is said

Every row was tried: `tests/cases/bad_input_test.py` runs the program on each input and compares
what it says with this page, which it also writes (`tests/cases/bad_input_test.py build/dev/bin/weft
--write`). A message is one line on standard error that says where, what, and what to do; all ranks
of a run end with one message and one exit code ([exit codes](command_line.md#exit-codes)). What is
wrong in mesh files has [tables of its own](meshes.md#messages), which are tested, too; besides,
[fuzzers](../verification/robustness.md) look for input that breaks a reader.
"""


def cell(text):
    return re.sub(r"\s*\n\s*", "<br>", text.strip()).replace("|", "\\|")


def said(text):
    return "<br>".join(f"`{line}`" for line in text.strip().splitlines() if line).replace("|", "\\|")


def row(attempt, outcome):
    code, message = outcome
    return f"| {cell(attempt.tried)} | {code} | {said(message)} |"


def old_row(page, title, table, attempt):
    """What the page says of an attempt of this table; "the same" may be there more than once."""
    section = page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith(f"| {cell(attempt.tried)} |")]
    place = [other for other in table if other.tried == attempt.tried].index(attempt)
    return rows[place] if place < len(rows) else None


def main():
    page = PAGE.read_text() if PAGE.exists() else ""
    attempts = [attempt for _, _, table in TABLES for attempt in table]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        outcomes = iter(list(pool.map(Try.run, attempts)))
    wanted = HEADER
    for title, how, table in TABLES:
        wanted += f"\n## {title}\n\n" + (f"{how}\n\n" if how else "") + "| tried | exit code | said |\n| --- | --- | --- |\n"
        for attempt in table:
            outcome = next(outcomes)
            line = row(attempt, outcome) if outcome else old_row(page, title, table, attempt)
            wanted += f"{line}\n" if line else ""
    if "--write" in sys.argv:
        PAGE.write_text(wanted)
        return 0
    if page == wanted:
        return 0
    sys.stdout.writelines(difflib.unified_diff(page.splitlines(True), wanted.splitlines(True), str(PAGE), "what the program says", n=0))
    print(f"{PAGE} is out of date, or a message is worse than it was; write it again: {sys.argv[0]} {sys.argv[1]} --write")
    return 1


sys.exit(main())
