"""How a primitive executes in PyNative mode.

`execute` is the whole story: unpack, compute, record. Most calls take a shorter way: for each class of primitives a
function with its number of inputs is generated, which does the same where all inputs are what they mostly are (tensors
of one element type, for operators that want that) and leaves everything else to `execute`, errors included.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from framework.common import device
from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor, from_array
from framework.ops.arguments import by_position, inputs_of
from framework.ops.element_types import check_element_types, codes
from framework.ops.primitive import Primitive, set_specialiser
from framework.pynative.tape import tape

__all__ = ["call_of", "execute", "specialise"]


def execute(primitive: Primitive, *inputs: Any) -> Any:
    """Execute a primitive on tensors, tuples of tensors and Python values, and record it where an input is active.

    Raises:
        TypeError, ValueError: the inputs do not fit the operator; the message names it with their shapes.

    """
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


def with_number(primitive: Primitive, ufunc: Any, x: Any, y: Any) -> Any:
    """The shorter way for a tensor and a Python number that does not change its element type."""
    first = isinstance(x, Tensor)
    tensor, number = (x, y) if first else (y, x)
    kind = type(number)
    if (kind is float or kind is int) and isinstance(tensor, Tensor):
        array = tensor._data
        of_array = array.dtype.kind
        if of_array == "f" or (of_array == "i" and kind is int and ufunc is not np.power):
            values = (array, number) if first else (number, array)
            out = ufunc(*values)
            nodes = (tensor._node, 0) if first else (0, tensor._node)
            if type(out) is array.__class__:
                made = from_array(out)
                if tensor._node > tape.base:
                    tape.entries.append((primitive, *nodes, *values, out))
                    made._node = tape.base + len(tape.entries)
                return made
            return finish(primitive, nodes, values, out)
    return execute(primitive, x, y)


def _described(values: tuple[Any, ...]) -> str:
    """Inputs as an error names them: `Float32[2, 3]` for a tensor."""

    def name(value: Any) -> str:
        if isinstance(value, tuple):
            return f"({', '.join(name(item) for item in value)}{',' if len(value) == 1 else ''})"
        return f"{mstype.of(value.dtype)}{list(value.shape)}" if hasattr(value, "shape") else repr(value)

    return ", ".join(name(value) for value in values)


def _execute(primitive: Primitive, *inputs: Any, **named: Any) -> Any:
    return execute(primitive, *(by_position(primitive, inputs, named) if named else inputs))


_execute.generated = True  # type: ignore[attr-defined]

#: What generated functions read: `base` follows the tape, `xp` the device.
_scope: dict[str, Any] = {
    "Tensor": Tensor,
    "new": Tensor.__new__,
    "array": np.ndarray,
    "generic": np.generic,
    "asarray": np.asarray,
    "execute": execute,
    "with_number": with_number,
    "finish": finish,
    "np": np,
    "f4": np.dtype(np.float32),
}
tape.share_base(_scope)
device.when_changed(lambda xp: _scope.update(xp=xp))

#: Ufuncs that arrays have an operator for: the same, called in less time.
_SYMBOLS: Final = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}

_TEMPLATE = """\
def call(self, {signature}):
    try:
        {fetch}
    except AttributeError:
        return {otherwise}
    {guard}
    try:
        _out = {compute}
    except (TypeError, ValueError, IndexError):
        return execute(self, {inputs})
    if type(_out) is not array:
        if not isinstance(_out, generic):
            return finish(self, ({nodes},), ({values},), _out)
        _out = asarray(_out)
    _made = new(Tensor)
    _made._data = _out
    if {active}:
        append((self, {nodes}, {values}, _out))
        # While something is recorded, `base` is the number before the first entry.
        _made._node = base + len(entries)
    else:
        _made._node = 0
    return _made
