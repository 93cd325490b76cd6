"""Statistics of numpy arrays by PyTorch's vectorised operators, for `debugging.tensors.statistics.use_loops`.

Tensors are made over the arrays' memory, so nothing is copied. `mindinsight.torch.run` gives them when it attaches.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

__all__ = ["TorchLoops"]

_Array = np.ndarray[Any, Any]


class TorchLoops:
    """Implements `debugging.tensors.statistics.Loops` for float32 and float64."""

    def take(self, dtype: np.dtype[Any]) -> bool:
        """Whether there are loops for a dtype."""
        return dtype.char in "fd"

    def statistics(self, values: _Array) -> list[float]:
        """The twelve numbers of `Loops.statistics`."""
        with _plain():
            tensor = _tensor(values)
            total = float(tensor.sum(dtype=torch.float64)) if tensor.numel() else 0.0
            nans = up = down = 0
            if not math.isfinite(total):
                nans, up, down = (int(mask.sum()) for mask in (tensor.isnan(), tensor == math.inf, tensor == -math.inf))
                if nans or up or down:
                    tensor = tensor[tensor.isfinite()]
                    total = float(tensor.sum(dtype=torch.float64))
            if not tensor.numel():
                return [0, nans, up, down, 0, 0, 0.0, 0.0, 0.0, math.inf, -math.inf, math.inf]
            sizes = tensor.abs()
            low, high = (float(item) for item in torch.aminmax(tensor))
            zeros = tensor.numel() - int(torch.count_nonzero(tensor))
            negative = 0 if low >= 0 else int(torch.count_nonzero(tensor < 0))
            some = sizes if not zeros else torch.where(sizes > 0, sizes, math.inf)
            return [
                zeros, nans, up, down, negative, tensor.numel() - zeros - negative, total,
                float(sizes.sum(dtype=torch.float64)), float(_squares(tensor)), low, high, float(some.min()),
            ]  # fmt: skip

    def is_finite(self, values: _Array) -> bool:
        """Whether every element is finite. A finite sum says so; a sum that overflowed needs a second look."""
        with _plain():
            tensor = _tensor(values)
            return math.isfinite(float(tensor.sum())) or bool(tensor.isfinite().all())

    def zeros(self, values: _Array) -> int:
        """The number of zeros."""
        with _plain():
            return int(values.size) - int(torch.count_nonzero(_tensor(values)))

    def change(self, now: _Array, then: _Array, rtol: float, atol: float) -> list[float]:
        """The fields of `debugging.tensors.statistics.Change`."""
        with _plain():
            one, other = _tensor(now), _tensor(then)
            step, size = (one - other).abs(), other.abs()
            total, before = float(step.sum(dtype=torch.float64)), float(size.sum(dtype=torch.float64))
            both, odd = one.numel(), 0
            if not (math.isfinite(total) and math.isfinite(before)):
                known = one.isfinite() & other.isfinite()
                odd = int(torch.count_nonzero(one[~known] != other[~known]))
                # Wider: the difference of two finite numbers may overflow.
                size = other[known].double().abs()
                step = (one[known].double() - other[known].double()).abs()
                total, before, both = float(step.sum()), float(size.sum()), step.numel()
            apart = int(torch.count_nonzero(step > size.mul(rtol).add_(atol))) + odd
            return [total, before, both, apart]

    def within(self, values: _Array, low: float, high: float) -> int:
        """The number of elements between two numbers, both included."""
        with _plain():
            tensor = _tensor(values)
            return int(torch.count_nonzero((tensor >= low) & (tensor <= high)))

    def squares(self, values: _Array, mean: float) -> float:
        """The sum of squares of the distances of finite elements from a mean."""
        with _plain():
            tensor = _tensor(values).double()
            return float(_squares(tensor[tensor.isfinite()] - mean))


def _tensor(values: _Array) -> torch.Tensor:
    if not values.flags.writeable:
        # PyTorch warns of such arrays; nothing here writes.
        values = np.frombuffer(values, values.dtype) if values.size else values.copy()
        values = np.lib.stride_tricks.as_strided(values, writeable=True)
    return torch.from_numpy(values).reshape(-1)


def _squares(tensor: torch.Tensor) -> torch.Tensor:
    """The sum of squares in float64."""
    return torch.linalg.vector_norm(tensor, dtype=torch.float64).square()


def _plain() -> Any:
    """A context in which nothing is recorded for a gradient."""
    return torch.no_grad()
