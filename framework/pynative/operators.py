"""`x + y` line by line: Python's operators on tensors as generated calls of their primitives, one function deep.

What `framework.ops.tensor_operators` has put on `Tensor` says the same through the primitive: graph mode reads that,
and while somebody watches it is what runs, because the calls of primitives are what is told of then.
"""

from __future__ import annotations

from typing import Final

from framework.common.tensor import Tensor
from framework.observe import when_watched
from framework.ops import operations as P  # noqa: N812
from framework.ops.tensor_operators import OPERATORS
from framework.pynative.dispatch import generate_operator
from framework.pynative.small import methods

__all__ = ["OWN"]

_PRIMITIVES: Final = {"__add__": P.Add(), "__sub__": P.Sub(), "__mul__": P.Mul(), "__truediv__": P.Div()}
_FUNCTIONS: Final = {name: generate_operator(primitive) for name, primitive in _PRIMITIVES.items()}
for _name, _function in _FUNCTIONS.items():
    _function.__name__, _function.__qualname__ = _name, f"Tensor.{_name}"
    _function.__doc__ = OPERATORS[_name].__doc__
    _function.__wrapped__ = OPERATORS[_name]  # type: ignore[attr-defined]

#: By the name of the method what runs: these functions, or machine code before them.
OWN: Final = methods(_PRIMITIVES, _FUNCTIONS)


def _put(watched: bool) -> None:
    for name, function in OWN.items():
        setattr(Tensor, name, OPERATORS[name] if watched else function)


when_watched(lambda frame: _put(True), lambda: _put(False))
_put(False)
