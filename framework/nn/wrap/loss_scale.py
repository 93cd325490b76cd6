"""Training steps with a loss scale (Micikevicius et al., Mixed Precision Training, 2018).

The loss is multiplied by the scale before differentiation, and the gradients are divided by it. If gradients overflow,
the parameters stay as they are. A dynamic scale is then reduced, and raised after a number of steps without overflow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from framework.ad import value_and_grad
from framework.common import dtype as mstype
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.communication.data_parallel import ranks_of_cut_operators
from framework.nn.cell import Cell
from framework.nn.optim.optimizer import Optimizer
from framework.nn.wrap.cell_wrapper import TrainOneStepCell
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812
from framework.ops.multitype import HyperMap

__all__ = ["DynamicLossScaleUpdateCell", "FixedLossScaleUpdateCell", "TrainOneStepWithLossScaleCell"]


class DynamicLossScaleUpdateCell(Cell):
    """A dynamic loss scale: smaller after an overflow, larger after a number of steps without one.

    Args:
        loss_scale_value: initial scale.
        scale_factor: factor of each change of the scale.
        scale_window: number of steps without overflow after which the scale grows.

    Example:
        >>> update = nn.DynamicLossScaleUpdateCell(1024.0, 2, 1000)
        >>> scale = ms.Parameter(Tensor(1024.0), name="scale")
        >>> _ = update(scale, Tensor(True))
        >>> print(scale.asnumpy())
        512.0

    """

    def __init__(self, loss_scale_value: float, scale_factor: int, scale_window: int) -> None:
        super().__init__()
        self.loss_scale_value = float(loss_scale_value)
        self.scale_factor = float(scale_factor)
        self.scale_window = int(scale_window)
        self.cur_iter = Parameter(Tensor(1, mstype.int32), name="current_iterator_step", requires_grad=False)
        self.last_overflow_iter = Parameter(
            Tensor(0, mstype.int32), name="last_overflow_iterator_step", requires_grad=False
        )

    def get_loss_scale(self) -> float:
        """The initial scale."""
        return self.loss_scale_value

    def construct(self, loss_scale: Tensor, overflow: Tensor) -> Tensor:
        """Update the Parameter `loss_scale` by whether this step overflowed.

        Args:
            loss_scale: the scale, a Parameter.
            overflow: whether the gradients overflowed, a Bool tensor.

        Returns:
            `overflow`.
        """
        lowered = F.select(overflow, F.maximum(loss_scale / self.scale_factor, 1.0), loss_scale)
        long_enough = self.cur_iter - self.last_overflow_iter >= self.scale_window
        raised = F.select(F.logical_and(long_enough, F.logical_not(overflow)), lowered * self.scale_factor, lowered)
        begins_anew = F.logical_or(overflow, long_enough)
        F.assign(self.last_overflow_iter, F.select(begins_anew, self.cur_iter, self.last_overflow_iter))
        F.assign(loss_scale, raised)
        F.assign_add(self.cur_iter, 1)
        return overflow


class FixedLossScaleUpdateCell(Cell):
    """A fixed loss scale.

    Args:
        loss_scale_value: the scale.

    Example:
        >>> print(nn.FixedLossScaleUpdateCell(1024.0).get_loss_scale())
        1024.0

    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        self.loss_scale_value = float(loss_scale_value)

    def get_loss_scale(self) -> float:
        """The scale."""
        return self.loss_scale_value

    def construct(self, _: Tensor, overflow: Tensor) -> Tensor:
        """Return `overflow`; the scale stays the same."""
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """One training step with a loss scale. A step whose gradients overflow changes no parameter.

    Args:
        network: from inputs to the loss.
        optimizer: the optimizer.
        scale_sense: a Cell that updates the scale, such as `DynamicLossScaleUpdateCell`; or a fixed scale, a number or
            a tensor of shape () or (1,).

    Raises:
        TypeError: `scale_sense` is of another type.

    Example:
        >>> net = nn.Dense(2, 1)
        >>> optimizer = nn.SGD(net.trainable_params(), 0.1)
        >>> step = nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, nn.MSELoss()), optimizer, Tensor(1024.0))
        >>> loss, overflow, scale = step(ops.ones((4, 2)), ops.zeros((4, 1)))
        >>> print(overflow, scale)
        False 1024.0

    """

    def __init__(self, network: Cell, optimizer: Optimizer, scale_sense: Tensor | Cell | float) -> None:
        super().__init__(network, optimizer)
        self.value_and_grad = value_and_grad(self.scaled, None, self.weights, has_aux=True)
        # A subclass with its own construct builds its step from these, as in MindSpore.
        self.hyper_map = HyperMap()
        self.base, self.base0 = Tensor(1, mstype.float32), Tensor(0, mstype.int32)
        self.reduce_sum, self.reduce_all = P.ReduceSum(keep_dims=False), P.ReduceAll(keep_dims=False)
        self.less_equal, self.equal, self.logic_not = P.LessEqual(), P.Equal(), P.LogicalNot()
        self.is_distributed, self.gpu_target = self.reducer_flag, False
        self.any_rank = P.AllReduce("max")
        self.gradients_are_parts = ranks_of_cut_operators() > 1
        self._status = Tensor(np.zeros(8, np.int32))
        self.loss_scaling_manager: Cell | None = None
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            value = scale_sense.get_loss_scale()
        elif isinstance(scale_sense, Tensor | int | float):
            value = float(scale_sense.asnumpy().reshape(()) if isinstance(scale_sense, Tensor) else scale_sense)
        else:
            raise TypeError(f"scale_sense must be a Cell, a tensor or a number, not {type(scale_sense).__name__}")
        self.scale_sense = Parameter(Tensor(value, mstype.float32), name="scale_sense", requires_grad=False)
        self.is_finite = P.IsFinite()

    def set_sense_scale(self, sens: Tensor | float) -> None:
        """Set the scale.

        Args:
            sens: the scale, a number or a tensor.
        """
        self.scale_sense.set_data(Tensor(sens, mstype.float32).reshape(()))

    def scaled(self, scale: Tensor, *inputs: Tensor) -> Any:
        """Compute the loss times the scale, and the loss."""
        loss = self.network(*inputs)
        return loss * F.cast(scale, loss.dtype), loss

    def overflowed(self, gradients: Sequence[Tensor]) -> Any:
        """Whether any gradient is NaN or infinite, a Bool tensor of shape ()."""
        finite = self.is_finite(gradients[0]).all()
        for gradient in gradients[1:]:
            finite = F.logical_and(finite, self.is_finite(gradient).all())
        return F.logical_not(finite)

    def start_overflow_check(self, pre_cond: Any, compute_input: Any) -> tuple[Tensor, Any]:
        """Begin to watch for an overflow, for subclasses with their own step.

        Args:
            pre_cond: what is computed before, such as the loss.
            compute_input: the input of what is watched, such as the loss scale.

        Returns:
            The first argument of `get_overflow_status`, and `compute_input`.
        """
        return self._status, compute_input

    def get_overflow_status(self, status: Tensor, compute_output: Any) -> Any:
        """Whether an overflow has happened.

        Args:
            status: what `start_overflow_check` has returned.
            compute_output: a tensor or a tuple of tensors, such as the gradients.

        Returns:
            Whether any element is NaN or infinite, on any rank of a data parallel training; a Bool tensor of shape ().
        """
        found = self.overflowed([compute_output] if isinstance(compute_output, Tensor) else compute_output)
        if self.is_distributed:
            # Gradients may not be combined yet; all ranks must agree whether to make the step.
            return F.cast(self.any_rank(F.cast(found, mstype.int32)), mstype.bool_)
        return found

    def process_loss_scale(self, overflow: Tensor) -> Any:
        """Update the loss scale by whether the gradients overflowed; a fixed one stays as it is.

        Args:
            overflow: whether they overflowed, a Bool tensor.

        Returns:
            `overflow`.
        """
        if self.loss_scaling_manager is not None:
            return self.loss_scaling_manager(self.scale_sense, overflow)
        return overflow

    def construct(self, *inputs: Tensor) -> Any:
        """Run one step.

        Args:
            inputs: the inputs of the network.

        Returns:
            The loss before the step, whether gradients overflowed, and the scale that they had.
        """
        scale = self.scale_sense * 1.0
        (_, loss), scaled = self.value_and_grad(scale, *inputs)
        gradients = tuple([gradient / F.cast(scale, gradient.dtype) for gradient in scaled])
        if self.reducer_flag:
            # An element that overflows on one rank does so in the sum, so all ranks see the same.
            gradients = self.grad_reducer(gradients)
        overflow = self.overflowed(gradients)
        if self.gradients_are_parts:
            # Each rank sees its parts of the gradients.
            overflow = F.cast(self.any_rank(F.cast(overflow, mstype.float32)), mstype.bool_)
        overflow = self.process_loss_scale(overflow)
        if not overflow:
            loss = F.depend(loss, self.optimizer(gradients))
        return loss, overflow, scale
