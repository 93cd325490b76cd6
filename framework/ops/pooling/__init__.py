"""Pooling over windows: each operator with inference, kernel, functional form and gradient."""

from framework.ops.pooling.adaptive import (
    AdaptiveAvgPool2D,
    AdaptiveAvgPool2DGrad,
    adaptive_avg_pool2d,
)
from framework.ops.pooling.sliding import (
    AvgPool,
    AvgPoolGrad,
    MaxPool,
    MaxPoolGrad,
    MaxPoolGradGrad,
    avg_pool2d,
)
from framework.ops.pooling.with_places import (
    AdaptiveMaxPool2D,
    MaxPoolWithArgmaxV2,
    adaptive_max_pool2d,
    max_pool2d,
)

__all__ = [
    "AdaptiveAvgPool2D",
    "AdaptiveAvgPool2DGrad",
    "AdaptiveMaxPool2D",
    "AvgPool",
    "AvgPoolGrad",
    "MaxPool",
    "MaxPoolGrad",
    "MaxPoolGradGrad",
    "MaxPoolWithArgmaxV2",
    "adaptive_avg_pool2d",
    "adaptive_max_pool2d",
    "avg_pool2d",
    "max_pool2d",
]
