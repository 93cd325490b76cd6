"""Kernels and checks that several indexing operators share."""

from __future__ import annotations

import math
from typing import Any

from framework.kernels import repeated
from framework.ops.arrays import Array, ArrayModule
from framework.ops.shapes import Dims

__all__ = []


def along(xp: ArrayModule, index: Array, axis: int) -> tuple[Any, ...]:
    """Index arrays for all dimensions that pick `index` along one axis and everything along the others."""
    return tuple(
        index if i == axis else xp.arange(size).reshape(-1, *(1,) * (index.ndim - i - 1))
        for i, size in enumerate(index.shape)
    )


def add_at(xp: ArrayModule, out: Array | None, index: tuple[Any, ...], values: Array) -> None:
    """Add values to `out` at an index, in place; an element that comes several times gets all its values."""
    xp.add.at(out, index, values)


def check_updates(name: str, shape: Dims, indices: Dims, updates: Dims) -> None:
    """Raise ValueError unless the updates of a scatter operator have shape indices.shape[:-1] + shape[K:]."""
    depth = indices[-1]
    if depth is None or depth > len(shape):
        raise ValueError(f"{name}: indices of shape {indices} name more dimensions than a tensor of shape {shape} has")
    expected = indices[:-1] + shape[depth:]
    if len(updates) != len(expected) or math.prod(u or 1 for u in updates) != math.prod(w or 1 for w in expected):
        raise ValueError(f"{name}: updates must have shape {expected}, not {updates}")


def combine(xp: ArrayModule, out: Any, index: Any, values: Any, how: str) -> None:
    """Combine values with the elements of `out` at an index, in place, by numpy's ufunc `how`; "" replaces them."""
    if how:
        repeated.at(xp, how, out, index, values)
    else:
        out[index] = values
