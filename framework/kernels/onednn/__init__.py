"""Kernels by oneDNN's C interface, called through ctypes: convolutions and products of matrices.

Optional: without the package onednn-cpu-gomp, numpy computes the same, slower. Only the table of kernels uses these.
"""

from framework.kernels.onednn.convolution import convolve, convolve_filter_grad, convolve_input_grad
from framework.kernels.onednn.library import UnusableError, onednn
from framework.kernels.onednn.matrix_products import matmul

__all__ = ["convolve", "convolve_filter_grad", "convolve_input_grad", "matmul", "version"]


def version() -> str:
    """What computes, such as "oneDNN 3.2.0".

    Raises:
        ImportError: there is no oneDNN here; the text says why.

    """
    try:
        return f"oneDNN {onednn().version}"
    except UnusableError as error:
        raise ImportError(f"oneDNN cannot be used: {error}") from error
