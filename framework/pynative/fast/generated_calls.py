"""Generated calls of primitives: for each class a function with exactly its number of inputs.

It does what `execute` does for the usual inputs, tensors of one element type where the operator wants that, and leaves
everything else to `execute`, errors included.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from framework.common import device
from framework.common import dtype as mstype
from framework.common.tensor import Tensor, from_array
from framework.ops.arguments import inputs_of
from framework.ops.calls import make_calls_with
from framework.ops.element_types import codes
from framework.ops.primitive import Primitive
from framework.pynative.execute import call, execute, finish
from framework.pynative.tape import tape

__all__ = ["call_of", "generate_operator", "install"]


def with_number(primitive: Primitive, ufunc: np.ufunc, x: Any, y: Any) -> Any:
    """Compute a ufunc of a tensor and a Python number that does not change the tensor's element type."""
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
# Calls are generated again then, with a guard.
mstype.when_bfloat16_is_used(lambda bfloat16: _scope.update(bfloat16=bfloat16))

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


def call_of(kind: type[Primitive]) -> str:
    """The source of the generated call; empty where `execute` is the call."""
    parameters = inputs_of(kind)
    names = [parameter.name for parameter in parameters]
    if any(parameter.kind is not parameter.POSITIONAL_OR_KEYWORD for parameter in parameters) or kind.writes:
        return ""
    tensors = [i for i in range(len(names)) if i not in kind.value_inputs]
    if not tensors:
        return ""
    values = [f"_a{i}" if i in tensors else names[i] for i in range(len(names))]
    nodes = [f"{names[i]}._node" if i in tensors else "0" for i in range(len(names))]
    return _TEMPLATE.format(
        inputs=", ".join(names),
        signature=", ".join(map(_parameter, parameters)),
        fetch="; ".join(f"_a{i} = {names[i]}._data" for i in tensors),
        guard=_guard(kind, names, tensors, ", ".join(values)),
        compute=_kernel(kind, values),
        otherwise=_for_others_than_tensors(kind, names),
        nodes=", ".join(nodes),
        values=", ".join(values),
        active=" or ".join(f"{nodes[i]} > base" for i in tensors),
    )


def _parameter(parameter: inspect.Parameter) -> str:
    """A parameter as the signature of a function has it."""
    has_default = parameter.default is not parameter.empty
    return f"{parameter.name}={parameter.default!r}" if has_default else parameter.name


def _for_others_than_tensors(kind: type[Primitive], names: Sequence[str]) -> str:
    """The call for inputs of which at least one is not a tensor."""
    given = ", ".join(names)
    return f"with_number(self, np.{kind.ufunc}, {given})" if _takes_numbers(kind, names) else f"execute(self, {given})"


def _guard(kind: type[Primitive], names: Sequence[str], tensors: Sequence[int], values: str) -> str:
    """The lines that leave unusual inputs to `execute`, and return an input that passes through."""
    guards = [f"type({names[i]}) in (Tensor, list)" for i in kind.value_inputs]
    if kind.bfloat16 is not None:
        guards += [f"_a{i}.dtype is bfloat16" for i in tensors]
    if kind.promotes:
        guards += [f"_a{tensors[0]}.dtype is not _a{i}.dtype" for i in tensors[1:]]
    if kind.floats:
        guards += [f"_a{i}.dtype is not f4 and _a{i}.dtype.kind not in 'fc'" for i in tensors]
    typed = [i for i in tensors if i in kind.takes]
    # Operands that are promoted to one type have it here already.
    for i in typed[:1] if kind.promotes else typed:
        guards.append(f"_a{i}.dtype is not f4 and _a{i}.dtype.char not in {codes(kind.takes[i])!r}")
    guard = f"if {' or '.join(guards)}:\n        return execute(self, {', '.join(names)})" if guards else "pass"
    if kind.passes is not None:
        guard += f"\n    if passes(self, {values}):\n        return {names[0]}"
    return guard


def _kernel(kind: type[Primitive], values: Sequence[str]) -> str:
    """The expression that computes the output."""
    if kind.ufunc in _SYMBOLS:
        return f" {_SYMBOLS[kind.ufunc]} ".join(values)
    arguments = ", ".join(values)
    return f"np.{kind.ufunc}({arguments})" if kind.ufunc else f"compute(self, xp, {arguments})"


def _takes_numbers(kind: type[Primitive], names: Sequence[str]) -> bool:
    """Whether `with_number` may compute it, which checks no element type and takes floats and integers."""
    if not kind.ufunc or not kind.promotes or len(names) != 2:
        return False
    return all(mstype.int32 in allowed for allowed in kind.takes.values())


def generate(kind: type[Primitive]) -> Callable[..., Any]:
    """The function for `call_of`."""
    source = call_of(kind)
    if not source:
        return call
    made = _function(source, compute=kind.compute, passes=kind.passes)
    made.__qualname__ = f"{kind.__qualname__}.__call__"
    made.__doc__ = Primitive.__call__.__doc__
    return made


def generate_operator(primitive: Primitive) -> Callable[..., Any]:
    """The call of one primitive as a function of its inputs alone."""
    kind = type(primitive)
    source = call_of(kind).replace("def call(self, ", "def call(", 1)
    return _function(source, self=primitive, compute=kind.compute, passes=kind.passes)


def _function(source: str, **own: object) -> Callable[..., Any]:
    """A function with names of its own; `base` and `xp` change, so they are read from the shared namespace."""
    maker: dict[str, Any] = {}
    indented = source.replace("\n", "\n    ")
    exec(f"def make({', '.join(own)}):\n    {indented}\n    return call", _scope, maker)  # noqa: S102
    made: Callable[..., Any] = maker["make"](**own)
    return made


def install() -> None:
    """Generate the call of each class of primitives when it is first called."""
    make_calls_with(generate)
