"""Adam (Kingma and Ba 2015)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.nn.annotations import Decay, Rate
from framework.nn.optim.checks import check_betas, check_flags
from framework.nn.optim.optimizer import Optimizer
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812
from framework.ops.updates.adam_steps import ApplyAdamWithAmsgrad

__all__ = ["Adam", "AdamOffload", "LazyAdam"]


class Adam(Optimizer):
    """Adam (Kingma and Ba 2015): steps along running means of the gradient, scaled by the root of those of its square.

    m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g g; at step t the parameter changes by
    -learning_rate sqrt(1 - beta2^t) / (1 - beta1^t) m / (sqrt(v) + eps).

    Args:
        params: parameters, or groups of them; see `Optimizer`.
        learning_rate: a number, one number per step, or a Cell; see `Optimizer`.
        beta1: decay rate of m.
        beta2: decay rate of v.
        eps: number added to the root.
        use_locking: accepted for compatibility; has no effect.
        use_nesterov: use beta1 m + (1 - beta1) g in place of m.
        weight_decay: factor of the parameters that is added to the gradients.
        loss_scale: factor of the loss, by which the gradients are divided.
        use_amsgrad: scale by the root of the maximum of v so far (AMSGrad, Reddi et al. 2018).
        use_lazy: accepted for compatibility; MindSpore's lazy form differs only for sparse gradients, of which there
            are none here.
        use_offload: accepted for compatibility; the moments lie with the parameters.

    Example:
        >>> weight = ms.Parameter(Tensor([1.0, -1.0]), name="weight")
        >>> _ = nn.Adam([weight], 0.5)((Tensor([1.0, 1.0]),))
        >>> print(weight.asnumpy().round(3))
        [ 0.5 -1.5]

    """

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Rate = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: Decay = 0.0,
        loss_scale: float = 1.0,
        use_amsgrad: bool = False,
        use_lazy: bool = False,
        use_offload: bool = False,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_flags("Adam", use_locking=use_locking, use_nesterov=use_nesterov, use_amsgrad=use_amsgrad)
        check_flags("Adam", use_lazy=use_lazy, use_offload=use_offload)
        check_betas("Adam", beta1, beta2, eps)
        if use_lazy and use_offload:
            raise ValueError("For 'Adam', 'use_lazy' and 'use_offload' can not both be True")
        if use_amsgrad and (use_lazy or use_offload):
            raise ValueError("For lazy Adam and Adam with offload, there is no parameter named 'use_amsgrad'.")
        if use_amsgrad and use_nesterov:
            raise ValueError("Adam: use_amsgrad and use_nesterov cannot both be True")
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.beta1_power = Parameter(Tensor(1.0, mstype.float32), name="beta1_power", requires_grad=False)
        self.beta2_power = Parameter(Tensor(1.0, mstype.float32), name="beta2_power", requires_grad=False)
        self.moment1 = self.parameters.clone("moment1", init="zeros")
        self.moment2 = self.parameters.clone("moment2", init="zeros")
        self.use_locking, self.use_nesterov, self.use_amsgrad = use_locking, use_nesterov, use_amsgrad
        self.use_lazy, self.use_offload = use_lazy, use_offload
        if use_amsgrad:
            self.vhat = self.parameters.clone("vhat", init="zeros")
            self.amsgrad = ApplyAdamWithAmsgrad(use_locking)
        else:
            self.opt = P.Adam(use_locking, use_nesterov)

    def construct(self, gradients: Sequence[Tensor]) -> Tensor:
        """Update the parameters; the gradients are in the order of the parameters."""
        gradients = self.prepared(gradients)
        rates = self.current_rates()
        beta1_power = F.assign(self.beta1_power, self.beta1_power * self.beta1)
        beta2_power = F.assign(self.beta2_power, self.beta2_power * self.beta2)
        for i in range(self.param_count):
            powers, betas = (beta1_power, beta2_power), (self.beta1, self.beta2, self.eps)
            moments = (self.moment1[i], self.moment2[i])
            if self.use_amsgrad:
                self.amsgrad(self.parameters[i], *moments, self.vhat[i], *powers, rates[i], *betas, gradients[i])
            else:
                self.opt(self.parameters[i], *moments, *powers, rates[i], *betas, gradients[i])
        return self.step_done()


class LazyAdam(Adam):
    """Adam. MindSpore's lazy form differs only for sparse gradients, and gradients are dense here.

    Example:
        >>> weight = ms.Parameter(Tensor([1.0, -1.0]), name="weight")
        >>> _ = nn.LazyAdam([weight], 0.5)((Tensor([1.0, 1.0]),))
        >>> print(weight.asnumpy().round(3))
        [ 0.5 -1.5]

    """


class AdamOffload(Adam):
    """Adam. MindSpore's form keeps the moments on the host; here they lie with the parameters.

    Example:
        >>> weight = ms.Parameter(Tensor([1.0, -1.0]), name="weight")
        >>> _ = nn.AdamOffload([weight], 0.5)((Tensor([1.0, 1.0]),))
        >>> print(weight.asnumpy().round(3))
        [ 0.5 -1.5]

    """
