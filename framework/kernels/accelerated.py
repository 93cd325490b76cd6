"""The kernels that operators call where a faster implementation stands beside the plain one."""

from __future__ import annotations

from typing import Final

from framework.kernels import convolution, onednn
from framework.kernels.choices import Kernel, Source, listed

__all__ = ["convolve", "convolve_filter_grad", "convolve_input_grad"]

_ONEDNN: Final = Source(onednn.version)
_FLOATS: Final = "Float32 on the CPU, any window, stride, dilation and groups"


def _by_onednn(name: str) -> Kernel:
    return listed(Kernel(name, getattr(convolution, name), getattr(onednn, name), _ONEDNN, _FLOATS))


convolve: Final = _by_onednn("convolve")
convolve_input_grad: Final = _by_onednn("convolve_input_grad")
convolve_filter_grad: Final = _by_onednn("convolve_filter_grad")
