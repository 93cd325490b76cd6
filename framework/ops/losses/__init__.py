"""Losses: each operator with inference, kernel, functional form and gradient."""

from framework.ops.losses.distances import (
    L2Loss,
    SmoothL1Loss,
    smooth_l1_loss,
)
from framework.ops.losses.labelled import (
    SigmoidCrossEntropy,
    SigmoidCrossEntropyWithLogits,
    SoftmaxCrossEntropy,
    SoftmaxCrossEntropyWithLogits,
    SparseSoftmaxCrossEntropyWithLogits,
    SparseSoftmaxCrossEntropyWithLogitsGrad,
)
from framework.ops.losses.likelihoods import (
    BCEWithLogitsLoss,
    BinaryCrossEntropy,
    KLDivLoss,
    NLLLoss,
    kl_div,
)

__all__ = [
    "BCEWithLogitsLoss",
    "BinaryCrossEntropy",
    "KLDivLoss",
    "L2Loss",
    "NLLLoss",
    "SigmoidCrossEntropy",
    "SigmoidCrossEntropyWithLogits",
    "SmoothL1Loss",
    "SoftmaxCrossEntropy",
    "SoftmaxCrossEntropyWithLogits",
    "SparseSoftmaxCrossEntropyWithLogits",
    "SparseSoftmaxCrossEntropyWithLogitsGrad",
    "kl_div",
    "smooth_l1_loss",
]
