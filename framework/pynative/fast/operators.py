"""`x + y` in PyNative mode: generated functions that execute Python's operators on tensors without further calls.

`framework.ops.tensor_operators` defines the same through the primitives. Graph mode reads that definition, and it runs
while a tap observes, because taps observe calls of primitives.
"""

from __future__ import annotations

from typing import Final

from framework.common.tensor import Tensor
from framework.observe import when_watched
from framework.ops import operations as P  # noqa: N812
from framework.ops.tensor_operators import OPERATORS
from framework.pynative.fast.generated_calls import generate_operator
from framework.pynative.fast.small_tensors import methods

__all__ = ["OWN", "PRIMITIVES", "install"]

PRIMITIVES: Final = {"__add__": P.Add(), "__sub__": P.Sub(), "__mul__": P.Mul(), "__truediv__": P.Div()}
_FUNCTIONS: Final = {name: generate_operator(primitive) for name, primitive in PRIMITIVES.items()}
for _name, _function in _FUNCTIONS.items():
    _function.__name__, _function.__qualname__ = _name, f"Tensor.{_name}"
    _function.__doc__ = OPERATORS[_name].__doc__
    _function.__wrapped__ = OPERATORS[_name]  # type: ignore[attr-defined]

#: By the name of the method what runs: these functions, or machine code before them.
OWN: Final = methods(PRIMITIVES, _FUNCTIONS)


def _put(watched: bool) -> None:
    for name, function in OWN.items():
        setattr(Tensor, name, OPERATORS[name] if watched else function)


def install() -> None:
    """Put them into `Tensor` while no tap observes."""
    when_watched(lambda frame: _put(True), lambda: _put(False))
    _put(False)
