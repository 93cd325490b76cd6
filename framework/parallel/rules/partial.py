"""Operators on a part whose place in the whole tensor matters: a lookup in a part of the rows, a part of a mask."""

from __future__ import annotations

from typing import Any

import numpy as np

from framework.common.tensor import Tensor
from framework.communication.worlds import WORLD, communicator
from framework.ops.array.properties import shape as shape_of
from framework.ops.arrays import Array, ArrayModule, converted
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.indexing.gathering_elements import Gather, GatherGrad
from framework.ops.primitive import cached, prim_attr_register
from framework.ops.random.dropout import Dropout
from framework.ops.shapes import Dims, normal_axis
from framework.parallel.layouts.cuts import coordinates_of
from framework.parallel.layouts.executing import part_of
from framework.parallel.layouts.placements import Placement, cut_of

__all__ = ["PartDropout", "PartGather", "PartGatherGrad"]


class PartGather(Gather):
    """As `Gather`, from a rank's part of the rows: zeros for rows that other ranks have.

    Args:
        mesh: the lengths of the axes of the mesh of all ranks.
        axes: the axes that cut the rows.
        length: the number of all rows.

    Inputs: those of `Gather`; x is the rank's part, indices are those of the whole.

    Output: that of `Gather`.
    """

    @prim_attr_register
    def __init__(self, mesh: tuple[int, ...], axes: tuple[int, ...], length: int) -> None:
        super().__init__()
        self.attrs.update({"mesh": mesh, "axes": axes, "length": length})

    def compute(self, xp: ArrayModule, x: Array, indices: Array, axis: int) -> Array:
        position = normal_axis(axis, x.ndim)
        own, outside = _own_rows(self, xp, indices)
        picked: Array = xp.take(x, own, position)
        picked[(slice(None),) * position + (outside,)] = 0
        return picked


class PartGatherGrad(GatherGrad):
    """The gradient of `PartGather` by x; arguments as there, inputs as of `GatherGrad`."""

    @prim_attr_register
    def __init__(self, mesh: tuple[int, ...], axes: tuple[int, ...], length: int) -> None:
        super().__init__()
        self.attrs.update({"mesh": mesh, "axes": axes, "length": length})

    def compute(self, xp: ArrayModule, dout: Array, indices: Array, axis: int, shape: Any) -> Array:
        position = normal_axis(axis, len(shape))
        own, outside = _own_rows(self, xp, indices)
        given = dout.copy()
        given[(slice(None),) * position + (outside,)] = 0
        return super().compute(xp, given, own, axis, shape)


@bprop_getters.register(PartGather)
def get_bprop_part_gather(self: PartGather) -> Bprop:
    """Rows of other ranks have no gradient here."""
    back = cached(PartGatherGrad, self.mesh, self.axes, self.length)

    def bprop(x: Tensor, indices: Tensor, axis: int, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
        return back(dout, indices, axis, shape_of(x)), None, None

    return bprop


def _own_rows(operator: PartGather | PartGatherGrad, xp: ArrayModule, indices: Array) -> tuple[Array, Array]:
    """The rows of this rank's part, the first for those of others, and where these are."""
    rank = communicator(WORLD).rank
    place, parts = 0, 1
    coordinates = coordinates_of(operator.mesh, rank)
    for axis in operator.axes:
        place, parts = place * operator.mesh[axis] + coordinates[axis], parts * operator.mesh[axis]
    count = operator.length // parts
    whole = xp.where(indices < 0, indices + operator.length, indices)
    own = whole - place * count
    outside = (own < 0) | (own >= count)
    return xp.where(outside, 0, own), outside


class PartDropout(Dropout):
    """As `Dropout`, of a rank's part: the mask is that part of the whole tensor's, which every rank draws.

    Args:
        keep_prob: probability that an element is kept.
        Seed0: as for `Dropout`.
        Seed1: as for `Dropout`.
        whole: the shape of the whole tensor.
        mesh: the lengths of the axes of the mesh of all ranks.
        placement: for each axis the dimension that it cuts, or None.

    Inputs and outputs: those of `Dropout`, of the part.
    """

    @prim_attr_register
    def __init__(
        self,
        keep_prob: float,
        Seed0: int,  # noqa: N803 - MindSpore's
        Seed1: int,  # noqa: N803 - MindSpore's
        whole: Dims,
        mesh: tuple[int, ...],
        placement: Placement,
    ) -> None:
        super().__init__(keep_prob, Seed0, Seed1)
        self.attrs.update({"whole": whole, "mesh": mesh, "placement": placement})

    def compute(self, xp: ArrayModule, x: Array) -> tuple[Array, ...]:
        drawn = self.stream().random(self.whole, dtype=np.float32) < self.keep_prob
        cut = cut_of(self.whole, self.placement, self.mesh)
        mask = xp.asarray(part_of(drawn, cut, communicator(WORLD).rank))
        mask = converted(mask.astype(xp.float32) if x.dtype == xp.float16 else mask, x.dtype)
        return x * mask / x.dtype.type(self.keep_prob), mask
