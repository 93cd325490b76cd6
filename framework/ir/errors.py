"""Errors of compilation, each with the user's source line and a caret under the place."""

from __future__ import annotations

from typing import Final

from framework.ir.anf import Location

__all__ = [
    "DivisionByZeroError",
    "DynamicLengthError",
    "GraphError",
    "InferenceError",
    "MissingAttributeError",
    "MissingGradientError",
    "MissingKeyError",
    "MissingNameError",
    "OutOfRangeError",
    "PartResultError",
    "PythonOnlyError",
    "PythonOnlySyntaxError",
    "RuntimeRefusalError",
    "UnboundVariableError",
    "UnsupportedSyntaxError",
    "refusal_of",
]


class GraphError(Exception):
    """A program cannot be compiled.

    Args:
        message: what is wrong and what to do.
        location: the place in the user's source.
        within: the calls that led there, innermost first.

    Attributes:
        within: the calls that led there, innermost first.
        python_only: whether the program means the same line by line, so that it can run so instead.
    """

    python_only = False

    def __init__(self, message: str, location: Location | None = None, within: tuple[Location, ...] = ()) -> None:
        self.location = location
        self.message = message
        self.within = within
        places = [place for place in (location, *within) if place is not None]
        super().__init__("\n".join([message, *(place.pointed() for place in places)]))


class UnsupportedSyntaxError(GraphError, NotImplementedError):
    """Graph mode does not support a construct of Python."""


class PythonOnlySyntaxError(UnsupportedSyntaxError):
    """A construct of Python that runs line by line, and has no compiled form."""

    python_only = True


class InferenceError(GraphError, TypeError, ValueError):
    """Types or shapes do not fit, or a value is not known that must be known."""


class PythonOnlyError(InferenceError):
    """Python itself has to compute with the elements of a tensor, which are not known before the program runs."""

    python_only = True


class DynamicLengthError(InferenceError, RuntimeError):
    """A value whose length may change, as `mutable` says, stands where the length must not change."""


class MissingAttributeError(InferenceError, AttributeError):
    """A value has no such attribute."""


class OutOfRangeError(InferenceError, IndexError):
    """There is no item with this index."""


class MissingKeyError(InferenceError, KeyError):
    """A dictionary has no such key."""

    __str__ = Exception.__str__


class MissingNameError(InferenceError, NameError):
    """A name is used that is nowhere defined."""


class UnboundVariableError(InferenceError, UnboundLocalError):
    """A local variable is used that is not set on each path."""


class RuntimeRefusalError(InferenceError, RuntimeError):
    """What MindSpore refuses by a RuntimeError, such as a function as the result of a compiled program."""


class PartResultError(InferenceError):
    """A part of a function has a result that only Python can pass on to the next part.

    Attributes:
        place: the place of the result among those of the part; None if it is the only one.
    """

    place: int | None = None


class DivisionByZeroError(InferenceError, ZeroDivisionError):
    """Numbers that are known while compiling are divided by zero."""


class MissingGradientError(InferenceError, RuntimeError):
    """There is no gradient with respect to the given position or Parameter. A RuntimeError in both modes."""


_OF_PYTHON: Final = {
    AttributeError: MissingAttributeError,
    IndexError: OutOfRangeError,
    KeyError: MissingKeyError,
    ZeroDivisionError: DivisionByZeroError,
    UnboundLocalError: UnboundVariableError,
    NameError: MissingNameError,
    RuntimeError: RuntimeRefusalError,
}


def refusal_of(error: BaseException | type[BaseException]) -> type[InferenceError]:
    """The refusal that says the same as an error of Python: `except IndexError` catches it in both modes."""
    kind = error if isinstance(error, type) else type(error)
    return next((ours for theirs, ours in _OF_PYTHON.items() if issubclass(kind, theirs)), InferenceError)
