"""Loads the libraries that all drawing needs, or says what to install. To be imported before any of them."""
import sys

try:
    import h5py  # noqa: F401
    import matplotlib
    import numpy  # noqa: F401
    matplotlib.use("Agg")
except ImportError as error:
    sys.exit(f"weft: error: {error}; apt-get install python3-h5py python3-numpy python3-matplotlib")