"""


def specialise(kind: type[Primitive]) -> Callable[..., Any]:
    """Generate the call of a class of primitives, and make it the class's own."""
    made = generate(kind)
    kind.__call__ = made  # type: ignore[method-assign]
    for sub in kind.__subclasses__():
        if "__call__" not in sub.__dict__:
            sub.__call__ = Primitive.__call__  # type: ignore[method-assign]
    return made


def call_of(kind: type[Primitive]) -> str:
    """The source of the generated call, for whoever wants to read it; empty where `execute` is the call."""
    parameters = inputs_of(kind)
    names = [parameter.name for parameter in parameters]
    if any(parameter.kind is not parameter.POSITIONAL_OR_KEYWORD for parameter in parameters) or kind.writes:
        return ""
    tensors = [i for i in range(len(names)) if i not in kind.value_inputs]
    if not tensors:
        return ""
    values = [f"_a{i}" if i in tensors else names[i] for i in range(len(names))]
    guards = [f"type({names[i]}) in (Tensor, list)" for i in kind.value_inputs]
    if kind.promotes:
        guards += [f"_a{tensors[0]}.dtype is not _a{i}.dtype" for i in tensors[1:]]
    if kind.floats:
        guards += [f"_a{i}.dtype is not f4 and _a{i}.dtype.kind not in 'fc'" for i in tensors]
    typed = [i for i in tensors if i in kind.takes]
    # Operands that are brought to one type have it here already.
    for i in typed[:1] if kind.promotes else typed:
        guards.append(f"_a{i}.dtype is not f4 and _a{i}.dtype.char not in {codes(kind.takes[i])!r}")
    given = ", ".join(names)
    arguments = ", ".join(values)
    guard = f"if {' or '.join(guards)}:\n        return execute(self, {given})" if guards else "pass"
    if kind.passes is not None:
        guard += f"\n    if passes(self, {arguments}):\n        return {names[0]}"
    kernel = f"np.{kind.ufunc}({arguments})" if kind.ufunc else f"compute(self, xp, {arguments})"
    if kind.ufunc in _SYMBOLS:
        kernel = f" {_SYMBOLS[kind.ufunc]} ".join(values)
    # That way asks for no element type; it is taken by floats and integers.
    takes_both = all(mstype.int32 in allowed for allowed in kind.takes.values())
    with_number = kind.ufunc and kind.promotes and len(names) == 2 and takes_both
    return _TEMPLATE.format(
        inputs=given,
        signature=", ".join(p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in parameters),
        fetch="; ".join(f"_a{i} = {names[i]}._data" for i in tensors),
        guard=guard,
        compute=kernel,
        otherwise=f"with_number(self, np.{kind.ufunc}, {given})" if with_number else f"execute(self, {given})",
        nodes=", ".join(f"{names[i]}._node" if i in tensors else "0" for i in range(len(names))),
        values=", ".join(values),
        active=" or ".join(f"{names[i]}._node > base" for i in tensors),
    )


def generate(kind: type[Primitive]) -> Callable[..., Any]:
    """The function behind `call_of`."""
    source = call_of(kind)
    if not source:
        return _execute
    made = _function(source, compute=kind.compute, passes=kind.passes)
    made.__qualname__ = f"{kind.__qualname__}.__call__"
    made.__doc__ = Primitive.__call__.__doc__
    made.generated = True  # type: ignore[attr-defined]
    return made


def generate_operator(primitive: Primitive) -> Callable[..., Any]:
    """The call of one primitive as a function of its inputs alone."""
    kind = type(primitive)
    source = call_of(kind).replace("def call(self, ", "def call(", 1)
    return _function(source, self=primitive, compute=kind.compute, passes=kind.passes)


def _function(source: str, **own: Any) -> Callable[..., Any]:
    """A function with names of its own; `base` and `xp` change, so they are read from the shared namespace."""
    maker: dict[str, Any] = {}
    indented = source.replace("\n", "\n    ")
    exec(f"def make({', '.join(own)}):\n    {indented}\n    return call", _scope, maker)  # noqa: S102
    made: Callable[..., Any] = maker["make"](**own)
    return made


set_specialiser(specialise)
