"""MindInsight's nine conditions on dumped tensors: `Watchpoint`, its hits, and the classes of conditions.

`analyzer.py` checks them; `debugging/watch/conditions.py` measures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from debugging.dumps.dump import DumpError
from debugging.dumps.tensors import DebuggerTensor
from debugging.watch.conditions import CONDITIONS, Measured, Observed, settings_of
from debugging.watch.problems import WatchError
from summaries.schema import debugger_pb2 as wire

__all__ = [
    "ConditionBase", "OperatorOverflowCondition", "TensorAllZeroCondition", "TensorChangeAboveThresholdCondition",
    "TensorChangeBelowThresholdCondition", "TensorOverflowCondition", "TensorRangeCondition", "TensorTooLargeCondition",
    "TensorTooSmallCondition", "TensorUnchangedCondition", "Watchpoint", "WatchpointHit", "hit_of",
]  # fmt: skip


class ConditionBase:
    """A condition with its thresholds; one that is None is not checked.

    Attributes:
        name: Its name.
        thresholds: By the names of arguments.

    Raises:
        DumpError: A threshold is no number, or none is given where one is needed.
    """

    measured_by: ClassVar[str] = ""

    def __init__(self, **thresholds: float | None) -> None:
        self.name = type(self).__name__.removesuffix("Condition")
        self.thresholds = {name: value for name, value in thresholds.items() if value is not None}
        condition = CONDITIONS[self.measured_by]
        given = [
            wire.Setting(name=setting.name, enabled=False)
            for setting in condition.settings
            if setting.name not in self.thresholds and not setting.hidden
        ]
        try:
            given += [wire.Setting(name=name, enabled=True, value=value) for name, value in self.thresholds.items()]
            self.values = settings_of(condition, given)
        except (WatchError, TypeError) as error:
            raise DumpError(f"{type(self).__name__}: {error}") from error

    @property
    def param_names(self) -> list[str]:
        """The names of its thresholds."""
        return list(self.thresholds)

    def measure(self, seen: Observed) -> list[Measured]:
        """What it measures of a tensor."""
        return list(CONDITIONS[self.measured_by].measure(seen, self.values))


class TensorTooLargeCondition(ConditionBase):
    """A tensor's mean of absolute values, largest or smallest element or mean is above a threshold."""

    measured_by = "tensor_too_large"

    def __init__(
        self, abs_mean_gt: float | None = None, max_gt: float | None = None, min_gt: float | None = None,
        mean_gt: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__(abs_mean_gt=abs_mean_gt, max_gt=max_gt, min_gt=min_gt, mean_gt=mean_gt)


class TensorTooSmallCondition(ConditionBase):
    """A tensor's mean of absolute values, largest or smallest element or mean is below a threshold."""

    measured_by = "tensor_too_small"

    def __init__(
        self, abs_mean_lt: float | None = None, max_lt: float | None = None, min_lt: float | None = None,
        mean_lt: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__(abs_mean_lt=abs_mean_lt, max_lt=max_lt, min_lt=min_lt, mean_lt=mean_lt)


class TensorRangeCondition(ConditionBase):
    """The percentage of elements within a range, or the width of all elements, is beyond a threshold."""

    measured_by = "tensor_range"

    def __init__(
        self, range_start_inclusive: float | None = None, range_end_inclusive: float | None = None,
        range_percentage_lt: float | None = None, range_percentage_gt: float | None = None,
        max_min_lt: float | None = None, max_min_gt: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            range_start_inclusive=range_start_inclusive, range_end_inclusive=range_end_inclusive,
            range_percentage_lt=range_percentage_lt, range_percentage_gt=range_percentage_gt, max_min_lt=max_min_lt,
            max_min_gt=max_min_gt,
        )  # fmt: skip


class TensorOverflowCondition(ConditionBase):
    """A tensor has NaN or infinite elements."""

    measured_by = "tensor_overflow"


class OperatorOverflowCondition(ConditionBase):
    """An operator made NaN or infinite elements although all its inputs are finite.

    MindInsight reads Ascend's own overflow files. Other devices write none, so elements are looked at here.
    """

    measured_by = "operator_overflow"


class TensorAllZeroCondition(ConditionBase):
    """The percentage of zeros reaches a threshold."""

    measured_by = "tensor_all_zero"

    def __init__(self, zero_percentage_ge: float) -> None:
        super().__init__(zero_percentage_ge=zero_percentage_ge)


class TensorUnchangedCondition(ConditionBase):
    """All elements are close to those of the iteration before: |x - y| <= atol + rtol |y|."""

    measured_by = "weight_not_changed"

    def __init__(self, rtol: float = 1e-5, atol: float = 1e-8) -> None:
        super().__init__(rtol=rtol, atol=atol)


class TensorChangeBelowThresholdCondition(ConditionBase):
    """mean |x - y| / (mean |y| + epsilon) to the iteration before is below a threshold."""

    measured_by = "weight_change_too_small"

    def __init__(self, abs_mean_update_ratio_lt: float, epsilon: float = 1e-9) -> None:
        super().__init__(abs_mean_update_ratio_lt=abs_mean_update_ratio_lt, epsilon=epsilon)


class TensorChangeAboveThresholdCondition(ConditionBase):
    """mean |x - y| / (mean |y| + epsilon) to the iteration before is above a threshold."""

    measured_by = "weight_change_too_large"

    def __init__(self, abs_mean_update_ratio_gt: float, epsilon: float = 1e-9) -> None:
        super().__init__(abs_mean_update_ratio_gt=abs_mean_update_ratio_gt, epsilon=epsilon)


class Watchpoint:
    """A condition on some tensors.

    Args:
        tensors: What `select_tensors` gave.
        condition: One of the nine.
    """

    def __init__(self, tensors: Iterable[DebuggerTensor], condition: ConditionBase) -> None:
        if not isinstance(condition, ConditionBase):
            raise DumpError(f"condition is a {type(condition).__name__}; give one of the nine conditions")
        self.tensors = list(tensors)
        for tensor in self.tensors:
            if not isinstance(tensor, DebuggerTensor):
                raise DumpError(f"tensors hold a {type(tensor).__name__}; give what select_tensors returned")
        self.condition = condition


class WatchpointHit:
    """A tensor for which a condition holds, or whose value could not be checked.

    Attributes:
        tensor: The tensor.
        error_code: 0; 1: it has no value; 2: it has no value in the iteration before.
        error_msg: The same as a sentence; empty if it was checked.
    """

    def __init__(
        self, tensor: DebuggerTensor, condition: ConditionBase, measured: list[Measured], error_code: int = 0,
        error_msg: str = "",
    ) -> None:  # fmt: skip
        self.tensor = tensor
        self.error_code = error_code
        self.error_msg = error_msg
        self._condition = condition
        self._measured = measured

    def get_threshold(self) -> ConditionBase:
        """The condition with its thresholds."""
        return self._condition

    def get_hit_detail(self) -> dict[str, float]:
        """The measured values by the names of thresholds; for overflows, numbers of elements by their kinds."""
        return {item.name: item.actual for item in self._measured}

    def __repr__(self) -> str:
        return f"WatchpointHit({self.tensor!r}, {self._condition.name}, {self.get_hit_detail() or self.error_msg})"


def hit_of(watchpoint: Watchpoint, tensor: DebuggerTensor, *, error_on_no_value: bool) -> WatchpointHit | None:
    """Check one tensor."""
    condition = watchpoint.condition
    array = tensor.value()
    if array is None:
        return WatchpointHit(tensor, condition, [], 1, "the tensor has no value") if error_on_no_value else None
    before: Any = None
    if CONDITIONS[condition.measured_by].from_before:
        before = tensor.at(tensor.iteration - 1).value()
        if before is None or before.shape != array.shape:
            message = "the tensor has no value of this shape in the iteration before"
            return WatchpointHit(tensor, condition, [], 2, message) if error_on_no_value else None
    if isinstance(condition, OperatorOverflowCondition):
        inputs = list(_inputs(tensor))
        if not inputs:
            message = "the inputs of the operator have no values"
            return WatchpointHit(tensor, condition, [], 1, message) if error_on_no_value else None
        measured = condition.measure(Observed(array, before, inputs))
    else:
        measured = condition.measure(Observed(array, before))
    return WatchpointHit(tensor, condition, measured) if any(item.hit for item in measured) else None


def _inputs(tensor: DebuggerTensor) -> Iterator[Any]:
    for read in tensor.node.get_input_tensors(iterations=[tensor.iteration]):
        array = read.value()
        if array is not None:
            yield array
