"""A results folder as a run leaves it, made without one."""
import json
import platform

import numpy as np
from vtkhdf import circle, square, write

CASE = '''title = "A <small> flow & its page"
[mesh]
generator = "square"
[gas]
gamma = 1.4
[free_stream]
mach = 0.8
alpha = "1 deg"
[boundary.far]
kind = "far_field"
[boundary.round]
kind = "slip_wall"
[numerics]
flux = "hllc"
cfl = 0.5
[stop]
steps = 20
[forces.body]
zones = ["round"]
'''
MESH = {"source": "generator square", "dim": 2, "cells": 96, "nodes": 81, "interior_faces": 120, "boundary_faces": 32,
        "cells_of_type": {"triangle": 64, "quad": 32}, "volume": 1.0, "low": [0, 0, 0], "high": [1, 1, 0],
        "zones": [{"name": "far", "dim": 1, "elements": 32, "measure": 4.0}, {"name": "round", "dim": 1, "elements": 40, "measure": 6.28}],
        "smallest_cell": {"value": 0.0078, "place": [0.1, 0.1, 0]}, "fewest_cells": 40, "most_cells": 56, "ghost_cells": 16, "cut_faces": 8,
        "most_neighbours": 1}


def call(**changes):
    return {"status": "finished", "reason": "the number of steps is reached", "command": "weft run case.toml -n 2", "directory": "/home/someone",
            "started": "2026-01-31T12:00:00Z", "updated": "2026-01-31T12:00:05Z", "version": "0.1.0", "commit": "0123456789ab", "build": "Release",
            "compiler": "gcc 12.2.0", "host": platform.node(), "system": "Linux 6.1", "architecture": "x86_64", "processor": "A processor", "cores": 2,
            "pid": 999999999, "process_start": "1", "ranks": 2, "machines": 1, "first_step": 0, "step": 20, "time": 0.5, "fraction": 1.0,
            "device": "host", "cell_residuals_per_second": 4.5e6, "seconds": {"mesh": 0.1, "ready": 0.3, "stepping": 4.0, "wall": 5.0},
            "memory_bytes": {"largest_rank": 33 << 20, "all_ranks": 66 << 20}} | changes


def make(folder, *calls):
    folder.mkdir(exist_ok=True)
    (folder / "case.toml").write_text(CASE)
    (folder / "run.json").write_text(json.dumps({"format": 1, "mesh": MESH, "calls": list(calls) or [call()]}))
    points, cells = square(8)
    x, y = np.array([points[nodes].mean(axis=0)[:2] for _, nodes in cells]).T
    for step in (0, 20):
        write(folder / f"fields_{step:08d}.hdf", points, cells,
              {"density": 1 + step * x, "pressure": 1 + step * y, "mach": 0.8 + 0.01 * step * x, "velocity": np.stack([1 + y, x, 0 * x], 1),
               "rank": (x > 0.5).astype(np.int64)}, 2, time=step / 40, step=step)
    points, cells = circle(40)
    x = np.array([points[nodes].mean(axis=0)[0] for _, nodes in cells])
    write(folder / "walls_00000020.hdf", points, cells, {"pressure": 2 - x, "cp": 1 - x, "zone": np.ones(40, np.int64)}, step=20)
    (folder / "residuals.csv").write_text("step,time,dt,density,energy\n10,0.25,0.025,1,2\n20,0.5,0.025,0.1,0.2\n")
    (folder / "forces.csv").write_text("step,time,body_cd,body_cl\n0,0,0.5,0\n20,0.5,0.25,0.125\n")
    (folder / "errors.csv").write_text("step,time,density_l1,density_l2,density_linf\n20,0.5,1e-3,2e-3,3e-3\n")
    return folder
