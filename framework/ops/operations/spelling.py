"""What both forms of connectionist temporal classification share (Graves et al. 2006)."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.kernels import ctc
from framework.ops.primitive import PrimitiveWithInfer

__all__ = ["Spelling"]


class Spelling(PrimitiveWithInfer):
    """What the operators on scores (T, N, C) share: which labels are spelled, and the sums over paths."""

    takes = MappingProxyType({0: mstype.float_type})
    fresh = True

    def infer_dtype(self, x: DType, *others: Any) -> Any:
        return x

    def paths(self, xp: Any, x: Any, *sequences: Any) -> ctc.Paths:
        """The paths that spell the labels."""
        raise NotImplementedError

    def scored(self, xp: Any, x: Any) -> Any:
        """Logarithms of the classes' probabilities, in at least Float32."""
        raise NotImplementedError

    def gradient(self, xp: Any, scores: Any, shares: Any) -> Any:
        """The gradient with respect to x, from the shares that classes have in the paths."""
        raise NotImplementedError

    def gradient_slope(self, xp: Any, scores: Any, there: Any, direction: Any, shares: Any) -> Any:
        """The derivative of the gradient in a direction, from that of the shares."""
        raise NotImplementedError

    def first(self, xp: Any, x: Any, paths: ctc.Paths) -> tuple[Any, Any]:
        """The loss of each sequence, and its gradient with respect to x."""
        scores = self.scored(xp, x)
        shares, _, likelihood = paths.occupancy(xp, paths.emitted(xp, scores))
        gradient = self.gradient(xp, scores, ctc.by_class(xp, shares, paths.states, x.shape[2]))
        return -likelihood.astype(x.dtype), gradient.astype(x.dtype)

    def second(self, xp: Any, x: Any, paths: ctc.Paths, direction: Any) -> Any:
        """The derivative of the gradient in a direction (T, N, C)."""
        scores = self.scored(xp, x)
        along = direction.astype(scores.dtype, copy=False)
        shares, slopes, _ = paths.occupancy(xp, paths.emitted(xp, scores), paths.emitted(xp, along))
        of_classes = ctc.by_class(xp, slopes, paths.states, x.shape[2])
        there = shares.sum(axis=-1, keepdims=True)
        return self.gradient_slope(xp, scores, there, along, of_classes).astype(x.dtype)

    def check_lengths(self, x: Any, lengths: Any) -> None:
        """Complain where a sequence has no step, or more than x."""
        steps = x.shape[0]
        if lengths.size and not 0 < int(lengths.min()) <= int(lengths.max()) <= steps:
            raise ValueError(f"{self.name}: the lengths {lengths.tolist()} must be from 1 to {steps}, the steps of x")
