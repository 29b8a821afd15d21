"""The status of a run, as far as its folder shows."""
import datetime
import platform
from pathlib import Path

SILENCE = 60  # seconds: a run writes run.json every 5


class Status:
    """word: finished, stopped, failed, running, killed or unknown; text: a sentence that says more; kind: the badge's class, which is
    the word, or amber for a run that finished without reaching what its case asks for."""

    def __init__(self, word, text, kind=None):
        self.word, self.text, self.kind = word, text, kind or word


def process_runs(call):
    """Whether the process that wrote this still lives; only on its own machine."""
    try:
        stat = Path(f"/proc/{int(call['pid'])}/stat").read_text()
    except (OSError, KeyError, ValueError, TypeError):
        return False
    fields = stat.rpartition(")")[2].split()
    return fields[0] != "Z" and fields[19] == call.get("process_start")


def since(stamp):
    """Seconds since a UTC time like 2026-01-31T12:00:00Z; None where it is no such time."""
    try:
        then = datetime.datetime.strptime(stamp, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc)
    except (TypeError, ValueError):
        return None
    return (datetime.datetime.now(datetime.timezone.utc) - then).total_seconds()


def status_of(folder):
    failed = any(file.name.startswith("fields_failed.") for file in folder.files)
    calls = folder.calls()
    if not calls:
        if failed:
            return Status("failed", "The flow became unphysical; fields_failed.hdf holds that state.")
        return Status("unknown", "There is no run.json here: the end of the run is not known.")
    call = calls[-1]
    word, reason, step = call.get("status"), call.get("reason", ""), call.get("step", call.get("first_step", 0))
    if word == "finished":
        verdict = call.get("verdict") or {}
        said = verdict.get("headline", f"ended because {reason}")
        return Status(word, f"{said[:1].upper()}{said[1:]}, at step {step:,}.", None if verdict.get("good", True) else "amber")
    if word == "stopped":
        return Status(word, f"Stopped at step {step:,} ({reason}); goes on with --resume.")
    if word == "failed":
        return Status(word, reason)
    seen = f"last update at step {step:,}, {call.get('updated', 'at an unknown time')}"
    if call.get("host") == platform.node():
        if process_runs(call):
            return Status("running", f"At step {step:,}, {100 * call.get('fraction', 0):.0f} % of the way to the nearest end that the case gives. "
                                     "Make this page again to see more.")
        return Status("killed", f"Its process has ended without a report ({seen}). It continues from its last checkpoint with --resume.")
    silent = since(call.get("updated"))
    if silent is not None and silent < SILENCE:
        return Status("running", f"On {call.get('host')}, {seen}. Create this page again for a later state.")
    return Status("killed", f"On {call.get('host')}, {seen}: killed, or that machine's clock or disk is late. It continues from its last "
                            "checkpoint with --resume.")
