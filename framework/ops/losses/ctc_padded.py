"""Connectionist temporal classification (CTC) of padded label rows, from log probabilities.

`framework.ops.ctc_loss` and `CTCLossV2` are the public names. The formula is that of Graves et al. 2006.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.kernels.sequences import ctc
from framework.ops.arithmetic.binary import maximum
from framework.ops.array.reshaping import expand_dims
from framework.ops.arrays import Array, ArrayModule
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.losses.ctc_sparse import Spelling
from framework.ops.losses.distances import reduced
from framework.ops.primitive import cached, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "CTCLossV2",
    "CTCLossV2Grad",
    "CTCLossV2Hessian",
    "ctc_loss",
]


class _Padded(Spelling):
    """CTC with padded label rows: row n holds the labels of sequence n, of which the first target_lengths[n] count.

    Args:
        blank: index of the blank class.
        reduction: "none"; `ops.ctc_loss` reduces.
        zero_infinity: replace an infinite loss by 0.
    """

    @prim_attr_register
    def __init__(self, blank: int = 0, reduction: str = "none", zero_infinity: bool = False) -> None:
        self.init_prim_io_names(
            inputs=["log_probs", "targets", "input_lengths", "target_lengths"],
            outputs=["neg_log_likelihood", "log_alpha"],
        )
        if reduction != "none":
            raise ValueError(f"{self.name}: reduction must be 'none', not {reduction!r}; ops.ctc_loss can reduce")

    def _check(self, x: Dims, targets: Dims) -> None:
        if len(x) != 3 or len(targets) != 2 or (x[1] != targets[0] and None not in (x[1], targets[0])):
            raise ValueError(f"{self.name}: log_probs {x} must be (T, N, C) and targets {targets} (N, S)")
        if x[2] is not None and not 0 <= self.blank < x[2]:
            raise ValueError(f"{self.name}: blank must be a class from 0 to {x[2] - 1}, not {self.blank}")

    def paths(self, xp: ArrayModule, x: Array, *sequences: Array) -> ctc.Paths:
        targets, steps, counts = sequences
        self._check(x.shape, targets.shape)
        self.check_lengths(x, steps)
        wrong = (counts < 0) | (counts > xp.minimum(steps, targets.shape[1]))
        if bool(wrong.any()):
            n = int(wrong.argmax())
            raise ValueError(
                f"{self.name}: sequence {n} cannot have {int(counts[n])} labels: it has {int(steps[n])} steps, and "
                f"its row of targets has length {targets.shape[1]}"
            )
        used = targets[xp.arange(targets.shape[1]) < counts[:, None]]
        if used.size and not 0 <= int(used.min()) <= int(used.max()) < x.shape[2]:
            raise ValueError(f"{self.name}: labels must be classes from 0 to {x.shape[2] - 1}")
        return ctc.paths_of(xp, targets, counts, steps, self.blank)

    def scored(self, xp: ArrayModule, x: Array) -> Array:
        return x.astype(xp.promote_types(x.dtype, xp.float32), copy=False)

    def gradient(self, xp: ArrayModule, scores: Array, shares: Array) -> Array:
        return -shares

    def gradient_slope(self, xp: ArrayModule, scores: Array, active: Array, direction: Array, shares: Array) -> Array:
        return -shares


class CTCLossV2(_Padded):
    """CTC loss of padded label rows: `(log_probs, targets, input_lengths, target_lengths)`.

    The operator does not normalise log_probs. Its gradient is the plain derivative; after `log_softmax` it equals that
    of `CTCLoss`.

    Inputs: log probabilities, a floating-point tensor of shape (T, N, C); labels, integers of shape (N, S), without the
    blank; the number of steps of each sequence, integers of shape (N,), from 1 to T; the number of labels of each
    sequence, (N,), at most S and at most its number of steps.

    Outputs: the loss of each sequence, (N,), inf if no path yields the labels; the log of the forward sums (alpha) of
    each state, (N, T, 2 S + 1), without a gradient of its own.

    Args:
        blank: index of the blank class.
        reduction: "none".
        zero_infinity: replace an infinite loss by 0.

    Example:
        >>> x = Tensor(np.log(np.full((2, 1, 3), 1 / 3)))
        >>> loss, _ = ops.CTCLossV2()(x, Tensor([[1]]), Tensor([2]), Tensor([1]))
        >>> print(np.exp(-loss.asnumpy()).round(3))
        [0.333]
    """

    def infer_shape(self, x: Dims, targets: Dims, steps: Dims, counts: Dims) -> tuple[Dims, ...]:
        self._check(x, targets)
        longest = targets[1]
        return (x[1],), (x[1], x[0], None if longest is None else 2 * longest + 1)

    def infer_dtype(self, x: DType, *others: Any) -> Any:
        return x, x

    def compute(self, xp: ArrayModule, x: Array, *sequences: Array) -> tuple[Array, ...]:
        paths = self.paths(xp, x, *sequences)
        alpha, _ = paths.log_alpha(xp, paths.emitted(xp, self.scored(xp, x)))
        loss = -paths.log_likelihood(xp, alpha)
        if self.zero_infinity:
            loss = xp.where(xp.isposinf(loss), 0, loss)
        return loss.astype(x.dtype), xp.ascontiguousarray(alpha.transpose(1, 0, 2)).astype(x.dtype)


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> tuple[Any, Any]:
    """CTC loss: -log of the likelihood of labels without alignment to the steps (Graves et al. 2006).

    Args:
        log_probs: log probabilities of classes, as from `log_softmax`, of shape (T, N, C).
        targets: labels, integers of shape (N, S).
        input_lengths: number of steps of each sequence, a tensor (N,) or a tuple.
        target_lengths: number of labels of each sequence, a tensor (N,) or a tuple.
        blank: index of the blank class.
        reduction: "mean" (the mean of each loss divided by its number of labels), "sum" or "none".
        zero_infinity: replace an infinite loss, of labels that no path yields, by 0.

    Returns:
        The loss, and the log of the forward sums (alpha) of each state, (N, T, 2 S + 1).

    Example:
        >>> steps = ops.log_softmax(ops.zeros((3, 1, 2)))
        >>> loss, _ = ops.ctc_loss(steps, Tensor([[1]]), Tensor([3]), Tensor([1]))
        >>> print(loss.asnumpy().round(3))
        0.288

    """
    if isinstance(input_lengths, tuple):
        input_lengths = Tensor(input_lengths)
    if isinstance(target_lengths, tuple):
        target_lengths = Tensor(target_lengths)
    loss, log_alpha = cached(CTCLossV2, blank, "none", zero_infinity)(log_probs, targets, input_lengths, target_lengths)
    if reduction == "mean":
        loss = loss / maximum(target_lengths, 1)
    return reduced(loss, reduction), log_alpha


@bprop_getters.register(CTCLossV2)
def get_bprop_ctc_loss_v2(self: CTCLossV2) -> Bprop:
    """The gradient of each sequence, times its dout."""
    grad = cached(CTCLossV2Grad, self.blank, "none", self.zero_infinity)

    def bprop(
        x: Tensor, targets: Tensor, steps: Tensor, counts: Tensor, out: tuple[Tensor, ...], dout: tuple[Tensor, ...]
    ) -> tuple[Tensor | None, ...]:
        return expand_dims(expand_dims(dout[0], 0), 2) * grad(x, targets, steps, counts), None, None, None

    return bprop


class CTCLossV2Grad(_Padded):
    """The gradient of `CTCLossV2` with respect to log_probs; 0 where the loss is inf.

    Inputs: as for `CTCLossV2`. Output: a tensor of the shape and type of log_probs.

    Args:
        blank: as for `CTCLossV2`.
        reduction: as for `CTCLossV2`.
        zero_infinity: as for `CTCLossV2`.

    Example:
        >>> x = Tensor(np.log(np.full((2, 1, 3), 1 / 3)))
        >>> print(ops.CTCLossV2Grad()(x, Tensor([[1]]), Tensor([2]), Tensor([1])).asnumpy()[0].round(3))
        [[-0.333 -0.667 -0.   ]]
    """

    def infer_shape(self, x: Dims, targets: Dims, steps: Dims, counts: Dims) -> Dims:
        self._check(x, targets)
        return x

    def compute(self, xp: ArrayModule, x: Array, *sequences: Array) -> Array:
        return self.first(xp, x, self.paths(xp, x, *sequences))[1]


@bprop_getters.register(CTCLossV2Grad)
def get_bprop_ctc_loss_v2_grad(self: CTCLossV2Grad) -> Bprop:
    """The Hessian, which is symmetric, times dout."""
    hessian = cached(CTCLossV2Hessian, self.blank, "none", self.zero_infinity)

    def bprop(
        x: Tensor, targets: Tensor, steps: Tensor, counts: Tensor, out: Tensor, dout: Tensor
    ) -> tuple[Tensor | None, ...]:
        return hessian(dout, x, targets, steps, counts), None, None, None

    return bprop


class CTCLossV2Hessian(_Padded):
    """The Hessian of `CTCLossV2` times a direction: `(direction, log_probs, targets, input_lengths, target_lengths)`.

    Inputs: a direction, of the shape and type of log_probs; the inputs of `CTCLossV2`. Output: a tensor of that shape
    and type.

    Args:
        blank: as for `CTCLossV2`.
        reduction: as for `CTCLossV2`.
        zero_infinity: as for `CTCLossV2`.

    Example:
        >>> given = Tensor(np.log(np.full((2, 1, 2), 0.5))), Tensor([[1]]), Tensor([2]), Tensor([1])
        >>> print(ops.CTCLossV2Hessian()(Tensor([[[0.0, 9.0]], [[0.0, 0.0]]], ms.float64), *given).asnumpy()[:, 0])
        [[ 2. -2.]
         [-1.  1.]]
    """

    takes = MappingProxyType({0: mstype.float_type, 1: mstype.float_type})

    def infer_shape(self, direction: Dims, x: Dims, targets: Dims, steps: Dims, counts: Dims) -> Dims:
        self._check(x, targets)
        return x

    def infer_dtype(self, direction: DType, *others: object) -> Any:
        return others[0]

    def compute(self, xp: ArrayModule, direction: Array, x: Array, *sequences: Array) -> Array:
        return self.second(xp, x, self.paths(xp, x, *sequences), direction)
