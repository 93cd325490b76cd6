"""What ONNX's operators mean, as functions on tensors: one function for an operator, or for its form since an opset.

The functions are written in the part of Python that graph mode parses, so both modes run the same source, and
gradients follow from the operators inside. `operator_table` says how a function describes its operator; `layers/`,
`sampled/` and the other modules hold a family each. Importing this package fills the table.
"""

from framework.onnx.operators import control, elementwise, indexing, legacy, matrices, reductions, shapes
from framework.onnx.operators.layers import (
    attention,
    classification_losses,
    conv_and_pooling,
    normalizing,
    quantization,
    recurrence,
)
from framework.onnx.operators.sampled import images, signals

__all__ = [
    "attention",
    "classification_losses",
    "control",
    "conv_and_pooling",
    "elementwise",
    "images",
    "indexing",
    "legacy",
    "matrices",
    "normalizing",
    "quantization",
    "recurrence",
    "reductions",
    "shapes",
    "signals",
]
