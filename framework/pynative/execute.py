"""How a primitive executes in PyNative mode: unpack the inputs, compute, record.

`framework.pynative.fast` puts faster calls in front of it, which do the same for the usual inputs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from framework.common import device
from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor, from_array
from framework.ops.arguments import by_position, with_defaults
from framework.ops.calls import make_calls_with
from framework.ops.element_types import check_element_types
from framework.ops.primitive import Primitive
from framework.pynative.tape import tape

__all__ = ["call", "execute"]


def execute(primitive: Primitive, *inputs: Any) -> Any:
    """Execute a primitive on tensors, tuples of tensors and Python values, and record it where an input is active.

    Raises:
        TypeError, ValueError: the inputs do not fit the operator; the message names it with their shapes.

    """
    inputs = with_defaults(primitive, inputs)
    values, nodes = unpack(primitive, inputs)
    try:
        if primitive.takes:
            check_element_types(primitive, values)
        out = primitive.compute(device.array_module(), *values)
    except (TypeError, ValueError, IndexError) as error:
        # Of numpy's own kinds of these some cannot be made of a message.
        kind = next(kind for kind in (TypeError, ValueError, IndexError) if isinstance(error, kind))
        raise kind(f"{primitive.name}({_described(values)}): {_reason(primitive, values) or error}") from error
    if primitive.writes:
        outputs = out if type(out) is tuple else (out,)
        for position, output in primitive.writes.items():
            inputs[position]._data = outputs[output]
    return finish(primitive, nodes, values, out)


def _reason(primitive: Primitive, values: tuple[Any, ...]) -> str:
    """What is wrong with the shapes, as compilation says it, where it is they: kernels speak of their own axes."""
    try:
        primitive.infer_shape(*map(_shape_of, values))
    except ValueError as error:
        return str(error)
    except Exception:
        return ""
    return ""


def _shape_of(value: Any) -> Any:
    if isinstance(value, tuple) and value and all(hasattr(item, "shape") for item in value):
        return tuple(map(_shape_of, value))
    return getattr(value, "shape", value)


def unpack(primitive: Primitive, inputs: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """What the kernel gets, and the numbers of the entries that made it."""
    values: list[Any] = []
    nodes: list[Any] = []
    for position, item in enumerate(inputs):
        if isinstance(item, Tensor):
            if position in primitive.value_inputs:
                values.append(plain_value(item))
                nodes.append(0)
            else:
                values.append(item._data)
                nodes.append(item._node)
        elif isinstance(item, list | tuple) and item and any(isinstance(part, Tensor) for part in item):
            if position in primitive.value_inputs:
                values.append(tuple(plain_value(part) for part in item))
                nodes.append(0)
            else:
                parts = [part if isinstance(part, Tensor) else Tensor(part) for part in item]
                values.append(tuple(part._data for part in parts))
                nodes.append([part._node for part in parts])
        elif isinstance(item, np.ndarray) and position not in primitive.value_inputs:
            values.append(Tensor(item)._data)
            nodes.append(0)
        else:
            values.append(tuple(item) if isinstance(item, list) else item)
            nodes.append(0)
    return tuple(values), tuple(nodes)


def plain_value(item: Any) -> Any:
    """A tensor as the Python value that stands for it: an int, a float, or a tuple of them."""
    if not isinstance(item, Tensor):
        return item
    value = item.tolist()
    return tuple(value) if isinstance(value, list) else value


def finish(primitive: Any, nodes: tuple[Any, ...], values: tuple[Any, ...], out: Any) -> Any:
    """The kernel's output as tensors, recorded where an input is active."""
    if type(out) is tuple:
        if not out or not all(hasattr(item, "dtype") for item in out):
            return out
        out = tuple(_as_array(item) for item in out)
    elif hasattr(out, "dtype") and not isinstance(out, DType):
        out = _as_array(out)
    else:
        return out
    if tape.is_active(list(nodes)):
        return tape.result(primitive, nodes, values, out)
    return tuple(from_array(item) for item in out) if type(out) is tuple else from_array(out)


def _as_array(out: Any) -> Any:
    """Numpy returns its scalars where an array of no dimensions is meant."""
    return np.asarray(out) if isinstance(out, np.generic) else out


def _described(values: tuple[Any, ...]) -> str:
    """Inputs as an error names them: `Float32[2, 3]` for a tensor."""

    def name(value: Any) -> str:
        if isinstance(value, tuple):
            return f"({', '.join(name(item) for item in value)}{',' if len(value) == 1 else ''})"
        return f"{mstype.of(value.dtype)}{list(value.shape)}" if hasattr(value, "shape") else repr(value)

    return ", ".join(name(value) for value in values)


def call(primitive: Primitive, *inputs: Any, **named: Any) -> Any:
    """Execute a primitive; inputs may be given by name."""
    return execute(primitive, *(by_position(primitive, inputs, named) if named else inputs))


make_calls_with(lambda kind: call)
