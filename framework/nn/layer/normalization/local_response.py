"""Local response normalization, as a Cell."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.ops import operations as P  # noqa: N812

__all__ = ["LRN", "LocalResponseNorm"]


class LRN(Cell):
    """x / (bias + alpha * sum of squares of neighbouring channels)^beta (Krizhevsky et al. 2012).

    Args:
        depth_radius: how many channels on both sides are neighbours.
        bias: what is added to the sum.
        alpha: by what the sum is multiplied.
        beta: the exponent.
        norm_region: "ACROSS_CHANNELS".

    Example:
        >>> x = Tensor(np.array([3.0, 4.0, 0.0], np.float32).reshape(1, 3, 1, 1))
        >>> print(nn.LRN(1, 0.0)(x).asnumpy().ravel().round(3))
        [0.6 0.8 0. ]

    """

    def __init__(
        self,
        depth_radius: int = 5,
        bias: float = 1.0,
        alpha: float = 1.0,
        beta: float = 0.5,
        norm_region: str = "ACROSS_CHANNELS",
    ) -> None:
        super().__init__()
        self.local_response_norm = P.LRN(depth_radius, bias, alpha, beta, norm_region)

    def construct(self, input_x: Tensor) -> Any:
        """Of images (N, C, H, W)."""
        return self.local_response_norm(input_x)


LocalResponseNorm = LRN
