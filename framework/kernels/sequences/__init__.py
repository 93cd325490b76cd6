"""Kernels over sequences with numpy: the loss of connectionist temporal classification, and recurrent layers.

Primitives call `ctc`; `framework.kernels.accelerated` offers `recurrent` beside the compiled loops.
"""
