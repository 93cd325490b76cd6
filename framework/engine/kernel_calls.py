"""Writes the call of a node's kernel: as numpy's ufunc, with an output array, or plain.

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

from framework.engine.fusion.fused_programs import FusedKernel
from framework.ir.abstract import Abstract, AbstractMonad, AbstractScalar, AbstractTensor, AbstractTuple, known
from framework.ir.anf import CNode, Node
from framework.ops.primitive import Primitive

__all__ = ["KernelCall", "inputs_of", "kernel_call", "known_value"]


@dataclass(frozen=True, slots=True)
class KernelCall:
    """What can be done with the kernel of a node.

    Attributes:
        ufunc: the name of numpy's function that does all of it; empty where `compute` is called.
        expression: what is written instead of the call of `compute` (`Primitive.expression`); mostly empty.
        takes_out: whether it writes its output into an array that it is given.
        fresh: whether its output never shares memory with an input.
        in_place: positions of inputs that the output may overwrite.
        generated: the kernel is called with the arrays that it writes as its last arguments.
    """

    ufunc: str
    expression: str
    takes_out: bool
    fresh: bool
    in_place: tuple[int, ...]
    generated: bool = False


def inputs_of(node: CNode) -> list[Node]:
    """What the kernel of a node gets: the arguments without the token that orders side effects."""
    return [argument for argument in node.arguments if not isinstance(argument.abstract, AbstractMonad)]


def kernel_call(node: CNode) -> KernelCall | None:
    """How a node's kernel is called; None for what is no primitive."""
    primitive = node.operator
    if not isinstance(primitive, Primitive):
        return None
    if isinstance(primitive, FusedKernel):
        is_tensor = isinstance(node.abstract, AbstractTensor)
        return KernelCall("", "", is_tensor, True, primitive.overwrites, generated=True)
    inputs = [item.abstract for item in inputs_of(node)]
    if _is_ufunc(primitive, inputs, node.abstract):
        places = (place for place, item in enumerate(inputs) if isinstance(item, AbstractTensor))
        return KernelCall(str(primitive.ufunc), "", True, True, tuple(places))
    has_out = _has_out(type(primitive).compute)
    one_type = len({tensor.dtype for item in inputs for tensor in _tensors(item)}) == 1
    is_one = isinstance(node.abstract, AbstractTensor) or bool(primitive.writes)
    expression = _expression(primitive, inputs, node.abstract) if one_type and has_out and not primitive.writes else ""
    has_out = has_out and is_one
    return KernelCall("", expression, has_out and one_type, primitive.fresh or has_out, primitive.in_place)


def _expression(primitive: Primitive, inputs: Sequence[Abstract | None], output: Abstract | None) -> str:
    """The kernel as an expression, where types and shapes are as `Primitive.expression` wants them."""
    if not isinstance(output, AbstractTensor) or output.dtype.numpy.kind != "f" or None in output.shape:
        return ""
    given: list[Any] = []
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
    """What is known, as Python has it."""
    if isinstance(abstract, AbstractTuple):
        return tuple(map(known_value, abstract.elements))
    return abstract.value


@functools.cache
def _has_out(compute: Callable[..., Any]) -> bool:
    out = inspect.signature(compute).parameters.get("out")
    return out is not None and out.kind is out.KEYWORD_ONLY


def _tensors(abstract: Abstract | None) -> Iterator[AbstractTensor]:
    if isinstance(abstract, AbstractTensor):
        yield abstract
    elif isinstance(abstract, AbstractTuple):
        for element in abstract.elements:
            yield from _tensors(element)


def _is_ufunc(primitive: Primitive, inputs: Sequence[Abstract | None], output: Abstract | None) -> bool:
    """Whether numpy's function gives what `compute` does: no type changes on the way, but for a comparison's output."""
    dtypes = {item.dtype.numpy for item in inputs if isinstance(item, AbstractTensor)}
    if primitive.ufunc is None or len(dtypes) != 1 or not isinstance(output, AbstractTensor):
        return False
    (dtype,) = dtypes
    # Numpy finds out when it runs that it cannot raise integers to negative powers.
    if (primitive.floats or primitive.ufunc == "power") and dtype.kind not in "fc":
        return False
    given: list[Any] = []
    for item in inputs:
        is_number = isinstance(item, AbstractScalar) and known(item) and item.type in (int, float)
        if not is_number and not isinstance(item, AbstractTensor):
            return False
        given.append(item.type if isinstance(item, AbstractScalar) else dtype)
    try:
        *taken, made = getattr(np, primitive.ufunc).resolve_dtypes((*given, None))
    except TypeError:
        return False
    return bool(all(one == dtype for one in taken) and made == output.dtype.numpy)
