"""Classification losses: cross entropies, margins, focal and Dice loss, and CTC."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.common.validator import check_type
from framework.nn.cell import Cell
from framework.nn.layer.activation import get_activation
from framework.nn.loss.loss import LossBase
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CrossEntropyLoss",
    "DiceLoss",
    "FocalLoss",
    "MultiClassDiceLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "SoftmaxCrossEntropyWithLogits",
]


class SoftmaxCrossEntropyWithLogits(LossBase):
    """Cross entropy of logits: -sum(labels * log_softmax(logits)) per row.

    Args:
        sparse: labels are class indices (N,), not distributions (N, C).
        reduction: "none", "mean" or "sum".

    Example:
        >>> loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
        >>> print(loss(Tensor([[0.0, 0.0], [0.0, 2.0]]), Tensor([0, 1])).asnumpy().round(3))
        [0.693 0.127]

    """

    def __init__(self, sparse: bool = False, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.sparse = sparse
        self.one_hot = P.OneHot()
        self.cross_entropy = P.SoftmaxCrossEntropyWithLogits()
        self.sparse_mean = P.SparseSoftmaxCrossEntropyWithLogits()

    def construct(self, logits: Tensor, labels: Tensor) -> Any:
        """The loss of logits (N, C) and labels; for the mean with class indices also of (..., C) and (...)."""
        if self.sparse:
            if self.reduction == "mean":
                if len(logits.shape) > 2 and logits.shape[:-1] == labels.shape:
                    logits, labels = F.reshape(logits, (-1, logits.shape[-1])), F.reshape(labels, (-1,))
                return self.sparse_mean(logits, labels)
            labels = self.one_hot(labels, F.shape(logits)[-1], 1.0, 0.0)
        return F.reduced(self.cross_entropy(logits, labels)[0], self.reduction)


class NLLLoss(LossBase):
    """Negative log-likelihood: -weight[label] * logits[label] per sample, for logits that are log probabilities.

    The mean is the sum of losses divided by the sum of weights.

    Args:
        weight: weights of the classes, (C,); None for 1.
        ignore_index: label of samples that are left out.
        reduction: "mean", "sum" or "none".

    Example:
        >>> print(nn.NLLLoss()(Tensor([[-0.5, -1.0], [-2.0, -0.25]]), Tensor([0, 1])))
        0.375

    """

    def __init__(self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight
        self.ignore_index = ignore_index
        self.one_hot = P.OneHot(1)

    def construct(self, logits: Tensor, labels: Tensor) -> Any:
        """The loss of logits (N, C, ...) or (C,), and labels (N, ...) or ()."""
        if len(logits.shape) == 1:
            logits, labels = F.expand_dims(logits, 0), F.reshape(labels, (1,))
        picked = self.one_hot(labels, logits.shape[1], 1.0, 0.0)
        return self.of_picked(logits, picked, labels)

    def of_picked(self, logits: Tensor, picked: Tensor, labels: Tensor) -> Any:
        """The loss from labels and their one-hot vectors."""
        weights = self.weighted(picked, labels)
        losses = -F.reduce_sum(logits * weights, 1)
        if self.reduction == "mean":
            return F.reduce_sum(losses) / F.reduce_sum(weights)
        return F.reduced(losses, self.reduction)

    def weighted(self, picked: Tensor, labels: Tensor) -> Tensor:
        """One-hot vectors times the weights of their classes; 0 for ignored labels."""
        if self.weight is not None:
            picked = picked * F.reshape(self.weight, (1, -1) + (1,) * (len(picked.shape) - 2))
        if self.ignore_index >= 0:
            counted = F.cast(F.not_equal(labels, self.ignore_index), picked.dtype)
            picked = picked * F.expand_dims(counted, 1)
        return picked


class CrossEntropyLoss(NLLLoss):
    """Cross entropy: -weight[label] * log_softmax(logits)[label] per sample, or the sum over classes for distributions.

    Label smoothing mixes labels with the uniform distribution (Szegedy et al. 2016).

    Args:
        weight: weights of the classes, (C,); None for 1.
        ignore_index: label of samples that are left out.
        reduction: "mean", "sum" or "none".
        label_smoothing: share of the uniform distribution, from 0 to 1.

    Example:
        >>> print(nn.CrossEntropyLoss()(Tensor([[0.0, 0.0], [0.0, 90.0]]), Tensor([0, 1])).asnumpy().round(3))
        0.347

    """

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, ignore_index, reduction)
        if not 0 <= label_smoothing <= 1:
            raise ValueError(f"CrossEntropyLoss: label_smoothing must lie between 0 and 1, not {label_smoothing}")
        self.label_smoothing = float(label_smoothing)

    def construct(self, logits: Tensor, labels: Tensor) -> Any:
        """The loss of logits (N, C, ...) or (C,), and labels (N, ...) or (), or distributions of the logits' shape."""
        if len(logits.shape) == 1:
            logits, labels = F.expand_dims(logits, 0), F.expand_dims(labels, 0)
        likely = F.log_softmax(logits, 1)
        classes = logits.shape[1]
        if len(labels.shape) == len(logits.shape):
            return self.of_distributions(likely, labels, classes)
        picked = self.one_hot(labels, classes, 1.0, 0.0)
        if self.label_smoothing == 0.0:
            return self.of_picked(likely, picked, labels)
        counted = self.weighted(F.ones_like(likely) / classes, labels)
        weights = self.weighted(picked, labels)
        mixed = weights * (1.0 - self.label_smoothing) + counted * self.label_smoothing
        losses = -F.reduce_sum(likely * mixed, 1)
        if self.reduction == "mean":
            return F.reduce_sum(losses) / F.reduce_sum(weights)
        return F.reduced(losses, self.reduction)

    def of_distributions(self, likely: Tensor, labels: Tensor, classes: int) -> Any:
        """The loss from distributions over classes."""
        labels = labels * (1.0 - self.label_smoothing) + self.label_smoothing / classes
        if self.weight is not None:
            labels = labels * F.reshape(self.weight, (1, -1) + (1,) * (len(labels.shape) - 2))
        return F.reduced(-F.reduce_sum(likely * labels, 1), self.reduction)


