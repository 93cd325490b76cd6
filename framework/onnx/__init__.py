"""Models in ONNX's format: `load_onnx` makes a Cell of a file. Above the training core's Cells and compiler.

`reader/` parses and checks files, `translating` makes a program of the IR, `operators/` says what each operator means.
"""

from framework.onnx.limits import Limits
from framework.onnx.loading import load_onnx

__all__ = ["Limits", "load_onnx"]
