"""Casts of tensors of floating-point types, for Cells that set the type they compute with (`Cell.to_float`)."""

from __future__ import annotations

from dataclasses import replace

from framework.common.dtype import DType
from framework.infer.evaluators.inference import Inference
from framework.infer.values import constant
from framework.ir.abstract import AbstractTensor, AbstractTuple
from framework.ir.anf import Node
from framework.ops import operations

__all__ = ["as_float"]


def as_float(infer: Inference, node: Node, dtype: DType) -> Node:
    """Cast tensors of floating-point types, alone or in tuples, to another type. Other values stay as they are."""
    abstract = node.abstract
    if isinstance(abstract, AbstractTuple):
        items = [as_float(infer, item, dtype) for item in infer.build.items(node)]
        made = infer.build.make_list(items) if abstract.is_list else infer.build.make_tuple(items)
        made.abstract = replace(made.abstract, kind=abstract.kind)  # type: ignore[type-var]
        return made
    if not isinstance(abstract, AbstractTensor) or not abstract.dtype.is_floating_point or abstract.dtype == dtype:
        return node
    return infer.call(constant(operations.Cast()), [node, constant(dtype)], {})
