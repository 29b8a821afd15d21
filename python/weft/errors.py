"""The exceptions of Weft. Each says what is wrong, where, and what to do."""
import builtins

__all__ = [
    "BufferError",
    "CommError",
    "ContractError",
    "DeviceError",
    "Error",
    "InputError",
    "InterruptedError",
    "IoError",
    "LimitError",
    "MeshError",
    "PhysicsError",
]


class Error(Exception):
    """The base class of all exceptions of Weft.

    Attributes that do not apply are None.

    problem, suggestion: the message without the place
    file, line, column: place in a text file, from 1
    offset: place in a binary file, bytes
    key: key of a case, "numerics.cfl"
    zone: boundary or volume zone of a mesh
    element: number of the element or cell in its file
    """

    def __init__(self, message=""):
        """message: "problem; suggestion"."""
        super().__init__(message)
        self.problem, _, self.suggestion = message.partition("; ")

    file = None
    line = None
    column = None
    offset = None
    key = None
    zone = None
    element = None


class ContractError(Error):
    """A precondition was violated."""


class BufferError(ContractError, builtins.BufferError):  # noqa: A001 (the name that Python has for it)
    """The memory of an array cannot be freed or moved while a view of it exists, or cannot be exported as wanted."""


class LimitError(Error, OverflowError):
    """A size exceeds the range of the ids or of a file format."""


class InputError(Error, ValueError):
    """A case, an argument or an expression is wrong. Of a case, `all` lists every error that was found."""

    all = ()


class MeshError(Error, ValueError):
    """A mesh file or the geometry of a mesh is invalid."""


class IoError(Error, OSError):
    """A file cannot be read or written."""


class CommError(Error, RuntimeError):
    """MPI failed, or ranks disagree where they must agree."""


class DeviceError(Error, RuntimeError):
    """The device runtime failed, or there is no GPU."""


class PhysicsError(Error, ArithmeticError):
    """The state of the gas became unphysical: negative density or pressure, or not a number."""


class InterruptedError(Error, RuntimeError):  # noqa: A001 (the name of the C++ class)
    """Another rank was interrupted."""
