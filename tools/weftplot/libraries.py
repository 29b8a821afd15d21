"""The libraries that all drawing needs, or a message that says what to install. To be imported before any of them."""
import os
import sys

try:
    import h5py  # noqa: F401
    import matplotlib
    import numpy  # noqa: F401
    matplotlib.use("Agg")
except ImportError as error:
    system = "/usr/bin/python3"  # Debian's packages are for Debian's Python, whatever else comes first in PATH
    if os.path.exists(system) and os.environ.get("WEFT_PLOT_AGAIN") is None:
        os.environ["WEFT_PLOT_AGAIN"] = "1"
        os.execv(system, [system] + sys.argv)
    tool = os.path.basename(sys.argv[0])
    sys.exit(f"{'weft' if tool == 'weft-report' else tool}: error: {error}; apt-get install python3-h5py python3-numpy python3-matplotlib")
