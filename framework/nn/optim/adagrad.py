"""Adagrad (Duchi et al. 2011) and its proximal form (Duchi and Singer 2009)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from framework.nn.optim.optimizer import Optimizer
from framework.ops.updates.adaptive_steps import ApplyAdagrad, ApplyProximalAdagrad

__all__ = ["Adagrad", "ProximalAdagrad"]


class Adagrad(Optimizer):
    """accum += gradient^2; parameter -= learning_rate * gradient / sqrt(accum).

    Args:
        params: the parameters, or groups of them (`Optimizer`).
        accum: what the sum of squares starts from, at least 0.
        learning_rate: a number, one per step, or a Cell (`Optimizer`).
        update_slots: whether accum changes.
        loss_scale: what gradients are divided by.
        weight_decay: times the parameters, added to the gradients.

    Example:
        >>> weight = ms.Parameter(Tensor([1.0, -1.0]), name="weight")
        >>> _ = nn.Adagrad([weight], learning_rate=0.5)((Tensor([1.0, 1.0]),))
        >>> print(weight.asnumpy().round(3))
        [ 0.523 -1.477]

    """

    def __init__(
        self,
        params: Iterable[Any],
        accum: float = 0.1,
        learning_rate: Any = 0.001,
        update_slots: bool = True,
        loss_scale: float = 1.0,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if accum < 0:
            raise ValueError(f"Adagrad: accum must be at least 0, not {accum}")
        self.accum = self.parameters.clone("accum", init=accum)
        self.opt = ApplyAdagrad(update_slots)

    def construct(self, gradients: Any) -> Any:
        """One step; gradients in the order of the parameters."""
        gradients = self.prepared(gradients)
        rates = self.current_rates()
        for i in range(self.param_count):
            self.opt(self.parameters[i], self.accum[i], rates[i], gradients[i])
        return self.step_done()


class ProximalAdagrad(Optimizer):
    """Adagrad that pulls parameters to 0 by l1 and l2, with the rate learning_rate / sqrt(accum).

    With p the parameter after Adagrad's step, it becomes sign(p) * max(|p| - rate * l1, 0) / (1 + rate * l2).

    Args:
        params: the parameters, or groups of them (`Optimizer`).
        accum: what the sum of squares starts from, at least 0.
        learning_rate: a number, one per step, or a Cell (`Optimizer`).
        l1: at least 0.
        l2: at least 0.
        use_locking: recorded.
        loss_scale: what gradients are divided by.
        weight_decay: times the parameters, added to the gradients.

    Example:
        >>> weight = ms.Parameter(Tensor([1.0, -1.0]), name="weight")
        >>> _ = nn.ProximalAdagrad([weight], learning_rate=0.5)((Tensor([1.0, 1.0]),))
        >>> print(weight.asnumpy().round(3))
        [ 0.523 -1.477]

    """

    def __init__(
        self,
        params: Iterable[Any],
        accum: float = 0.1,
        learning_rate: Any = 0.001,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if min(accum, l1, l2) < 0:
            raise ValueError(f"ProximalAdagrad: accum, l1 and l2 must be at least 0, not {accum}, {l1} and {l2}")
        self.l1, self.l2 = float(l1), float(l2)
        self.accum = self.parameters.clone("accum", init=accum)
        self.opt = ApplyProximalAdagrad(use_locking)

    def construct(self, gradients: Any) -> Any:
        """One step; gradients in the order of the parameters."""
        gradients = self.prepared(gradients)
        rates = self.current_rates()
        for i in range(self.param_count):
            self.opt(self.parameters[i], self.accum[i], rates[i], self.l1, self.l2, gradients[i])
        return self.step_done()
