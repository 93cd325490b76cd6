"""What ONNX's operators mean, as functions on tensors: one function for an operator, or for its form since an opset.

The functions are written in the part of Python that graph mode parses, so both modes run the same source, and
gradients follow from the operators inside. `table` says how a function describes its operator; every other module
holds a family. Importing this package fills the table.
"""

from framework.onnx.operators import (
    attention,
    control,
    convolution,
    elementwise,
    images,
    indexing,
    legacy,
    losses,
    matrices,
    normalization,
    quantization,
    recurrent,
    reductions,
    shapes,
    signals,
)

__all__ = [
    "attention",
    "control",
    "convolution",
    "elementwise",
    "images",
    "indexing",
    "legacy",
    "losses",
    "matrices",
    "normalization",
    "quantization",
    "recurrent",
    "reductions",
    "shapes",
    "signals",
]
