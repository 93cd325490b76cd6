"""What the framework's operators are in ONNX, the way out; `framework.onnx.operators` is the way in.

A form writes an application of an operator as nodes of a model: as one where ONNX has the operator, else as several.
`form_table` says how a form describes itself; each other module holds a family. Importing this package fills the table.
"""

from framework.onnx.forms import (
    backward,
    indices,
    layer_forms,
    loss_forms,
    numbers_of_python,
    pointwise,
    product_forms,
    reducing,
    reshapes,
    training,
)

__all__ = [
    "backward",
    "indices",
    "layer_forms",
    "loss_forms",
    "numbers_of_python",
    "pointwise",
    "product_forms",
    "reducing",
    "reshapes",
    "training",
]
