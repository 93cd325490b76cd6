"""Local response normalization."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.ops import operations as P  # noqa: N812

__all__ = ["LRN", "LocalResponseNorm"]


class LRN(Cell):
    """Local response normalization (Krizhevsky et al. 2012): x / (bias + alpha * sum of squares)^beta.

    The sum goes over the channels that are at most `depth_radius` away.

    Args:
        depth_radius: number of neighbouring channels on each side.
        bias: number added to the sum.
        alpha: factor of the sum.
        beta: exponent.
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
        """Normalize images (N, C, H, W)."""
        return self.local_response_norm(input_x)


LocalResponseNorm = LRN
