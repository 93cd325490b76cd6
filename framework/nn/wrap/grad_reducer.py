"""Data parallelism of training steps: gradients combined over ranks, and parameters that begin alike on all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from framework import context
from framework.common import dtype as mstype
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.communication import collectives
from framework.communication.data_parallel import check_device_num, gradient_ranks
from framework.communication.worlds import WORLD, group_size
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812
from framework.ops.operations import AllReduce

__all__ = ["DistributedGradReducer", "broadcast_parameters", "gradient_reducer"]

_HALVES = (mstype.float16, mstype.bfloat16)


class DistributedGradReducer(Cell):
    """The mean or the sum of gradients over the ranks of a training.

    Float16 and BFloat16 gradients are added up as Float32, unless
    `set_auto_parallel_context(gradient_fp32_sync=False)`.

    Args:
        parameters: the parameters of the gradients, in their order. Gradients of those with `layerwise_parallel` stay
            as they are.
        mean: whether to divide by the number of ranks; None for the setting `gradients_mean`.
        degree: the number of ranks; None for that of the group.
        fusion_type: accepted for compatibility; has no effect.
        group: the name of the group of ranks.

    Raises:
        ValueError: `degree` is not the number of ranks of the group.

    Inputs: a tuple of gradients, of one shape on all ranks. Output: a tuple of as many.

    Example:
        >>> reduce = nn.DistributedGradReducer([ms.Parameter(Tensor([1.0]), name="w")])
        >>> print(reduce((Tensor([0.5]),))[0])
        [0.5]

    """

    def __init__(
        self, parameters: Iterable[Parameter], mean: bool | None = None, degree: int | None = None,
        fusion_type: int = 1, group: str = WORLD,
    ) -> None:  # fmt: skip
        super().__init__(auto_prefix=False)
        ranks = group_size(group)
        if degree is not None and degree != ranks:
            have = "one rank runs" if ranks == 1 else f"{ranks} ranks run"
            raise ValueError(
                f"DistributedGradReducer: {have} in group {group!r}, so degree must be {ranks}, not {degree}: leave it "
                f"out, or start {degree} ranks with mindinsight run -n {degree} and call communication.init()"
            )
        self.mean = bool(context.get_auto_parallel_context("gradients_mean")) if mean is None else mean
        self.degree, self.fusion_type, self.group = ranks, fusion_type, group
        self.fp32_sync = bool(context.get_auto_parallel_context("gradient_fp32_sync"))
        self.all_reduce = AllReduce("sum", group)
        self.is_reduced = [not parameter.layerwise_parallel for parameter in parameters]
        self.count = len(self.is_reduced)

    def construct(self, grads: Sequence[Tensor]) -> Any:
        """Combine the gradients."""
        if self.degree == 1:
            return grads
        return tuple([self._combined(grads[i]) if self.is_reduced[i] else grads[i] for i in range(self.count)])

    def _combined(self, gradient: Tensor) -> Any:
        dtype = gradient.dtype
        if self.fp32_sync and dtype in _HALVES:
            gradient = F.cast(gradient, mstype.float32)
        total = self.all_reduce(gradient)
        if self.mean:
            total = total * (1.0 / self.degree)
        return F.cast(total, dtype)


def gradient_reducer(parameters: Sequence[Parameter]) -> DistributedGradReducer | None:
    """The reducer of a training step; None unless the training is data parallel.

    With the setting `parameter_broadcast`, the parameters get the values of rank 0.

    Raises:
        ValueError: the setting `device_num` is not the number of ranks.
        NotImplementedError: several ranks run in PyNative mode, and the parallel mode is one that cuts operators.
    """
    mode = context.get_auto_parallel_context("parallel_mode")
    if mode == context.ParallelMode.STAND_ALONE:
        return None
    check_device_num(context.get_auto_parallel_context("device_num"))
    if mode in (context.ParallelMode.SEMI_AUTO_PARALLEL, context.ParallelMode.AUTO_PARALLEL):
        if group_size() > 1 and context.get_context("mode") != context.GRAPH_MODE:
            raise NotImplementedError(
                f"parallel_mode={mode!r} cuts operators over ranks, which graph mode does: write "
                "set_context(mode=ms.GRAPH_MODE), or use ParallelMode.DATA_PARALLEL, which works in both modes"
            )
        return None
    if context.get_auto_parallel_context("parameter_broadcast"):
        broadcast_parameters(parameters)
    return DistributedGradReducer(parameters) if gradient_ranks() > 1 else None


def broadcast_parameters(parameters: Iterable[Parameter]) -> None:
    """Give parameters the values that they have on rank 0; every rank calls this."""
    if group_size() == 1:
        return
    for parameter in parameters:
        values = parameter.asnumpy()
        parameter.set_data(Tensor(collectives.broadcast(values, 0, WORLD), parameter.dtype))
