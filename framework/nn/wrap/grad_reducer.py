"""The reduction of gradients over processes before the optimizer's step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.nn.cell import Cell

__all__ = ["DistributedGradReducer"]


class DistributedGradReducer(Cell):
    """The mean or the sum of gradients over the processes of a training.

    There is one process, so the gradients stay as they are.

    Args:
        parameters: the parameters of the gradients.
        mean: accepted for compatibility; has no effect with one process.
        degree: number of processes, 1.
        fusion_type: accepted for compatibility; has no effect.
        group: accepted for compatibility; has no effect.

    Raises:
        NotImplementedError: `degree` is above 1.

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
            raise NotImplementedError(
                f"DistributedGradReducer: training runs in one process, so degree must be 1, not {degree}"
            )
        self.mean, self.degree, self.fusion_type, self.group = mean, degree, fusion_type, group
        self.count = len(tuple(parameters))

    def construct(self, grads: Sequence[Tensor]) -> Any:
        """Return the gradients."""
        return grads
