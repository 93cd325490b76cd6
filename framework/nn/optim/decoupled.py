"""Optimizers with decoupled weight decay: AdamWeightDecay and Lamb."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from framework.common.tensor import Tensor
from framework.nn.annotations import Decay, Rate
from framework.nn.optim.checks import check_betas, check_whole_parameters
from framework.nn.optim.optimizer import Optimizer
from framework.ops import functional as F  # noqa: N812
from framework.ops.updates import adam_steps

__all__ = ["AdamWeightDecay", "Lamb"]


class _Decoupled(Optimizer):
    """Base class of optimizers with Adam's means and a weight decay that is not part of the gradient."""

    def __init__(
        self, params: Iterable[Any], learning_rate: Rate, beta1: float, beta2: float, eps: float, weight_decay: Decay
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        check_betas(type(self).__name__, beta1, beta2, eps)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.no_decay = (0.0,) * self.param_count


class AdamWeightDecay(_Decoupled):
    """Adam with decoupled weight decay (Loshchilov and Hutter 2019), without bias correction as in BERT.

    m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g g; the parameter changes by
    -learning_rate (m / (sqrt(v) + eps) + weight_decay parameter) (Devlin et al. 2019).

    Args:
        params: parameters, or groups of them; see `Optimizer`.
        learning_rate: a number, one number per step, or a Cell; see `Optimizer`.
        beta1: decay rate of m.
        beta2: decay rate of v.
        eps: number added to the root.
        weight_decay: factor of the parameters in the step, apart from the gradients.

    Example:
        >>> weight = ms.Parameter(Tensor([1.0, -1.0]), name="weight")
        >>> _ = nn.AdamWeightDecay([weight], 0.1, weight_decay=0.5)((Tensor([1.0, 1.0]),))
        >>> print(weight.asnumpy().round(3))
        [ 0.634 -1.266]

    """

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Rate = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: Decay = 0.0,
    ) -> None:
        super().__init__(params, learning_rate, beta1, beta2, eps, weight_decay)
        self.moments1 = self.parameters.clone("adam_m", init="zeros")
        self.moments2 = self.parameters.clone("adam_v", init="zeros")
        self.opt = adam_steps.AdamWeightDecay()

    def construct(self, gradients: Sequence[Tensor]) -> Tensor:
        """Update the parameters; the gradients are in the order of the parameters."""
        gradients = self.prepared(gradients, self.no_decay)
        rates, decays = self.current_rates(), self.current_decays()
        for i in range(self.param_count):
            self.opt(
                self.parameters[i],
                self.moments1[i],
                self.moments2[i],
                rates[i],
                self.beta1,
                self.beta2,
                self.eps,
                decays[i],
                gradients[i],
            )
        return self.step_done()


class Lamb(_Decoupled):
    """Layer-wise adaptive moments (You et al. 2020): Adam's steps, scaled to the norm of the parameter.

    With m and v as in Adam, r = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps) + weight_decay parameter; the
    parameter changes by -learning_rate |parameter| / |r| r.

    Args:
        params: parameters, or groups of them; see `Optimizer`.
        learning_rate: a number, one number per step, or a Cell; see `Optimizer`.
        beta1: decay rate of m.
        beta2: decay rate of v.
        eps: number added to the root.
        weight_decay: factor of the parameters in the step, apart from the gradients.

    Example:
        >>> weight = ms.Parameter(Tensor([3.0, 4.0]), name="weight")
        >>> _ = nn.Lamb([weight], 0.1)((Tensor([1.0, 1.0]),))
        >>> print(weight.asnumpy().round(3))
        [2.646 3.646]

    """

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Rate,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: Decay = 0.0,
    ) -> None:
        check_whole_parameters("Lamb")
        super().__init__(params, learning_rate, beta1, beta2, eps, weight_decay)
        self.moments1 = self.parameters.clone("lamb_m", init="zeros")
        self.moments2 = self.parameters.clone("lamb_v", init="zeros")
        self.opt = adam_steps.Lamb()

    def construct(self, gradients: Sequence[Tensor]) -> Tensor:
        """Update the parameters; the gradients are in the order of the parameters."""
        gradients = self.prepared(gradients, self.no_decay)
        rates, decays = self.current_rates(), self.current_decays()
        step = F.reshape(self.global_step + 1, ())
        for i in range(self.param_count):
            self.opt(
                self.parameters[i],
                self.moments1[i],
                self.moments2[i],
                rates[i],
                self.beta1,
                self.beta2,
                self.eps,
                decays[i],
                step,
                gradients[i],
            )
        return self.step_done()
