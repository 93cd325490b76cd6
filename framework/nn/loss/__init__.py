"""Losses as Cells: `loss(logits, labels)`. Most are reduced to their mean by default."""

from framework.nn.loss.classes import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    CTCLoss,
    DiceLoss,
    FocalLoss,
    MultiClassDiceLoss,
    MultiMarginLoss,
    NLLLoss,
    SoftmaxCrossEntropyWithLogits,
)
from framework.nn.loss.distances import HuberLoss, L1Loss, MAELoss, MSELoss, RMSELoss, SmoothL1Loss
from framework.nn.loss.labels import MultilabelMarginLoss, MultiLabelSoftMarginLoss
from framework.nn.loss.likelihoods import GaussianNLLLoss, KLDivLoss, PoissonNLLLoss
from framework.nn.loss.loss import LossBase
from framework.nn.loss.pairs import (
    CosineEmbeddingLoss,
    HingeEmbeddingLoss,
    MarginRankingLoss,
    SoftMarginLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from framework.nn.loss.sampled import SampledSoftmaxLoss

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "DiceLoss",
    "FocalLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "LossBase",
    "MAELoss",
    "MSELoss",
    "MarginRankingLoss",
    "MultiClassDiceLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "MultilabelMarginLoss",
    "NLLLoss",
    "PoissonNLLLoss",
    "RMSELoss",
    "SampledSoftmaxLoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "SoftmaxCrossEntropyWithLogits",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]
