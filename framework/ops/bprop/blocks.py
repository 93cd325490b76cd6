"""Backward functions of operators that move elements: they move them back."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.primitive import cached

shape_of = P.Shape()


@bprop_getters.register(P.PadV3)
def get_bprop_pad_v3(self: P.PadV3) -> Bprop:
    """Added where it was taken."""
    grad = cached(P.PadV3Grad, self.mode, self.paddings_contiguous)

    def bprop(x: Tensor, paddings: Any, value: Any, out: Tensor, dout: Tensor) -> Any:
        return grad(dout, paddings, shape_of(x)), None, None

    return bprop


@bprop_getters.register(P.PadV3Grad)
def get_bprop_pad_v3_grad(self: P.PadV3Grad) -> Bprop:
    """Taken where it was added; the value counts for nothing."""
    pad = cached(P.PadV3, self.mode, self.paddings_contiguous)

    def bprop(gradient: Tensor, paddings: Any, shape: Any, out: Tensor, dout: Tensor) -> Any:
        return pad(dout, paddings, 0), None, None

    return bprop


@bprop_getters.register(P.MirrorPad)
def get_bprop_mirror_pad(self: P.MirrorPad) -> Bprop:
    """Added where it was taken."""
    grad = cached(P.MirrorPadGrad, self.mode)

    def bprop(x: Tensor, paddings: Any, out: Tensor, dout: Tensor) -> Any:
        return grad(dout, paddings, shape_of(x)), None

    return bprop


@bprop_getters.register(P.MirrorPadGrad)
def get_bprop_mirror_pad_grad(self: P.MirrorPadGrad) -> Bprop:
    """Taken where it was added."""
    pad = cached(P.MirrorPad, self.mode)

    def bprop(gradient: Tensor, paddings: Any, shape: Any, out: Tensor, dout: Tensor) -> Any:
        return pad(dout, paddings), None, None

    return bprop


@bprop_getters.register(P.SpaceToDepth)
def get_bprop_space_to_depth(self: P.SpaceToDepth) -> Bprop:
    """As blocks again."""
    back = cached(P.DepthToSpace, self.block_size)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (back(dout),)

    return bprop


@bprop_getters.register(P.DepthToSpace)
def get_bprop_depth_to_space(self: P.DepthToSpace) -> Bprop:
    """As channels again."""
    back = cached(P.SpaceToDepth, self.block_size)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (back(dout),)

    return bprop


@bprop_getters.register(P.SpaceToBatchND)
def get_bprop_space_to_batch(self: P.SpaceToBatchND) -> Bprop:
    """Together again, without what was added."""
    back = cached(P.BatchToSpaceND, self.block_shape, self.paddings)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (back(dout),)

    return bprop


@bprop_getters.register(P.BatchToSpaceND)
def get_bprop_batch_to_space(self: P.BatchToSpaceND) -> Bprop:
    """Cut again, with zeros for what was cut off."""
    back = cached(P.SpaceToBatchND, self.block_shape, self.crops)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (back(dout),)

    return bprop


@bprop_getters.register(P.ReverseSequence)
def get_bprop_reverse_sequence(self: P.ReverseSequence) -> Bprop:
    """Reversed again."""

    def bprop(x: Tensor, lengths: Tensor, out: Tensor, dout: Tensor) -> Any:
        return self(dout, lengths), None

    return bprop
