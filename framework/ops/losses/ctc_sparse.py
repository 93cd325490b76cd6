"""Connectionist temporal classification (CTC) of sparse labels (Graves et al. 2006).

`CTCLoss` is the public operator. `Spelling`, the shared base class, also serves the padded variant in `ctc_padded`.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.kernels.sequences import ctc
from framework.ops.array.reshaping import expand_dims
from framework.ops.arrays import Array, ArrayModule
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "CTCLoss",
    "CTCLossGrad",
    "CTCLossHessian",
    "Spelling",
]


class Spelling(PrimitiveWithInfer):
    """Base class of the CTC operators: the paths that yield the labels, the loss and both derivatives.

    Subclasses say how labels and scores of shape (T, N, C) are given.
    """

    takes = MappingProxyType({0: mstype.float_type})
    fresh = True

    def infer_dtype(self, x: DType, *others: object) -> DType:
        return x

    def paths(self, xp: ArrayModule, x: Any, *sequences: Any) -> ctc.Paths:
        """The paths that yield the labels."""
        raise NotImplementedError

    def scored(self, xp: ArrayModule, x: Any) -> Any:
        """Log probabilities of the classes, in Float32 or a wider type."""
        raise NotImplementedError

    def gradient(self, xp: ArrayModule, scores: Any, shares: Any) -> Any:
        """The gradient with respect to x, from the posterior probability of each class at each step."""
        raise NotImplementedError

    def gradient_slope(self, xp: ArrayModule, scores: Any, active: Any, direction: Any, shares: Any) -> Any:
        """The derivative of the gradient in a direction, from that of the posterior probabilities."""
        raise NotImplementedError

    def first(self, xp: ArrayModule, x: Array, paths: ctc.Paths) -> tuple[Any, Any]:
        """The loss of each sequence, and its gradient with respect to x."""
        scores = self.scored(xp, x)
        shares, _, likelihood = paths.occupancy(xp, paths.emitted(xp, scores))
        gradient = self.gradient(xp, scores, ctc.by_class(xp, shares, paths.states, x.shape[2]))
        return -likelihood.astype(x.dtype), gradient.astype(x.dtype)

    def second(self, xp: ArrayModule, x: Array, paths: ctc.Paths, direction: Array) -> Array:
        """The derivative of the gradient in a direction, a tensor of shape (T, N, C)."""
        scores = self.scored(xp, x)
        along = direction.astype(scores.dtype, copy=False)
        shares, slopes, _ = paths.occupancy(xp, paths.emitted(xp, scores), paths.emitted(xp, along))
        assert slopes is not None  # noqa: S101 - a direction was given
        of_classes = ctc.by_class(xp, slopes, paths.states, x.shape[2])
        active = shares.sum(axis=-1, keepdims=True)
        return self.gradient_slope(xp, scores, active, along, of_classes).astype(x.dtype)

    def check_lengths(self, x: Array, lengths: Array) -> None:
        """Raise ValueError unless every sequence has 1 to T steps."""
        steps = x.shape[0]
        if lengths.size and not 0 < int(lengths.min()) <= int(lengths.max()) <= steps:
            raise ValueError(
                f"{self.name}: the lengths {lengths.tolist()} must lie from 1 to {steps}, the number of steps of x"
            )


class _Sparse(Spelling):
    """CTC with sparse labels: indices (sequence, position) and values. The last class is the blank.

    Args:
        preprocess_collapse_repeated: merge equal neighbours among the labels.
        ctc_merge_repeated: merge repetitions of a label in neighbouring steps.
        ignore_longer_outputs_than_inputs: give a sequence with more labels than its steps can yield a loss of 0.
    """

    @prim_attr_register
    def __init__(
        self,
        preprocess_collapse_repeated: bool = False,
        ctc_merge_repeated: bool = True,
        ignore_longer_outputs_than_inputs: bool = False,
    ) -> None:
        self.init_prim_io_names(
            inputs=["x", "labels_indices", "labels_values", "sequence_length"], outputs=["loss", "gradient"]
        )

    def _check(self, x: Dims, places: Dims, values: Dims, lengths: Dims) -> None:
        if len(x) != 3 or len(places) != 2 or places[1] != 2 or len(values) != 1 or len(lengths) != 1:
            raise ValueError(
                f"{self.name}: x {x} must be (T, N, C), labels_indices {places} (labels, 2), labels_values {values} "
                f"(labels,) and sequence_length {lengths} (N,)"
            )

    def paths(self, xp: ArrayModule, x: Array, *sequences: Array) -> ctc.Paths:
        places, values, lengths = sequences
        self._check(x.shape, places.shape, values.shape, lengths.shape)
        _, batch, classes = x.shape
        self.check_lengths(x, lengths)
        if values.size and not 0 <= int(values.min()) <= int(values.max()) < classes - 1:
            raise ValueError(f"{self.name}: labels must lie from 0 to {classes - 2}; {classes - 1} is the blank")
        if places.size and not 0 <= int(places[:, 0].min()) <= int(places[:, 0].max()) < batch:
            raise ValueError(f"{self.name}: the sequences in labels_indices must lie from 0 to {batch - 1}")
        counts = xp.bincount(places[:, 0], minlength=batch)
        longest = int(counts.max())
        if places.size and not 0 <= int(places[:, 1].min()) <= int(places[:, 1].max()) < longest:
            raise ValueError(
                f"{self.name}: the positions in labels_indices must count the labels of each sequence from 0"
            )
        labels = xp.zeros((batch, longest), dtype=xp.int64)
        labels[places[:, 0], places[:, 1]] = values
        if self.preprocess_collapse_repeated:
            labels, counts = ctc.without_repetitions(xp, labels, counts)
        if not self.ignore_longer_outputs_than_inputs and bool((counts > lengths).any()):
            n = int((counts > lengths).argmax())
            raise ValueError(
                f"{self.name}: sequence {n} has {int(counts[n])} labels and {int(lengths[n])} steps; set "
                "ignore_longer_outputs_than_inputs to leave such sequences out"
            )
        return ctc.paths_of(xp, labels, counts, lengths, classes - 1, self.ctc_merge_repeated)

    def scored(self, xp: ArrayModule, x: Array) -> Array:
        return ctc.log_softmax(xp, x.astype(xp.promote_types(x.dtype, xp.float32), copy=False))

    def gradient(self, xp: ArrayModule, scores: Array, shares: Array) -> Array:
        return xp.exp(scores) * shares.sum(axis=-1, keepdims=True) - shares

    def gradient_slope(self, xp: ArrayModule, scores: Array, active: Array, direction: Array, shares: Array) -> Array:
        likely = xp.exp(scores)
        return active * likely * (direction - (likely * direction).sum(axis=-1, keepdims=True)) - shares


class CTCLoss(_Sparse):
    """CTC loss of sparse labels: `(x, labels_indices, labels_values, sequence_length)`.

    The loss is -log of the sum over all paths that yield the labels (Graves et al. 2006). A path is one class per step.
    It yields the labels that remain after merging repetitions and then removing blanks. The probabilities of classes
    are softmax(x); the last class is the blank. If no path yields the labels, because equal labels need a blank between
    them, the loss is inf and its gradient 0.

    Inputs: x, a floating-point tensor of shape (T, N, C); indices (sequence, position) of the labels, Int64 of shape
    (labels, 2); the labels, Int32 from 0 to C - 2; the number of steps of each sequence, Int32 of shape (N,), from 1 to
    T.

    Outputs: the loss of each sequence, (N,); the gradient of each with respect to x, (T, N, C), without a gradient of
    its own.

    Args:
        preprocess_collapse_repeated: merge equal neighbours among the labels.
        ctc_merge_repeated: merge repetitions of a label in neighbouring steps; otherwise each one counts.
        ignore_longer_outputs_than_inputs: give a sequence with more labels than its steps can yield a loss and gradient
            of 0; otherwise more labels than steps are an error.

    Example:
        >>> x = Tensor(np.zeros((2, 1, 3)), ms.float32)
        >>> places, labels, steps = Tensor([[0, 0]], ms.int64), Tensor([1], ms.int32), Tensor([2], ms.int32)
        >>> loss, gradient = ops.CTCLoss()(x, places, labels, steps)
        >>> print(np.exp(-loss.asnumpy()).round(3))  # 3 of 9 paths: label and label, label and blank, blank and label
        [0.333]
    """

    def infer_shape(self, x: Dims, places: Dims, values: Dims, lengths: Dims) -> tuple[Dims, ...]:
        self._check(x, places, values, lengths)
        return (x[1],), x

    def infer_dtype(self, x: DType, *others: Any) -> Any:
        return x, x

    def compute(self, xp: ArrayModule, x: Array, *sequences: Array) -> tuple[Array, ...]:
        loss, gradient = self.first(xp, x, self.paths(xp, x, *sequences))
        if self.ignore_longer_outputs_than_inputs:
            loss = xp.where(xp.isfinite(loss), loss, 0).astype(x.dtype)
        return loss, gradient


@bprop_getters.register(CTCLoss)
def get_bprop_ctc_loss(self: CTCLoss) -> Bprop:
    """The gradient of each sequence, which is the second output, times its dout."""
    attributes = self.preprocess_collapse_repeated, self.ctc_merge_repeated, self.ignore_longer_outputs_than_inputs
    grad = cached(CTCLossGrad, *attributes)

    def bprop(
        x: Tensor, places: Tensor, values: Tensor, lengths: Tensor, out: tuple[Tensor, ...], dout: tuple[Tensor, ...]
    ) -> tuple[Tensor | None, ...]:
        gradient = grad(out[1], x, places, values, lengths)
        return expand_dims(expand_dims(dout[0], 0), 2) * gradient, None, None, None

    return bprop


class CTCLossGrad(_Sparse):
    """The gradient that `CTCLoss` has computed, with the inputs that it came from: `(gradient, x, ...)`.

    The operator returns the gradient as given. It exists so that the gradient can be differentiated with respect to x.

    Inputs: the second output of `CTCLoss`, and the four inputs that it came from. Output: the first input.

    Args:
        preprocess_collapse_repeated: as for `CTCLoss`.
        ctc_merge_repeated: as for `CTCLoss`.
        ignore_longer_outputs_than_inputs: as for `CTCLoss`.

    Example:
        >>> given = Tensor(np.zeros((2, 1, 3)), ms.float32), Tensor([[0, 0]]), Tensor([1]), Tensor([2])
        >>> print(ops.CTCLossGrad()(ops.CTCLoss()(*given)[1], *given).asnumpy().round(3)[0])
        [[ 0.333 -0.333  0.   ]]
    """

    fresh = False

    def infer_shape(self, gradient: Dims, x: Dims, places: Dims, values: Dims, lengths: Dims) -> Dims:
        self._check(x, places, values, lengths)
        return gradient

    def compute(self, xp: ArrayModule, gradient: Array, x: Array, *sequences: Array) -> Array:
        return gradient


@bprop_getters.register(CTCLossGrad)
def get_bprop_ctc_loss_grad(self: CTCLossGrad) -> Bprop:
    """The Hessian, which is symmetric, times dout."""
    attributes = self.preprocess_collapse_repeated, self.ctc_merge_repeated, self.ignore_longer_outputs_than_inputs
    hessian = cached(CTCLossHessian, *attributes)

    def bprop(
        gradient: Tensor, x: Tensor, places: Tensor, values: Tensor, lengths: Tensor, out: Tensor, dout: Tensor
    ) -> tuple[Tensor | None, ...]:
        return None, hessian(dout, x, places, values, lengths), None, None, None

    return bprop


class CTCLossHessian(_Sparse):
    """The Hessian of `CTCLoss` times a direction: `(direction, x, labels_indices, labels_values, sequence_length)`.

    Inputs: a direction, of the shape and type of x; the inputs of `CTCLoss`. Output: a tensor of that shape and type.

    Args:
        preprocess_collapse_repeated: as for `CTCLoss`.
        ctc_merge_repeated: as for `CTCLoss`.
        ignore_longer_outputs_than_inputs: as for `CTCLoss`.

    Example:
        >>> given = Tensor(np.zeros((1, 1, 2)), ms.float32), Tensor([[0, 0]]), Tensor([0]), Tensor([1])
        >>> print(ops.CTCLossHessian()(Tensor([[[1.0, 0.0]]], ms.float32), *given))
        [[[ 0.25 -0.25]]]
    """

    takes = MappingProxyType({0: mstype.float_type, 1: mstype.float_type})

    def infer_shape(self, direction: Dims, x: Dims, places: Dims, values: Dims, lengths: Dims) -> Dims:
        self._check(x, places, values, lengths)
        return x

    def infer_dtype(self, direction: DType, *others: object) -> Any:
        return others[0]

    def compute(self, xp: ArrayModule, direction: Array, x: Array, *sequences: Array) -> Array:
        return self.second(xp, x, self.paths(xp, x, *sequences), direction)
