"""Cells around a network: with its loss, with its gradients, with a step of its optimizer."""

from __future__ import annotations

from typing import Any

from framework.ad import GradOperation, value_and_grad
from framework.common import dtype as mstype
from framework.common.parameter import ParameterTuple
from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.nn.optim.optimizer import Optimizer
from framework.ops import functional as F  # noqa: N812

__all__ = ["TrainOneStepCell", "WithEvalCell", "WithGradCell", "WithLossCell"]


class WithLossCell(Cell):
    """A network and its loss: from data and labels to the loss.

    Args:
        backbone: from data to what the loss compares.
        loss_fn: from that and labels to the loss.

    """

    def __init__(self, backbone: Cell, loss_fn: Cell) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._loss_fn = loss_fn

    def construct(self, data: Any, label: Any) -> Any:
        """The loss."""
        return self._loss_fn(self._backbone(data), label)

    @property
    def backbone_network(self) -> Cell:
        """The network."""
        return self._backbone


class WithEvalCell(Cell):
    """A network and its loss, for metrics: from data and labels to the loss, the outputs and the labels.

    Args:
        network: from data to outputs.
        loss_fn: from outputs and labels to the loss.
        add_cast_fp32: give the loss and the metrics outputs of type float32.

    """

    def __init__(self, network: Cell, loss_fn: Any, add_cast_fp32: bool = False) -> None:
        super().__init__(auto_prefix=False)
        self._network = network
        self._loss_fn = loss_fn
        self.add_cast_fp32 = add_cast_fp32

    def construct(self, data: Any, label: Any) -> Any:
        """The loss, the outputs and the labels."""
        outputs = self._network(data)
        if self.add_cast_fp32:
            outputs = F.cast(outputs, mstype.float32)
        return self._loss_fn(outputs, label), outputs, label


class WithGradCell(Cell):
    """A network's gradients by its trainable parameters.

    Args:
        network: the network.
        loss_fn: its loss; None where the network returns the loss itself.
        sens: the gradient with respect to the loss; 1 where it is left out.

    """

    def __init__(self, network: Cell, loss_fn: Cell | None = None, sens: Any = None) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self.loss_fn = loss_fn
        self.weights = ParameterTuple(network.trainable_params())
        self.network_with_loss = network if loss_fn is None else WithLossCell(network, loss_fn)
        self.network_with_loss.set_grad()
        self.has_sens = sens is not None
        self.sens = Tensor(1.0 if sens is None else sens)
        self.grad = GradOperation(get_by_list=True, sens_param=self.has_sens)(self.network_with_loss, self.weights)

    def construct(self, *inputs: Any) -> Any:
        """A tuple of one gradient per parameter."""
        if self.has_sens:
            return self.grad(*inputs, self.sens)
        return self.grad(*inputs)


class TrainOneStepCell(Cell):
    """One step of training: the loss, its gradients, the optimizer's step; returns the loss.

    Args:
        network: from inputs to the loss.
        optimizer: changes the parameters.
        sens: what gradients are multiplied by, the optimizer's loss scale.

    """

    def __init__(self, network: Cell, optimizer: Optimizer, sens: float | None = None) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self.sens = 1.0 if sens is None else float(sens)
        self.value_and_grad = value_and_grad(self.network, None, self.weights)

    def construct(self, *inputs: Any) -> Any:
        """The loss before the step."""
        loss, gradients = self.value_and_grad(*inputs)
        if self.sens != 1.0:
            gradients = tuple([gradient * self.sens for gradient in gradients])
        return F.depend(loss, self.optimizer(gradients))
