"""The casts of `Cell.to_float` in PyNative mode: inputs and weights of a Cell are cast before it computes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from framework.common.dtype import DType
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812

__all__ = ["cast_floats", "weights_as"]

_cast = P.Cast()


def cast_floats(value: Any, dtype: DType) -> Any:
    """Cast the floating-point tensors of a value, also in tuples and lists; other values are unchanged."""
    if isinstance(value, Tensor):
        return _cast(value, dtype) if value.dtype.is_floating_point and value.dtype != dtype else value
    if isinstance(value, list | tuple):
        return type(value)(cast_floats(item, dtype) for item in value)
    return value


@contextlib.contextmanager
def weights_as(own: dict[str, Any], parameters: dict[str, Parameter], dtype: DType) -> Iterator[None]:
    """A context in which a Cell's trainable parameters read as another type. Gradients still go to the parameters.

    Args:
        own: the attributes of the Cell.
        parameters: its own parameters by name.
        dtype: the type to read as.
    """
    cast = [name for name, item in parameters.items() if item.requires_grad and name not in own]
    own.update({name: cast_floats(parameters[name], dtype) for name in cast})
    try:
        yield
    finally:
        for name in cast:
            del own[name]
