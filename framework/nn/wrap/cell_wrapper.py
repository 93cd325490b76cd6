"""Cells around a network that add its loss, its gradients, or an optimizer's step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from framework import context
from framework.ad import GradOperation, value_and_grad
from framework.common import dtype as mstype
from framework.common.parameter import Parameter, ParameterTuple
from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.nn.layer.basic import Identity
from framework.nn.optim.optimizer import Optimizer
from framework.nn.wrap.grad_reducer import gradient_reducer
from framework.ops import functional as F  # noqa: N812
from framework.ops.primitive import Primitive

__all__ = [
    "ForwardValueAndGrad",
    "ParameterUpdate",
    "TimeDistributed",
    "TrainOneStepCell",
    "WithEvalCell",
    "WithGradCell",
    "WithLossCell",
]


class WithLossCell(Cell):
    """A network with its loss: from data and labels to the loss.

    Args:
        backbone: the network, from data to outputs.
        loss_fn: the loss, from outputs and labels.

    Example:
        >>> net = nn.Dense(2, 1, weight_init="ones", has_bias=False)
        >>> print(nn.WithLossCell(net, nn.MSELoss())(Tensor([[1.0, 2.0]]), Tensor([[1.0]])))
        4.0

    """

    def __init__(self, backbone: Cell, loss_fn: Cell) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._loss_fn = loss_fn

    def construct(self, data: Tensor, label: Tensor) -> Any:
        """Compute the loss."""
        return self._loss_fn(self._backbone(data), label)

    @property
    def backbone_network(self) -> Cell:
        """The network without its loss."""
        return self._backbone


class WithEvalCell(Cell):
    """A network with its loss, for metrics: from data and labels to the loss, the outputs and the labels.

    Args:
        network: from data to outputs.
        loss_fn: from outputs and labels to the loss.
        add_cast_fp32: cast the outputs to float32 before the loss and the metrics.

    Example:
        >>> net = nn.Dense(2, 1, weight_init="ones", has_bias=False)
        >>> loss, outputs, labels = nn.WithEvalCell(net, nn.MSELoss())(Tensor([[1.0, 2.0]]), Tensor([[1.0]]))
        >>> print(loss, outputs, labels)
        4.0 [[3.]] [[1.]]

    """

    def __init__(self, network: Cell, loss_fn: Any, add_cast_fp32: bool = False) -> None:
        super().__init__(auto_prefix=False)
        self._network = network
        self._loss_fn = loss_fn
        self.add_cast_fp32 = add_cast_fp32

    def construct(self, data: Tensor, label: Tensor) -> tuple[Tensor, ...]:
        """Compute the loss, the outputs and the labels."""
        outputs = self._network(data)
        if self.add_cast_fp32:
            outputs = F.cast(outputs, mstype.float32)
        return self._loss_fn(outputs, label), outputs, label


class WithGradCell(Cell):
    """The gradients of a network with respect to its trainable parameters.

    Args:
        network: the network.
        loss_fn: its loss; None if the network returns the loss itself.
        sens: the gradient with respect to the loss; None for 1.

    Example:
        >>> net = nn.Dense(2, 1, weight_init="ones", has_bias=False)
        >>> print(nn.WithGradCell(net, nn.MSELoss())(Tensor([[1.0, 2.0]]), Tensor([[1.0]]))[0])
        [[4. 8.]]

    """

    def __init__(self, network: Cell, loss_fn: Cell | None = None, sens: Tensor | float | None = None) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self.loss_fn = loss_fn
        self.weights = ParameterTuple(network.trainable_params())
        self.network_with_loss = network if loss_fn is None else WithLossCell(network, loss_fn)
        self.network_with_loss.set_grad()
        self.has_sens = sens is not None
        self.sens = Tensor(1.0 if sens is None else sens)
        self.grad = GradOperation(get_by_list=True, sens_param=self.has_sens)(self.network_with_loss, self.weights)

    def construct(self, *inputs: Tensor) -> Any:
        """Compute a tuple of one gradient per parameter."""
        if self.has_sens:
            return self.grad(*inputs, self.sens)
        return self.grad(*inputs)


class TrainOneStepCell(Cell):
    """One training step: the loss, its gradients, and the optimizer's update. It returns the loss.

    In a data parallel training (`set_auto_parallel_context`) the optimizer gets the gradients of all ranks, combined;
    the loss is that of this rank's data.

    Args:
        network: from inputs to the loss.
        optimizer: the optimizer.
        sens: the gradient with respect to the loss, which is the loss scale; None for that of the optimizer.
        return_grad: return the loss, and a dictionary of the gradients by the names of their parameters.

    Example:
        >>> net = nn.Dense(2, 1, weight_init="ones")
        >>> step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD([net.weight], 0.1))
        >>> x, y = Tensor([[1.0, 0.0]]), Tensor([[0.0]])
        >>> print(float(step(x, y)) > float(step(x, y)))
        True

    """

    def __init__(
        self, network: Cell, optimizer: Optimizer, sens: float | None = None, return_grad: bool = False
    ) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self.sense_flag = sens is not None
        self.sens = 1.0 if sens is None else float(sens)
        self.return_grad = return_grad
        if return_grad:
            self.weights_name = [item.name for item in self.weights]
        self.value_and_grad = value_and_grad(self.network, None, self.weights)
        # A subclass with its own construct builds its step from these, as in MindSpore.
        self.grad = GradOperation(get_by_list=True, sens_param=True)
        self.grad_no_sens = GradOperation(get_by_list=True)
        reducer = gradient_reducer(self.weights)
        self.grad_reducer: Any = Identity() if reducer is None else reducer
        self.reducer_flag = reducer is not None
        self.parallel_mode = context.get_auto_parallel_context("parallel_mode")

    def construct(self, *inputs: Tensor) -> Any:
        """Run one step and return the loss before it."""
        loss, gradients = self.value_and_grad(*inputs)
        if self.sens != 1.0:
            gradients = tuple([gradient * self.sens for gradient in gradients])
        if self.reducer_flag:
            gradients = self.grad_reducer(gradients)
        loss = F.depend(loss, self.optimizer(gradients))
        if self.return_grad:
            return loss, {name: gradients[i] for i, name in enumerate(self.weights_name)}
        return loss


class ForwardValueAndGrad(Cell):
    """A network's output and its gradients.

    Args:
        network: a Cell or function, from inputs to the loss.
        weights: the parameters to differentiate by, if `get_by_list`.
        get_all: differentiate by all inputs; otherwise, and without `get_by_list`, by the first.
        get_by_list: differentiate by `weights`.
        sens_param: the last input is the gradient with respect to the output.

    Inputs: those of the network, then the gradient with respect to the output if `sens_param`.
    Output: the network's output, and the gradients: by inputs, by weights, or a tuple of both.

    Example:
        >>> net = nn.Dense(2, 1, weight_init="ones", has_bias=False)
        >>> value, grads = nn.ForwardValueAndGrad(net, net.trainable_params(), get_by_list=True)(Tensor([[1.0, 2.0]]))
        >>> print(value, grads[0])
        [[3.]] [[1. 2.]]

    """

    def __init__(
        self, network: Callable[..., Any], weights: Any = None, get_all: bool = False, get_by_list: bool = False,
        sens_param: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(auto_prefix=False)
        self.network = network
        self.weights = ParameterTuple(weights) if get_by_list else None
        self.sens_param = sens_param
        self.gradients = GradOperation(get_all=get_all, get_by_list=get_by_list, sens_param=sens_param)

    def construct(self, *inputs: Tensor) -> Any:
        """Compute the output and the gradients."""
        network_inputs = inputs[:-1] if self.sens_param else inputs
        output = self.network(*network_inputs)
        if self.weights is None:
            return output, self.gradients(self.network)(*inputs)
        return output, self.gradients(self.network, self.weights)(*inputs)


class ParameterUpdate(Cell):
    """Assigns its input to a parameter.

    Args:
        param: the parameter.

    Input: a tensor of the shape and element type of the parameter. Output: the new value.

    Example:
        >>> w = ms.Parameter(Tensor([1.0, 2.0]), name="w")
        >>> print(nn.ParameterUpdate(w)(Tensor([3.0, 4.0])), w.asnumpy())
        [3. 4.] [3. 4.]

    """

    def __init__(self, param: Any) -> None:
        super().__init__(auto_prefix=False)
        if not isinstance(param, Parameter):
            raise TypeError(f"param must be a Parameter, not {type(param).__name__}")
        self._param = param

    def construct(self, x: Tensor) -> Any:
        """Assign x to the parameter and return it."""
        return F.assign(self._param, x)


class TimeDistributed(Cell):
    """A layer applied to each slice along a dimension.

    Args:
        layer: a Cell or a function.
        time_axis: dimension of the slices, in the input and the output.
        reshape_with_axis: accepted for compatibility; MindSpore then runs all slices as one batch.

    Input: a tensor (N, T, ...). Output: a tensor (N, T, ...).

    Example:
        >>> layer = nn.TimeDistributed(nn.Dense(3, 4), time_axis=1)
        >>> print(layer(ops.ones((2, 5, 3))).shape)
        (2, 5, 4)

    """

    def __init__(self, layer: Cell, time_axis: int, reshape_with_axis: int | None = None) -> None:
        super().__init__()
        if not isinstance(layer, Cell | Primitive):
            raise TypeError(f"layer must be a Cell or a Primitive, not {type(layer).__name__}")
        self.layer = layer
        self.time_axis = time_axis
        self.reshape_with_axis = reshape_with_axis

    def construct(self, inputs: Tensor) -> Any:
        """Apply the layer to all slices."""
        return F.stack([self.layer(part) for part in F.unbind(inputs, self.time_axis)], self.time_axis)


class _VirtualDatasetCell(Cell):
    """A network that takes its inputs from a data set that is spread over devices; on one device the network itself.

    Args:
        backbone: the network.

    """

    def __init__(self, backbone: Cell) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, *inputs: Any) -> Any:
        """The outputs of the network."""
        return self._backbone(*inputs)
