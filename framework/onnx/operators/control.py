"""Branches and loops: their bodies are functions of the program, which are called here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from framework import ops
from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ir.model_values import ModelError
from framework.onnx.operators.operator_table import Body, Ints, onnx
from framework.onnx.operators.values import axis_of, ints, permutation, tensor_of
from framework.onnx.reader.tensors import ELEMENT_TYPES
from framework.ops.constexpr import constexpr
from framework.schema.onnx_pb2 import Graph

__all__ = ["scan_shapes"]


def scan_shapes(body: Graph) -> tuple[Tensor | None, ...]:
    """Tensors without elements for what a loop collects, from the declared shapes of the body's outputs.

    Args:
        body: the body of a loop.

    Returns:
        For each output of the body but the condition a tensor of shape (0, ...); None where the model does not say.
    """
    found: list[Tensor | None] = []
    for item in body.output[1:]:
        tensor = item.type.tensor_type
        dims = [dim.dim_value for dim in tensor.shape.dim]
        known = tensor.HasField("shape") and tensor.elem_type in ELEMENT_TYPES and all(0 < d < 1 << 31 for d in dims)
        found.append(Tensor(np.zeros((0, *dims), ELEMENT_TYPES[tensor.elem_type].numpy)) if known else None)
    return tuple(found)


@onnx("OptionalHasElement", since=15)
def has_element(x: Tensor | None = None) -> Tensor:
    return _truth(x is not None)


@onnx("OptionalGetElement", since=15)
def get_element(x: Tensor) -> Tensor:
    return x


@constexpr
def _truth(value: bool) -> Tensor:
    return Tensor(np.asarray(value))


@onnx("If")
def branch(then_branch: Body, else_branch: Body, condition: Tensor) -> tuple[Tensor, ...]:
    if condition:
        return then_branch()
    return else_branch()


@onnx("Loop")
def loop(
    body: Body,
    most: Tensor | None = None,
    condition: Tensor | None = None,
    *carried: Tensor,
    max_rounds: int = 0,
    scan_shapes: tuple[Tensor | None, ...] = (),
) -> tuple[Tensor, ...]:
    count = len(carried)
    values: tuple[Tensor, ...] = tuple(carried)
    collected: tuple[Any, ...] = tuple(scan_shapes[count:])
    going = _true() if condition is None else ops.reshape(condition, ())
    if most is not None and ops.isconstant(most):
        planned = _planned(most, max_rounds)
        place = 0
        while place < planned and going:
            results = body(ops.scalar_to_tensor(place, mstype.int64), going, *values)
            going, values = ops.reshape(results[0], ()), results[1 : count + 1]
            collected = _appended(collected, results[count + 1 :])
            place = place + 1
        return (*values, *collected)
    limit = _endless() if most is None else ops.reshape(most, ())
    last = limit if max_rounds == 0 else ops.minimum(limit, tensor_of(max_rounds, mstype.int64))
    rounds = _zero()
    while ops.logical_and(ops.less(rounds, last), going):
        results = body(rounds, going, *values)
        going, values = ops.reshape(results[0], ()), results[1 : count + 1]
        collected = _appended(collected, results[count + 1 :])
        rounds = rounds + 1
    if max_rounds > 0 and ops.logical_and(going, ops.less(rounds, limit)):
        raise ModelError(f"its loop goes on after {max_rounds} rounds, the most that max_rounds allows")
    return (*values, *collected)


@onnx("Scan", since=9)
def scan(
    body: Body,
    *given: Tensor,
    num_scan_inputs: int,
    scan_input_axes: Ints | None = None,
    scan_input_directions: Ints | None = None,
    scan_output_axes: Ints | None = None,
    scan_output_directions: Ints | None = None,
) -> tuple[Tensor, ...]:
    count = len(given) - num_scan_inputs
    values, inputs = tuple(given[:count]), tuple(given[count:])
    axes = _or_zeros(scan_input_axes, num_scan_inputs)
    backwards = _or_zeros(scan_input_directions, num_scan_inputs)
    length = inputs[0].shape[axes[0]]
    results = body(*values, *_slices(inputs, axes, backwards, 0, length))
    values, collected = results[:count], tuple([ops.expand_dims(item, 0) for item in results[count:]])
    place = 1
    while place < length:
        results = body(*values, *_slices(inputs, axes, backwards, place, length))
        values = results[:count]
        collected = _appended(collected, results[count:])
        place = place + 1
    return (*values, *_arranged(collected, scan_output_axes, scan_output_directions))


@onnx("Scan", since=8)
def scan_of_batches(
    body: Body, lengths: Tensor | None = None, *given: Tensor, num_scan_inputs: int, directions: Ints | None = None
) -> tuple[Tensor, ...]:
    if lengths is not None:
        raise ModelError("sequence_lens of Scan are supported since opset 9 only: convert the model")
    found = [
        scan(body, *[item[place] for item in given], num_scan_inputs=num_scan_inputs, scan_input_directions=directions)
        for place in range(given[0].shape[0])
    ]
    return tuple([ops.stack([each[place] for each in found]) for place in range(len(found[0]))])


def _slices(inputs: Sequence[Tensor], axes: Ints, backwards: Ints, place: int, length: int) -> tuple[Tensor, ...]:
    """The slice of each input at a place, counted from the end for inputs that are read backwards."""
    return tuple([
        ops.gather(x, ops.scalar_to_tensor(length - 1 - place if back else place, mstype.int64), axis)
        for x, axis, back in zip(inputs, axes, backwards, strict=True)
    ])  # fmt: skip


def _appended(collected: Sequence[Any], items: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """What a loop has collected so far, with the items of one more round."""
    return tuple([
        ops.expand_dims(item, 0) if before is None else ops.concat((before, ops.expand_dims(item, 0)), 0)
        for before, item in zip(collected, items, strict=True)
    ])  # fmt: skip


def _arranged(collected: Sequence[Tensor], axes: Ints | None, directions: Ints | None) -> tuple[Tensor, ...]:
    """What a scan has collected, along the wanted axes and in the wanted order."""
    found = []
    for place, item in enumerate(collected):
        if directions is not None and directions[place] == 1:
            item = ops.flip(item, (0,))
        if axes is not None and axes[place] != 0:
            item = ops.transpose(item, permutation(len(item.shape), 0, axis_of(axes[place], len(item.shape))))
        found.append(item)
    return tuple(found)


@constexpr
def _or_zeros(given: Ints | None, count: int) -> Ints:
    return (0,) * count if given is None else given


@constexpr
def _planned(most: Tensor, max_rounds: int) -> int:
    (rounds,) = ints(most) or (0,)
    if max_rounds and rounds > max_rounds:
        raise ModelError(f"its loop has {rounds} rounds, and max_rounds allows {max_rounds}")
    return rounds


@constexpr
def _true() -> Tensor:
    return Tensor(np.asarray(True))


@constexpr
def _zero() -> Tensor:
    return Tensor(np.asarray(0, np.int64))


@constexpr
def _endless() -> Tensor:
    return Tensor(np.asarray(np.iinfo(np.int64).max))
