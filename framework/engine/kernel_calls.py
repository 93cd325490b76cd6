"""Decides how a node's kernel is called: as a numpy ufunc, as an expression, with an output array, or plainly.

An operator with a ufunc (`Primitive.ufunc`) calls it directly if the types fit. Other kernels write into a given array
if `compute` has a keyword `out`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.engine.fusion.fused_programs import FusedKernel
from framework.ir.abstract import Abstract, AbstractMonad, AbstractScalar, AbstractTensor, AbstractTuple, known
from framework.ir.anf import CNode, Node
from framework.ops.primitive import Primitive

__all__ = ["KernelCall", "inputs_of", "kernel_call", "known_value", "tensors_of"]


@dataclass(frozen=True, slots=True)
class KernelCall:
    """How the kernel of a node can be called.

    Attributes:
        ufunc: the name of numpy's ufunc that computes the output; empty if `compute` is called.
        expression: the expression to write instead of the call of `compute` (`Primitive.expression`); mostly empty.
        takes_out: whether it writes its output into an array that it is given.
        fresh: whether its output never shares memory with an input.
        in_place: the positions of inputs that the output may overwrite.
        generated: whether it is a generated kernel, which takes the arrays that it writes as its last arguments.
    """

    ufunc: str
    expression: str
    takes_out: bool
    fresh: bool
    in_place: tuple[int, ...]
    generated: bool = False


def inputs_of(node: CNode) -> list[Node]:
    """The inputs of a node's kernel: its arguments without the state token."""
    return [argument for argument in node.arguments if not isinstance(argument.abstract, AbstractMonad)]


def kernel_call(node: CNode) -> KernelCall | None:
    """How the kernel of a node is called; None if the node applies no primitive."""
    primitive = node.operator
    if not isinstance(primitive, Primitive):
        return None
    if isinstance(primitive, FusedKernel):
        is_tensor = isinstance(node.abstract, AbstractTensor)
        return KernelCall("", "", is_tensor, True, primitive.overwrites, generated=True)
    inputs = [item.abstract for item in inputs_of(node)]
    return _ufunc_call(primitive, inputs, node.abstract) or _compute_call(primitive, inputs, node.abstract)


def _compute_call(primitive: Primitive, inputs: Sequence[Abstract | None], output: Abstract | None) -> KernelCall:
    """The call of `Primitive.compute`, or of the expression that stands for it."""
    has_out = _has_out(type(primitive).compute)
    has_one_type = len({tensor.dtype for item in inputs for tensor in tensors_of(item)}) == 1
    has_expression = has_one_type and has_out and not primitive.writes
    # Of several outputs, only new values of Parameters are written into given arrays.
    takes_out = has_out and (isinstance(output, AbstractTensor) or bool(primitive.writes))
    return KernelCall(
        "",
        _expression(primitive, inputs, output) if has_expression else "",
        takes_out and has_one_type,
        primitive.fresh or takes_out,
        primitive.in_place,
    )


def _expression(primitive: Primitive, inputs: Sequence[Abstract | None], output: Abstract | None) -> str:
    """The kernel as an expression; empty if it has none for these types and shapes (`Primitive.expression`)."""
    if not isinstance(output, AbstractTensor) or output.dtype.numpy.kind != "f" or None in output.shape:
        return ""
    if output.dtype.bits == 16:
        return ""  # The kernel computes in Float32.
    given: list[object] = []
    for item in inputs:
        if isinstance(item, AbstractTensor):
            if item.dtype is not output.dtype or None in item.shape:
                return ""
            given.append(item.shape)
        elif item is None or not known(item):
            return ""
        else:
            given.append(known_value(item))
    return primitive.expression(*given)


def known_value(abstract: Any) -> Any:
    """The Python value of an abstract value that is known."""
    if isinstance(abstract, AbstractTuple):
        return tuple(map(known_value, abstract.elements))
    return abstract.value


@functools.cache
def _has_out(compute: Callable[..., Any]) -> bool:
    out = inspect.signature(compute).parameters.get("out")
    return out is not None and out.kind is out.KEYWORD_ONLY


def tensors_of(abstract: Abstract | None) -> Iterator[AbstractTensor]:
    """The tensors of a value: itself, or those of a tuple."""
    if isinstance(abstract, AbstractTensor):
        yield abstract
    elif isinstance(abstract, AbstractTuple):
        for element in abstract.elements:
            yield from tensors_of(element)


def _ufunc_call(primitive: Primitive, inputs: Sequence[Abstract | None], output: Abstract | None) -> KernelCall | None:
    """The call of a primitive's ufunc; None if it has none, or the ufunc would compute in another element type."""
    dtypes = {item.dtype.numpy for item in inputs if isinstance(item, AbstractTensor)}
    if primitive.ufunc is None or len(dtypes) != 1 or not isinstance(output, AbstractTensor):
        return None
    (dtype,) = dtypes
    if dtype.char == mstype.bfloat16.char:
        return None
    operands = _ufunc_operands(inputs, dtype)
    # Only floating-point powers are safe: numpy raises for integers to negative powers when it runs.
    needs_floats = primitive.floats or primitive.ufunc == "power"
    if operands is None or (needs_floats and dtype.kind not in "fc"):
        return None
    if not _keeps_type(primitive.ufunc, operands, dtype, output.dtype.numpy):
        return None
    places = (place for place, item in enumerate(inputs) if isinstance(item, AbstractTensor))
    return KernelCall(primitive.ufunc, "", True, True, tuple(places))


def _ufunc_operands(inputs: Sequence[Abstract | None], dtype: np.dtype[Any]) -> list[Any] | None:
    """The type of each operand as numpy resolves it; None if an input is neither a tensor nor a known number."""
    operands: list[Any] = []
    for item in inputs:
        if isinstance(item, AbstractTensor):
            operands.append(dtype)
        elif isinstance(item, AbstractScalar) and known(item) and item.type in (int, float):
            operands.append(item.type)
        else:
            return None
    return operands


def _keeps_type(ufunc: str, operands: Sequence[Any], dtype: np.dtype[Any], output: np.dtype[Any]) -> bool:
    """Whether a ufunc casts no operand, and its output (bool for a comparison) has the given type."""
    try:
        *taken, made = getattr(np, ufunc).resolve_dtypes((*operands, None))
    except TypeError:
        return False
    return all(one == dtype for one in taken) and bool(made == output)
