"""Errors of compilation, each with the user's source line and a caret under the place."""

from __future__ import annotations

from framework.ir.anf import Location

__all__ = ["GraphError", "InferenceError", "UnsupportedSyntaxError"]


class GraphError(Exception):
    """A program cannot be compiled.

    Args:
        message: what is wrong and what to do.
        location: where in the user's source.
        within: the calls that led there, innermost first.
    """

    def __init__(self, message: str, location: Location | None = None, within: tuple[Location, ...] = ()) -> None:
        self.location = location
        self.message = message
        places = [place for place in (location, *within) if place is not None]
        super().__init__("\n".join([message, *(place.pointed() for place in places)]))


class UnsupportedSyntaxError(GraphError, NotImplementedError):
    """A construct of Python that graph mode does not have."""


class InferenceError(GraphError, TypeError, ValueError):
    """Types or shapes do not fit, or a value would have to be known that is not."""


class MissingGradientError(InferenceError, RuntimeError):
    """Nothing was differentiated by what a gradient is asked for; a RuntimeError in either mode."""
