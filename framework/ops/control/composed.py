"""The base class of operators that are made of other ones, and of nothing else."""

from __future__ import annotations

from typing import Any

from framework.ops.primitive import Primitive

__all__ = ["Composed"]


class Composed(Primitive):
    """An operator whose call is written with functions of other operators.

    It has attributes, as every operator, but no inference, kernel or gradient: both modes run the source of its
    `__call__`, and so see the operators inside.
    """

    def __call__(self, *inputs: Any) -> Any:
        """Compute the output; a subclass defines it."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__")
