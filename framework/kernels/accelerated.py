"""The kernels with a faster implementation beside the plain one, as operators call them."""

from __future__ import annotations

from types import ModuleType
from typing import Final

from framework.kernels import convolution, error_function, gathering, loops, normalization, onednn, pooling, softmax
from framework.kernels.choices import Kernel, Source, listed
from framework.kernels.loops import halves
from framework.kernels.sequences import recurrent

__all__ = [
    "avg_pool",
    "avg_pool_grad",
    "batch_norm",
    "batch_norm_grad",
    "convolve",
    "convolve_filter_grad",
    "convolve_input_grad",
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
    "matmul",
    "max_pool",
    "max_pool_grad",
    "softmax_",
]

_ONEDNN: Final = Source(onednn.version)
_LOOPS: Final = Source(loops.version)


def _kernel(name: str, plain: ModuleType, fast: ModuleType, does: str) -> Kernel:
    source = _ONEDNN if fast is onednn else _LOOPS
    return listed(Kernel(name, getattr(plain, name), getattr(fast, name), source, f"Float32 on the CPU, {does}", True))


_PRODUCTS: Final = "Float32 on the CPU, from a million multiplications on"
_ANY_WINDOW, _IMAGES = "any window, stride, dilation and groups", "windows without dilation"
convolve: Final = _kernel("convolve", convolution, onednn, _ANY_WINDOW)
convolve_input_grad: Final = _kernel("convolve_input_grad", convolution, onednn, _ANY_WINDOW)
convolve_filter_grad: Final = _kernel("convolve_filter_grad", convolution, onednn, _ANY_WINDOW)
matmul: Final = listed(
    Kernel("matmul", lambda xp, a, b, out=None: xp.matmul(a, b, out=out), onednn.matmul, _ONEDNN, _PRODUCTS, True)
)
max_pool: Final = _kernel("max_pool", pooling, loops, _IMAGES)
max_pool_grad: Final = _kernel("max_pool_grad", pooling, loops, _IMAGES)
avg_pool: Final = _kernel("avg_pool", pooling, loops, _IMAGES)
avg_pool_grad: Final = _kernel("avg_pool_grad", pooling, loops, _IMAGES)
softmax_: Final = _kernel("softmax", softmax, loops, "the last dimension")
log_softmax: Final = _kernel("log_softmax", softmax, loops, "the last dimension")
cross_entropy: Final = _kernel("cross_entropy", softmax, loops, "labels that are classes")
cross_entropy_grad: Final = _kernel("cross_entropy_grad", softmax, loops, "labels that are classes")
gather_grad: Final = _kernel("gather_grad", gathering, loops, "indices that fit, without shared dimensions")
gelu: Final = _kernel("gelu", error_function, loops, "the exact form")
gelu_grad: Final = _kernel("gelu_grad", error_function, loops, "the exact form")
layer_norm: Final = _kernel("layer_norm", normalization, loops, "gamma over the normalized dimensions")
layer_norm_grad: Final = _kernel("layer_norm_grad", normalization, loops, "gamma over the normalized dimensions")
batch_norm: Final = _kernel("batch_norm", normalization, loops, "training")
batch_norm_grad: Final = _kernel("batch_norm_grad", normalization, loops, "training")
lstm: Final = _kernel("lstm", recurrent, loops, "whole sequences")
lstm_grad: Final = _kernel("lstm_grad", recurrent, loops, "whole sequences")
gru: Final = _kernel("gru", recurrent, loops, "whole sequences")
gru_grad: Final = _kernel("gru_grad", recurrent, loops, "whole sequences")


class _Halves(Kernel):
    """The loops of numpy's own functions for Float16. They are replaced as a whole, so nothing calls this kernel."""

    def use(self, implementation: str, why: str) -> None:
        super().use(implementation, why)
        if self._chosen is None:
            halves.uninstall()
        else:
            halves.install()


_halves: Final = listed(
    _Halves(
        "halves",
        lambda xp: False,
        lambda: True,
        Source(halves.loops_version),
        "Float16 in numpy's arithmetic and comparisons, the same to the bit",
    )
)
if _halves.is_fast:
    halves.install()
