"""Kernels in C: loops over Float32 arrays, called through ctypes.

`build.py` compiles `loops.c` to `_loops.so` beside it. It is optional: without it, numpy computes the same, slower.
Only the table of kernels uses these functions. Each returns NotImplemented for what the loops cannot compute.
"""

from framework.kernels.loops.gathering import gather_grad
from framework.kernels.loops.gelu import gelu, gelu_grad
from framework.kernels.loops.library import version
from framework.kernels.loops.normalization import batch_norm, batch_norm_grad, layer_norm, layer_norm_grad
from framework.kernels.loops.pooling import avg_pool, avg_pool_grad, max_pool, max_pool_grad
from framework.kernels.loops.recurrent import gru, gru_grad, lstm, lstm_grad
from framework.kernels.loops.softmax import cross_entropy, cross_entropy_grad, log_softmax, softmax

__all__ = [
    "avg_pool",
    "avg_pool_grad",
    "batch_norm",
    "batch_norm_grad",
    "cross_entropy",
    "cross_entropy_grad",
    "gather_grad",
    "gelu",
    "gelu_grad",
    "gru",
    "gru_grad",
    "layer_norm",
    "layer_norm_grad",
    "log_softmax",
    "lstm",
    "lstm_grad",
    "max_pool",
    "max_pool_grad",
    "softmax",
    "version",
]
