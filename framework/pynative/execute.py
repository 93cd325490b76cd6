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
from framework.ops.tensor_operators import OF_SEQUENCES, as_tensor
from framework.pynative.tape import Parents, tape

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
        converted = _with_tensors(primitive, inputs)
        if converted is not None:
            return execute(primitive, *converted)
        # Some of numpy's subclasses of these cannot be made of a message alone.
        kind = next(kind for kind in (TypeError, ValueError, IndexError) if isinstance(error, kind))
        raise kind(f"{primitive.name}({_described(values)}): {_reason(primitive, values) or error}") from error
    if primitive.writes:
        outputs = out if type(out) is tuple else (out,)
        for position, output in primitive.writes.items():
            inputs[position]._data = outputs[output]
    made = finish(primitive, nodes, values, out)
    if primitive.writes:
        _depend(primitive, inputs, made)
    return made


def _depend(primitive: Primitive, inputs: tuple[Any, ...], made: Any) -> None:
    """Let tensors that a primitive has changed depend on its inputs. Parameters are variables and stay so."""
    for position, output in primitive.writes.items():
        if type(inputs[position]) is Tensor:
            inputs[position]._node = (made[output] if type(made) is tuple else made)._node


def _with_tensors(primitive: Primitive, inputs: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The operands of `x * [1, 2]` with a tensor in place of the list. None for any others."""
    if primitive.name not in OF_SEQUENCES or not any(isinstance(item, list | tuple) for item in inputs):
        return None
    dtype = next((item.dtype for item in inputs if isinstance(item, Tensor)), None)
    if dtype is None:
        return None
    return tuple(as_tensor(item, dtype) if isinstance(item, list | tuple) else item for item in inputs)


def _reason(primitive: Primitive, values: tuple[Any, ...]) -> str:
    """The message of compilation if the shapes are wrong, else "". Kernels would name axes of their own."""
    try:
        primitive.infer_shape(*map(_shape_of, values))
    except ValueError as error:
        return str(error)
    except Exception:
        return ""
    return ""


def _shape_of(value: object) -> object:
    if isinstance(value, tuple) and value and all(hasattr(item, "shape") for item in value):
        return tuple(map(_shape_of, value))
    return getattr(value, "shape", value)


def unpack(primitive: Primitive, inputs: tuple[Any, ...]) -> tuple[tuple[Any, ...], Parents]:
    """The values that the kernel gets, and for each the number of the entry of the tape that made it."""
    values: list[Any] = []
    nodes: list[int | list[int]] = []
    for position, item in enumerate(inputs):
        if position in primitive.value_inputs:
            values.append(_value(item))
            nodes.append(0)
        elif isinstance(item, Tensor):
            values.append(item._data)
            nodes.append(item._node)
        elif _has_tensors(item):
            parts = [part if isinstance(part, Tensor) else Tensor(part) for part in item]
            values.append(tuple(part._data for part in parts))
            nodes.append([part._node for part in parts])
        else:
            values.append(Tensor(item)._data if isinstance(item, np.ndarray) else _value(item))
            nodes.append(0)
    return tuple(values), tuple(nodes)


def _has_tensors(item: object) -> bool:
    """Whether an input is a list or tuple in which there is a tensor."""
    return isinstance(item, list | tuple) and any(isinstance(part, Tensor) for part in item)


def _value(item: Any) -> Any:
    """An input as a Python value; lists become tuples."""
    if isinstance(item, list) or _has_tensors(item):
        return tuple(map(plain_value, item))
    return plain_value(item)


def plain_value(item: Any) -> Any:
    """A tensor as a Python value: a number, or a tuple of numbers."""
    if not isinstance(item, Tensor):
        return item
    value = item.tolist()
    return tuple(value) if isinstance(value, list) else value


def finish(primitive: Primitive, nodes: Parents, values: tuple[Any, ...], out: Any) -> Any:
    """The kernel's output as tensors, recorded where an input is active."""
    if type(out) is tuple:
        if not out or not all(hasattr(item, "dtype") for item in out):
            return out
        out = tuple(_as_array(item) for item in out)
    elif hasattr(out, "dtype") and not isinstance(out, DType):
        out = _as_array(out)
    else:
        return out
    if any(map(tape.is_active, nodes)):
        return tape.result(primitive, nodes, values, out)
    return tuple(from_array(item) for item in out) if type(out) is tuple else from_array(out)


def _as_array(out: Any) -> Any:
    """The output as an array: numpy returns scalars in place of arrays without dimensions."""
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
