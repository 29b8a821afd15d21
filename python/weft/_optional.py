"""Libraries that some functions need and the package does not."""
from importlib import import_module


def needed(name, extra):
    """Returns the module `name`. Raises ImportError with the extra of the package that installs it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"this needs {name}, which is not installed ({error}); pip install {name}, or weft[{extra}]", name=name) from None
