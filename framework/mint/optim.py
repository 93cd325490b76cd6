"""`mint.optim`: optimizers with PyTorch's argument names. Only `mint` imports this module.

Their groups are dictionaries in `param_groups`, with the learning rate as a Parameter that a schedule may assign.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.parameter import Parameter, ParameterTuple
from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812

__all__ = ["SGD", "Adam", "AdamW"]

Rate = float | Tensor


class Group(dict[str, Any]):
    """A parameter group with its settings. Its learning rate is a Parameter; setting the rate changes the Parameter's
    value."""

    def __setitem__(self, name: str, value: Any) -> None:
        """Change a setting."""
        if name == "lr" and isinstance(self.get("lr"), Parameter) and value is not self["lr"]:
            self["lr"].set_data(Tensor(float(value), mstype.float32))
        else:
            super().__setitem__(name, value)


class Optimizer(Cell):
    """Base class of the optimizers here; `optimizer(gradients)` updates the parameters.

    Args:
        params: parameters, or groups of them: dictionaries with `params` and settings for this group only.
        defaults: the settings of groups without their own.

    Raises:
        ValueError: there is no parameter, one is in two groups, or a setting is out of its range.
        TypeError: a parameter is not a Parameter.

    """

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        super().__init__(auto_prefix=False)
        items = list(params)
        if not items:
            raise ValueError(f"{type(self).__name__} needs parameters: pass net.trainable_params()")
        self.defaults = defaults
        self.param_groups: list[Group] = []
        groups = items if isinstance(items[0], dict) else [{"params": items}]
        for number, group in enumerate(groups):
            self.param_groups.append(self._group(group, number))
        chosen = [(item, i) for i, group in enumerate(self.param_groups) for item in group["params"]]
        self.parameters = ParameterTuple([item for item, _ in chosen])
        self._group_of = tuple(i for _, i in chosen)
        #: The learning rates of the groups, Float32 numbers.
        self.lrs = ParameterTuple([group["lr"] for group in self.param_groups])

    def _group(self, given: dict[str, Any], number: int) -> Group:
        """A group with all settings, after checks."""
        kind = type(self).__name__
        params = given["params"]
        params = [params] if isinstance(params, Parameter) else list(params)
        seen = {id(item) for group in self.param_groups for item in group["params"]}
        for item in params:
            if not isinstance(item, Parameter):
                raise TypeError(f"{kind} takes Parameters, not {type(item).__name__}")
            if id(item) in seen:
                raise ValueError(f"{kind}: parameter {item.name} is in the list twice, or in two groups")
            seen.add(id(item))
        group = Group({**self.defaults, **given, "params": params})
        unknown = set(given) - set(self.defaults) - {"params"}
        if unknown:
            raise ValueError(f"{kind}: a group has no setting {', '.join(sorted(unknown))}")
        for name in ("lr", "eps", "weight_decay", "momentum"):
            if name in group and float(group[name]) < 0:
                raise ValueError(f"{kind}: {name} must not be negative, but is {group[name]}")
        if "betas" in group and not all(0 <= beta < 1 for beta in group["betas"]):
            raise ValueError(f"{kind}: betas must be from 0 to below 1, but are {group['betas']}")
        rate = Tensor(float(group["lr"]), mstype.float32)
        group["lr"] = Parameter(rate, name=f"learning_rate_group_{number}", requires_grad=False)
        return group


class SGD(Optimizer):
    """Gradient descent with momentum: b = momentum b + (1 - dampening) g; parameter = parameter - lr b.

    In the first step b is g.

    Args:
        params: parameters, or groups of them: dictionaries with `params` and any of the settings below.
        lr: learning rate.
        momentum: part of the last update that is kept.
        dampening: part of the gradient that is left out of the momentum.
        weight_decay: factor of the parameters that is added to the gradients.
        nesterov: use g + momentum b in place of b (Nesterov's momentum).
        maximize: go along the gradients, not against them.

    Raises:
        ValueError: a setting is negative, or `nesterov` is given without momentum or with dampening.

    Example:
        >>> from framework import mint
        >>> weight = ms.Parameter(Tensor([1.0, 2.0]), name="weight")
        >>> _ = mint.optim.SGD([weight], 0.5)((Tensor([1.0, -1.0]),))
        >>> print(weight.asnumpy().round(4))
        [0.5 2.5]

    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Rate,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("SGD: nesterov needs a momentum above 0 and no dampening")
        defaults = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        super().__init__(params, {**defaults, "nesterov": nesterov, "maximize": maximize})
        self.momentum_buf = self.parameters.clone("momentum_buf", init="zeros")
        self.step_t = Parameter(Tensor(0, mstype.int32), name="step_t", requires_grad=False)

    def construct(self, gradients: Sequence[Tensor]) -> bool:
        """Update the parameters; the gradients are in the order of the parameters."""
        first = F.cast(F.equal(self.step_t, 0), mstype.float32)
        for i in range(len(self.parameters)):
            parameter, group = self.parameters[i], self.param_groups[self._group_of[i]]
            change = -gradients[i] if group["maximize"] else gradients[i]
            if group["weight_decay"] != 0:
                change = change + group["weight_decay"] * parameter
            if group["momentum"] != 0:
                # The first gradient counts whole: its dampening is taken back.
                part = 1.0 - group["dampening"] * (1.0 - first)
                momentum = group["momentum"] * self.momentum_buf[i] + part * change
                F.assign(self.momentum_buf[i], momentum)
                change = change + group["momentum"] * momentum if group["nesterov"] else momentum
            F.assign(parameter, parameter - self.lrs[self._group_of[i]] * change)
        F.assign_add(self.step_t, 1)
        return True


class _Moments(Optimizer):
    """Base of Adam and AdamW, which differ in the weight decay."""

    #: Whether the decay shrinks the parameters; else it is added to the gradients.
    decoupled = False

    def __init__(
        self,
        params: Iterable[Any],
        lr: Rate,
        betas: tuple[float, float],
        eps: float,
        decay: float,
        more: dict[str, Any],
    ) -> None:
        settings = {"lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": decay}
        super().__init__(params, {**settings, **more})
        self.exp_avg = self.parameters.clone("exp_avg", init="zeros")
        self.exp_avg_sq = self.parameters.clone("exp_avg_sq", init="zeros")
        if any(group["amsgrad"] for group in self.param_groups):
            self.max_exp_avg_sq = self.parameters.clone("max_exp_avg_sq", init="zeros")
        self.state_step = Parameter(Tensor([0], mstype.float32), name="state_step", requires_grad=False)

    def construct(self, gradients: Sequence[Tensor]) -> bool:
        """Update the parameters; the gradients are in the order of the parameters."""
        F.assign_add(self.state_step, 1.0)
        step = F.reshape(self.state_step, ())
        for i in range(len(self.parameters)):
            parameter, group = self.parameters[i], self.param_groups[self._group_of[i]]
            rate = self.lrs[self._group_of[i]]
            gradient = -gradients[i] if group["maximize"] else gradients[i]
            before = parameter
            if group["weight_decay"] != 0 and self.decoupled:
                before = parameter * (1.0 - rate * group["weight_decay"])
            elif group["weight_decay"] != 0:
                gradient = gradient + group["weight_decay"] * parameter
            beta1, beta2 = group["betas"]
            mean = self.exp_avg[i] * beta1 + gradient * (1.0 - beta1)
            square = self.exp_avg_sq[i] * beta2 + gradient * gradient * (1.0 - beta2)
            F.assign(self.exp_avg[i], mean)
            F.assign(self.exp_avg_sq[i], square)
            if group["amsgrad"]:
                square = F.maximum(self.max_exp_avg_sq[i], square)
                F.assign(self.max_exp_avg_sq[i], square)
            first, second = _correction(beta1, step), _correction(beta2, step)
            size = F.sqrt(square) / F.sqrt(second) + group["eps"]
            F.assign(parameter, before - rate / first * (mean / size))
        return True


def _correction(beta: float, step: Tensor) -> Tensor:
    """1 - beta^step, precise for beta near 1."""
    return -F.expm1(step * math.log(beta)) if beta > 0 else F.ones_like(step)


class Adam(_Moments):
    """Adam (Kingma and Ba 2015): parameter = parameter - lr m / (sqrt(v) + eps), with bias-corrected moments m and v.

    Args:
        params: parameters, or groups of them: dictionaries with `params` and any of the settings below.
        lr: learning rate.
        betas: decays of both moments, from 0 to below 1.
        eps: what is added to the divisor.
        weight_decay: factor of the parameters that is added to the gradients.
        amsgrad: divide by the largest second moment so far (Reddi et al. 2018).
        maximize: go along the gradients, not against them.

    Raises:
        ValueError: a setting is out of its range.

    Example:
        >>> from framework import mint
        >>> weight = ms.Parameter(Tensor([1.0, 2.0]), name="weight")
        >>> _ = mint.optim.Adam([weight], 0.5)((Tensor([1.0, -1.0]),))
        >>> print(weight.asnumpy().round(4))
        [0.5 2.5]

    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Rate = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, {"amsgrad": amsgrad, "maximize": maximize})


class AdamW(_Moments):
    """Adam with decoupled weight decay (Loshchilov and Hutter 2019): parameters are first multiplied by 1 - lr
    weight_decay.

    Args:
        params: parameters, or groups of them: dictionaries with `params` and any of the settings below.
        lr: learning rate.
        betas: decays of both moments, from 0 to below 1.
        eps: what is added to the divisor.
        weight_decay: rate of the decay, in parts of the learning rate.
        amsgrad: divide by the largest second moment so far (Reddi et al. 2018).
        maximize: go along the gradients, not against them.

    Raises:
        ValueError: a setting is out of its range.

    Example:
        >>> from framework import mint
        >>> weight = ms.Parameter(Tensor([1.0, 2.0]), name="weight")
        >>> _ = mint.optim.AdamW([weight], 0.5, weight_decay=0.5)((Tensor([1.0, -1.0]),))
        >>> print(weight.asnumpy().round(4))
        [0.25 2.  ]

    """

    decoupled = True

    def __init__(
        self,
        params: Iterable[Any],
        lr: Rate = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, {"amsgrad": amsgrad, "maximize": maximize})