class BCELoss(LossBase):
    """Binary cross entropy of probabilities: -(labels * log(logits) + (1 - labels) * log(1 - logits)).

    Args:
        weight: weights of the elements, which broadcast; None for 1.
        reduction: "mean", "sum" or "none".

    Example:
        >>> print(nn.BCELoss()(Tensor([0.5, 0.5]), Tensor([1.0, 0.0])).asnumpy().round(3))
        0.693

    """

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight

    def construct(self, logits: Tensor, labels: Tensor) -> Any:
        """The loss of tensors of one shape. The operands of log are at least 1e-12."""
        return F.binary_cross_entropy(logits, labels, self.weight, self.reduction)


class BCEWithLogitsLoss(LossBase):
    """`BCELoss` of sigmoid(logits), computed without a logarithm of 0.

    Args:
        reduction: "mean", "sum" or "none".
        weight: weights of the elements, which broadcast; None for 1.
        pos_weight: weights of the positive labels, which broadcast; None for 1.

    Example:
        >>> print(nn.BCEWithLogitsLoss()(Tensor([0.0, 0.0]), Tensor([1.0, 0.0])).asnumpy().round(3))
        0.693

    """

    def __init__(self, reduction: str = "mean", weight: Tensor | None = None, pos_weight: Tensor | None = None) -> None:
        super().__init__(reduction)
        self.weight = weight
        self.pos_weight = pos_weight

    def construct(self, logits: Tensor, labels: Tensor) -> Any:
        """The loss of tensors of one shape."""
        return F.binary_cross_entropy_with_logits(logits, labels, self.weight, self.pos_weight, self.reduction)


