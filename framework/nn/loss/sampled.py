"""Softmax over a sample of the classes, for very many classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.nn.loss.loss import LossBase
from framework.ops import functional as F  # noqa: N812

__all__ = ["SampledSoftmaxLoss"]


class SampledSoftmaxLoss(LossBase):
    """Cross entropy of the labels among themselves and a sample of the classes (Jean et al. 2015).

    The logarithm of how often a class is expected in the sample is subtracted from its logit.

    Args:
        num_sampled: number of classes of the sample.
        num_classes: number of classes.
        num_true: number of labels of each row; each counts 1 / num_true.
        sampled_values: the sample: its classes (num_sampled,), how often each label is expected in it (N, num_true),
            and how often each of its classes is (num_sampled,). None draws another one at each call, uniformly and
            without repetition.
        remove_accidental_hits: draw no class that is a label of a row.
        seed: accepted for compatibility; `ms.set_seed` starts the stream of random numbers.
        reduction: "none", "mean" or "sum".

    Raises:
        ValueError: there are fewer classes than `num_sampled` or `num_true`, or `num_true` is 0, or `sampled_values`
            are not three.

    Inputs: weights (num_classes, D), biases (num_classes,), labels, integers (N, num_true), and inputs (N, D). Output:
    the loss, of shape (N,) or ().

    Example:
        >>> loss = nn.SampledSoftmaxLoss(num_sampled=4, num_classes=7)
        >>> print(loss(ops.ones((7, 3)), ops.zeros((7,)), Tensor([[0], [3]]), ops.ones((2, 3))).shape)
        (2,)

    """

    def __init__(
        self,
        num_sampled: int,
        num_classes: int,
        num_true: int = 1,
        sampled_values: Sequence[Tensor] | None = None,
        remove_accidental_hits: bool = True,
        seed: int = 0,
        reduction: str = "none",
    ) -> None:
        super().__init__(reduction)
        if not 1 <= num_true <= num_classes or num_sampled > num_classes:
            raise ValueError(
                f"SampledSoftmaxLoss: of {num_classes} classes, {num_sampled} cannot be drawn, or {num_true} be labels"
            )
        if sampled_values is not None and len(sampled_values) != 3:
            raise ValueError(f"SampledSoftmaxLoss: sampled_values must be three tensors, not {len(sampled_values)}")
        self.num_sampled, self.num_classes, self.num_true = num_sampled, num_classes, num_true
        self.sampled_values = sampled_values
        self.remove_accidental_hits, self.seed = remove_accidental_hits, seed

    def drawn(self, labels: Tensor) -> tuple[Any, Any, Any]:
        """A sample of the classes for labels (N, num_true), in the form of `sampled_values`."""
        places = F.uniform((self.num_classes,), 0.0, 1.0, None, mstype.float32)
        if self.remove_accidental_hits:
            taken = F.one_hot(F.reshape(labels, (-1,)), self.num_classes, 1.0, 0.0)
            places = places - F.reduce_sum(taken, 0)
        _, sample = F.topk(places, self.num_sampled)
        expected = F.ones((1,), mstype.float32) * (self.num_sampled / self.num_classes)
        return sample, F.broadcast_to(expected, F.shape(labels)), F.broadcast_to(expected, (self.num_sampled,))

    def construct(self, weights: Tensor, biases: Tensor, labels: Tensor, logits: Tensor) -> Any:
        """The loss of inputs (N, D)."""
        labels = F.reshape(labels, (-1, self.num_true))
        sample, of_labels, of_sample = self.drawn(labels) if self.sampled_values is None else self.sampled_values
        flat = F.reshape(labels, (-1,))
        own = F.reshape(F.gather(weights, flat, 0), (-1, self.num_true, F.shape(weights)[1]))
        right = F.reduce_sum(F.expand_dims(logits, 1) * own, 2) + F.reshape(F.gather(biases, flat, 0), F.shape(labels))
        others = F.matmul(logits, F.transpose(F.gather(weights, sample, 0), (1, 0))) + F.gather(biases, sample, 0)
        likely = F.log_softmax(F.concat((right - F.log(of_labels), others - F.log(of_sample)), 1), 1)
        return F.reduced(-F.reduce_sum(likely[:, : self.num_true], 1) / self.num_true, self.reduction)
