"""Common functions of tools that start, observe and kill runs of weft."""
import os
import pathlib
import signal

import h5py
import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_NUM_THREADS="1")


def processes_of(session):
    """Returns the running processes of a session: number and name."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            stat = pathlib.Path("/proc", entry, "stat").read_text()
        except OSError:
            continue
        name, rest = stat[stat.index("(") + 1:stat.rindex(")")], stat[stat.rindex(")") + 2:].split()
        if int(rest[3]) == session and rest[0] != "Z":
            found.append((int(entry), name))
    return found


def ranks_of(session):
    """Returns the ranks that a launcher, the session's first process, has started. A run on one rank needs no launcher."""
    return [number for number, name in processes_of(session) if name == "weft" and number != session]


def kill_all(processes):
    for number, _ in processes:
        try:
            os.kill(number, signal.SIGKILL)
        except ProcessLookupError:
            pass


def rows_of(checkpoint, field):
    """Returns the values of a field of an open checkpoint by cell."""
    values = checkpoint[f"fields/{field}"][:]
    rows = numpy.empty_like(values)
    rows[checkpoint["key"][:]] = values
    return rows


def state_of(file):
    """Returns step and conserved values by cell. Raises OSError or KeyError if the file is incomplete."""
    with h5py.File(file, "r") as checkpoint:
        return int(checkpoint.attrs["Step"]), rows_of(checkpoint, "conserved")