class FocalLoss(LossBase):
    """Focal loss (Lin et al. 2017): -(1 - p)^gamma * log(p), with p the probability of the label.

    Samples that are already right count little.

    Args:
        weight: weights of the classes, (C,); None for 1.
        gamma: exponent; a larger one discounts right samples more.
        reduction: "mean", "sum" or "none".

    Example:
        >>> print(nn.FocalLoss()(Tensor([[0.0, 0.0]]), Tensor([[1]])).asnumpy().round(3))
        0.173

    """

    def __init__(self, weight: Tensor | None = None, gamma: float = 2.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight
        self.gamma = float(check_type("FocalLoss: gamma", gamma, (int, float)))
        self.one_hot = P.OneHot(1)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss of logits (N, C, ...), and labels (N, ...), (N, 1, ...) or distributions (N, C, ...)."""
        classes = logits.shape[1]
        if len(labels.shape) == len(logits.shape) and labels.shape[1] == 1:
            labels = F.squeeze(labels, 1)
        likely = F.log_softmax(logits, 1)
        hard = len(labels.shape) < len(logits.shape)
        if hard:
            labels = self.one_hot(labels, classes, 1.0, 0.0)
        if self.weight is not None:
            labels = labels * F.reshape(self.weight, (1, -1) + (1,) * (len(logits.shape) - 2))
        losses = F.reshape(-F.pow(1.0 - F.exp(likely), self.gamma) * likely * labels, (logits.shape[0], classes, -1))
        if hard:
            losses = F.reduce_sum(losses, 1)
        return self.get_loss(F.reduce_mean(losses, -1))


class DiceLoss(LossBase):
    """Dice loss: 1 - 2 * sum(logits * labels) / (sum(logits^2) + sum(labels^2) + smooth).

    Args:
        smooth: number above 0 that keeps the denominator above 0.

    Example:
        >>> print(nn.DiceLoss()(Tensor([1.0, 1.0]), Tensor([1.0, 0.0])).asnumpy().round(3))
        0.333

    """

    def __init__(self, smooth: float = 1e-5) -> None:
        super().__init__()
        if smooth <= 0:
            raise ValueError(f"DiceLoss: smooth must be above 0, not {smooth}")
        self.smooth = float(smooth)

    def construct(self, logits: Tensor, labels: Tensor) -> Any:
        """The loss of tensors of one shape."""
        denominator = F.reduce_sum(logits * logits) + F.reduce_sum(labels * labels) + self.smooth
        return 1.0 - F.reduce_sum(logits * labels) * 2.0 / denominator


class MultiClassDiceLoss(LossBase):
    """The mean of the Dice losses of all classes, with optional class weights.

    Args:
        weights: weights of the classes, a tensor of two dimensions whose first is the number of classes; the loss then
            has the shape of the second. None for 1.
        ignore_indiex: a class that counts 0; None for none.
        activation: an activation's name such as "softmax" or "sigmoid", or a Cell, of the logits; None for none.

    Raises:
        ValueError: `weights` has another number of dimensions.

    Inputs: two tensors (N, C, ...). Output: the loss.

    Example:
        >>> x = Tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> print(nn.MultiClassDiceLoss(activation=None)(x, x).asnumpy().round(3))
        0.0

    """

    def __init__(
        self, weights: Tensor | None = None, ignore_indiex: int | None = None, activation: str | Cell | None = "softmax"
    ) -> None:
        super().__init__()
        check_type("MultiClassDiceLoss: weights", weights, (Tensor, type(None)))
        if weights is not None and weights.ndim != 2:
            raise ValueError(f"MultiClassDiceLoss: weights must have two dimensions, not {weights.ndim}")
        self.weights, self.ignore_indiex = weights, ignore_indiex
        check_type("MultiClassDiceLoss: activation", activation, (str, Cell, type(None)))
        try:
            self.activation = get_activation(activation)
        except KeyError as error:
            raise ValueError(f"MultiClassDiceLoss: {error.args[0]}") from error
        self.binarydiceloss = DiceLoss()

    def construct(self, logits: Tensor, labels: Tensor) -> Any:
        """The loss of tensors of one shape."""
        if self.activation is not None:
            logits = self.activation(logits)
        classes = F.shape(labels)[1]
        total = 0.0
        for i in range(classes):
            if i != self.ignore_indiex:
                loss = self.binarydiceloss(logits[:, i], labels[:, i])
                total = total + (loss if self.weights is None else loss * self.weights[i])
        return total / classes


class MultiMarginLoss(LossBase):
    """The sum over wrong classes of max(0, margin - x[label] + x[class])^p, divided by the number of classes.

    Args:
        p: 1 or 2.
        margin: least wanted lead of the right class.
        reduction: "mean", "sum" or "none".
        weight: weights of the classes, (C,); None for 1.

    Raises:
        ValueError: `p` is another number.

    Inputs: scores (N, C); labels, integers (N,). Output: the loss, of shape () or (N,).

    Example:
        >>> print(nn.MultiMarginLoss()(Tensor([[0.5, 0.5, 2.0]]), Tensor([2])))
        0.0

    """

    def __init__(self, p: int = 1, margin: float = 1.0, reduction: str = "mean", weight: Tensor | None = None) -> None:
        super().__init__(reduction)
        if p not in (1, 2):
            raise ValueError(f"MultiMarginLoss: p must be 1 or 2, not {p}")
        self.p, self.margin, self.weight = p, float(margin), weight

    def construct(self, x: Tensor, target: Tensor, weight: Tensor | None = None) -> Any:
        """The loss of scores (N, C) and labels (N,)."""
        own = self.weight if weight is None else weight
        return F.multi_margin_loss(x, target, self.p, self.margin, own, self.reduction)


class CTCLoss(LossBase):
    """CTC loss: -log of the likelihood of labels without alignment to the steps (Graves et al. 2006).

    Args:
        blank: index of the blank class.
        reduction: "mean" (the mean of each loss divided by its number of labels), "sum" or "none".
        zero_infinity: replace an infinite loss, of labels that no path yields, by 0.

    Inputs: log probabilities (T, N, C), or (T, C) for one sequence; labels (N, S), or (S,); the number of steps and the
    number of labels of each sequence, (N,). Output: the loss, of shape () or (N,).

    Example:
        >>> x = Tensor(np.log(np.full((2, 1, 3), 1 / 3)))
        >>> print(np.exp(-nn.CTCLoss()(x, Tensor([[1]]), Tensor([2]), Tensor([1])).asnumpy()).round(3))
        0.333

    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def construct(self, log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor) -> Any:
        """The loss, as from `ops.ctc_loss`."""
        alone = F.rank(log_probs) == 2
        if alone:
            log_probs = F.expand_dims(log_probs, 1)
            targets = F.expand_dims(targets, 0) if F.rank(targets) == 1 else targets
            input_lengths, target_lengths = F.reshape(input_lengths, (1,)), F.reshape(target_lengths, (1,))
        loss, _ = F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )
        return F.reshape(loss, ()) if alone else loss
