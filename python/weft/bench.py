"""Measurements of this machine's GPU or processor, as `weft bench` makes them.

    result = weft.bench.kernels(only=["sort", "histogram"], quick=True)
    print(result.table())
    result.picture("kernels.png")

Runs the program `weft`, not the compiled module.
"""
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from .errors import DeviceError, InputError, IoError

__all__ = ["KernelResults", "kernels"]

_NO_GPU = "kernels are measured on a GPU, and none can be used"
_LAUNCHERS = ("OMPI_", "PMIX_", "PMI_")  # variables by which a program finds that it is a rank of a job


class KernelResults:
    """What was measured.

    rows: a dictionary for each kernel and input: kernel, type, input, entries, bytes, operations, and times, for each provider
        ("own", "library") median, least and largest seconds
    machine: gpu, compute, cuda, driver, l2_bytes, or of a host cpu, compiler, threads, cache_bytes; runs, and the copy: bytes, median,
        least, largest
    choices: with tune, a dictionary for each row of the table of defaults; otherwise None
    document: all of it, as `weft bench kernels --json FILE` writes it
    """

    def __init__(self, document, text):
        self.document, self._text = document, text
        self.rows, self.machine, self.choices = document["rows"], document["machine"], document.get("choices")

    def table(self):
        """Returns what `weft bench kernels` printed: the table, and with tune the choices."""
        return self._text

    def picture(self, path=None, **look):
        """Draws the results; writes the picture to `path` (.png, .pdf or .svg), if it is given.

        Returns the matplotlib Axes of weft.plot.kernels, which the other arguments are for.
        """
        from . import plot

        axes = plot.kernels(self.document, **look)
        if path is not None:
            axes[0].figure.savefig(path)
        return axes


def _program():
    """Returns the path of `weft`: of the build or the installation that this package belongs to, else from the PATH."""
    for folder in list(Path(__file__).parent.parents)[1:4:2]:  # for PRESET/python/weft and share/weft/python/weft
        if (folder / "bin" / "weft").is_file():
            return folder / "bin" / "weft"
    found = shutil.which("weft")
    if found is None:
        raise IoError("the program weft was not found; put its folder on the PATH, or pass its path as program")
    return Path(found)


def kernels(only=None, *, device="cuda", quick=False, tune=False, cache=None, program=None):
    """Measures the kernels of Weft, those of libraries, and a copy, on the GPU or the host; takes minutes. Not collective: each process
    that calls it measures.

    only: names of kernels, such as ["sort", "histogram"]; None: all
    device: "cuda", the GPU, or "host", one thread of the processor
    quick: one number of entries, and fewer runs
    tune: searches the fastest provider for each row of the table of defaults; on a GPU, without only and quick
    cache: file of the results of searches; None: ~/.cache/weft/kernel_tuning.json
    program: path of the program weft; None: that of the build or installation of this package, else the one on the PATH

    Returns KernelResults. Raises DeviceError where there is no GPU, InputError for wrong arguments, IoError where the program or a file
    is missing, each with the text of the program.
    """
    words = [str(program or _program()), "bench", "kernels"]
    words += ["--only", ",".join([only] if isinstance(only, str) else only)] if only is not None else []
    words += ["--device", device] if device != "cuda" else []
    words += [word for word, given in (("--quick", quick), ("--tune", tune)) if given]
    words += ["--cache", str(cache)] if cache is not None else []
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_LAUNCHERS)}
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as folder:
        file = Path(folder) / "kernels.json"
        try:
            done = subprocess.run([*words, "--json", str(file)], env=environment, capture_output=True, text=True, check=False)
        except OSError as error:
            raise IoError(f"{words[0]}: cannot be started ({error.strerror}); pass the path of the program weft") from None
        if done.returncode != 0:
            raise _error(done)
        return KernelResults(json.loads(file.read_text(encoding="utf-8")), done.stdout)


def _error(done):
    """Returns the exception for a run of the program that failed."""
    lines = [line.removeprefix("weft: error: ") for line in done.stderr.splitlines() if line.startswith("weft: error: ")]
    text = "\n".join(lines) or f"weft bench kernels ended with code {done.returncode}: {done.stderr.strip()}"
    return (InputError if done.returncode == 2 else DeviceError if text.startswith(_NO_GPU) else IoError)(text)
