"""Kernels that several indexing operators share."""

from __future__ import annotations

import math
from typing import Any

from framework.kernels import repeated
from framework.ops.arrays import Array, ArrayModule
from framework.ops.shapes import Dims

__all__ = []


def along(xp: ArrayModule, index: Array, axis: int) -> tuple[Any, ...]:
    """Indices of all dimensions for picking along one."""
    return tuple(
        index if i == axis else xp.arange(size).reshape(-1, *(1,) * (index.ndim - i - 1))
        for i, size in enumerate(index.shape)
    )


def add_at(xp: ArrayModule, out: Array | None, index: tuple[Any, ...], values: Array) -> None:
    """out[index] += values, where an element may be named several times."""
    xp.add.at(out, index, values)


def check_updates(name: str, shape: Dims, indices: Dims, updates: Dims) -> None:
    depth = indices[-1]
    if depth is None or depth > len(shape):
        raise ValueError(f"{name}: indices of shape {indices} point deeper than shape {shape}")
    wanted = indices[:-1] + shape[depth:]
    if len(updates) != len(wanted) or math.prod(u or 1 for u in updates) != math.prod(w or 1 for w in wanted):
        raise ValueError(f"{name}: updates of shape {updates} do not fit, {wanted} is needed")


def combine(xp: ArrayModule, out: Any, index: Any, values: Any, how: str) -> None:
    """Combine values with the elements of `out` that an index names, in place; how: numpy's ufunc, or "" to replace."""
    if how:
        repeated.at(xp, how, out, index, values)
    else:
        out[index] = values
