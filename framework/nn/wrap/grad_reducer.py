"""Gradients of all processes brought together before the optimizer's step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.nn.cell import Cell

__all__ = ["DistributedGradReducer"]


class DistributedGradReducer(Cell):
    """The mean, or the sum, of gradients over the processes that train together; there is one, which keeps its own.

    Args:
        parameters: whose gradients come, one each.
        mean: recorded; a mean in place of a sum.
        degree: recorded; how many processes.
        fusion_type: recorded.
        group: recorded.

    Raises:
        NotImplementedError: `degree` is more than one process.

    Inputs: a tuple of gradients. Output: a tuple of as many.

    Example:
        >>> reduce = nn.DistributedGradReducer([ms.Parameter(Tensor([1.0]), name="w")])
        >>> print(reduce((Tensor([0.5]),))[0])
        [0.5]

    """

    def __init__(
        self, parameters: Iterable[Parameter], mean: bool | None = None, degree: int | None = None,
        fusion_type: int = 1, group: str = "world",
    ) -> None:  # fmt: skip
        super().__init__(auto_prefix=False)
        if degree is not None and degree != 1:
            raise NotImplementedError(f"DistributedGradReducer: there is one process, not {degree}")
        self.mean, self.degree, self.fusion_type, self.group = mean, degree, fusion_type, group
        self.count = len(tuple(parameters))

    def construct(self, grads: Sequence[Tensor]) -> Any:
        """The gradients."""
        return grads
