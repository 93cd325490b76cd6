"""Layer-wise adaptive rate scaling around another optimizer (You et al. 2017)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.common.validator import check_type
from framework.nn.optim.checks import check_flags, check_whole_parameters
from framework.nn.optim.optimizer import Optimizer
from framework.ops import functional as F  # noqa: N812

__all__ = ["LARS"]


def _adapted(parameter: Parameter) -> bool:
    """Whether the default filter scales a parameter's gradient."""
    return "LayerNorm" not in parameter.name and "bias" not in parameter.name


class LARS(Optimizer):
    """Another optimizer, with the gradient of each parameter scaled by the parameter's norm.

    scale = coefficient |w| / (|g| + d |w| + epsilon), with the other optimizer's weight decay d; with `use_clip`
    min(scale / learning rate, 1); 1 where a norm is 0. The other optimizer gets scale (g + d w) and applies no decay of
    its own.

    Args:
        optimizer: the other optimizer, whose weight decay this one takes over.
        epsilon: number added to the denominator.
        coefficient: length of a step relative to the norm of the parameter.
        use_clip: limit the scale by the learning rate.
        lars_filter: function that tells whether a parameter is scaled; by default those without "LayerNorm" and "bias"
            in their names.

    Example:
        >>> weight = ms.Parameter(Tensor([3.0, 4.0]), name="weight")
        >>> optimizer = nn.LARS(nn.SGD([weight], 1.0), coefficient=0.1)
        >>> _ = optimizer((Tensor([0.0, 100.0]),))
        >>> print(weight.asnumpy().round(3))
        [3.  3.5]

    """

    def __init__(
        self,
        optimizer: Optimizer,
        epsilon: float = 1e-5,
        coefficient: float = 0.001,
        use_clip: bool = False,
        lars_filter: Callable[[Parameter], bool] = _adapted,
    ) -> None:
        check_type("LARS: optimizer", optimizer, Optimizer)
        check_type("LARS: epsilon", epsilon, float)
        check_type("LARS: coefficient", coefficient, float)
        check_flags("LARS", use_clip=use_clip)
        check_whole_parameters("LARS")
        super().__init__(0.0, optimizer.parameters, 0.0, optimizer.loss_scale)
        self.is_group_lr, self.dynamic_lr = optimizer.is_group_lr, optimizer.dynamic_lr
        self.optimizer = optimizer
        self.rates, self.rate_numbers = optimizer.rates, optimizer.rate_numbers
        # A rate that depends on the step is a Cell, which cannot take the place of a Parameter.
        del self.learning_rate
        self.learning_rate = optimizer.learning_rate
        self.global_step = optimizer.global_step
        self.epsilon, self.coefficient, self.use_clip = float(epsilon), float(coefficient), use_clip
        self.scaled = tuple(bool(lars_filter(item)) for item in self.parameters)
        self.decays, self.decayed = optimizer.decays, optimizer.decayed
        self.dynamic_weight_decay, optimizer.dynamic_weight_decay = optimizer.dynamic_weight_decay, False
        # The gradients are prepared here, so the other optimizer must not prepare them again.
        optimizer.decays, optimizer.decayed = (0.0,) * self.param_count, (False,) * self.param_count
        optimizer.loss_scale = 1.0

    def construct(self, gradients: Sequence[Tensor]) -> Any:
        """Update the parameters; the gradients are in the order of the parameters."""
        gradients = self.prepared(gradients, (0.0,) * self.param_count)
        rates, decays = self.current_rates(), self.current_decays()
        out = []
        for i in range(self.param_count):
            weight, gradient, decay = self.parameters[i], gradients[i], decays[i]
            step = gradient + weight * decay if self.decayed[i] else gradient
            if self.scaled[i]:
                length, size = F.sqrt(F.sum(weight * weight)), F.sqrt(F.sum(gradient * gradient))
                scale = self.coefficient * length / (size + decay * length + self.epsilon)
                if self.use_clip:
                    scale = F.minimum(scale / rates[i], 1.0)
                nonzero = F.logical_and(length > 0.0, size > 0.0)
                step = step * F.select(nonzero, scale, F.ones_like(scale))
            out.append(step)
        return self.optimizer(tuple(out))
