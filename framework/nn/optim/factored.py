"""AdaFactor (Shazeer and Stern 2018)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.parameter import Parameter, ParameterTuple
from framework.common.tensor import Tensor
from framework.common.validator import check_float, check_type
from framework.nn.annotations import Decay, Rate
from framework.nn.optim.checks import check_flags, check_from_zero, check_whole_parameters
from framework.nn.optim.optimizer import Optimizer
from framework.ops import functional as F  # noqa: N812
from framework.ops.updates.assignment import assign_cast

__all__ = ["AdaFactor"]


class AdaFactor(Optimizer):
    """AdaFactor: steps scaled by the root of mean squares, which for matrices are factored into rows and columns.

    At step t, with k = 1 - t^-decay_rate and s = g g + eps[0], row = k row + (1 - k) mean of s over columns, col alike
    over rows, and v = row col / mean of row (of other parameters v = k v + (1 - k) s):
    u = g / sqrt(v), divided by max(1, rms(u) / clip_threshold), times the rate; m = beta1 m + (1 - beta1) u; the
    parameter changes by -m. The rate is learning_rate, or min(0.01, 1 / sqrt(t)) with `relative_step`; times
    max(eps[1], rms(parameter)) with `scale_parameter`.

    Args:
        params: parameters, or groups of them; see `Optimizer`.
        learning_rate: a number, one number per step, or a Cell; see `Optimizer`. None with `relative_step`.
        eps: number added to squares, and lower limit of the scale of a parameter.
        clip_threshold: maximum of the root mean square of a step, before the learning rate.
        decay_rate: exponent of the decay of the running means.
        beta1: decay rate of m; None or 0 for no m.
        weight_decay: factor of rate times parameter, which is subtracted from the parameter.
        scale_parameter: scale the rate by the root mean square of the parameter.
        relative_step: compute the rate from the step.
        warmup_init: with `relative_step`, limit the rate by 1e-6 t in place of 0.01.
        compression: accepted for compatibility; has no effect.
        loss_scale: factor of the loss, by which the gradients are divided.

    Raises:
        ValueError: both or neither of `learning_rate` and `relative_step` are given, or `warmup_init` alone.

    Example:
        >>> weight = ms.Parameter(Tensor([[1.0, -1.0]]), name="weight")
        >>> _ = nn.AdaFactor([weight], 0.5, beta1=None, scale_parameter=False, relative_step=False)((ops.ones((1, 2)),))
        >>> print(weight.asnumpy().round(3))
        [[ 0.5 -1.5]]

    """

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Rate | None = None,
        eps: tuple[float, float] = (1e-30, 1e-3),
        clip_threshold: float = 1.0,
        decay_rate: float = 0.8,
        beta1: float | None = 0.9,
        weight_decay: Decay = 0.0,
        scale_parameter: bool = True,
        relative_step: bool = True,
        warmup_init: bool = False,
        compression: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        if relative_step != (learning_rate is None):
            raise ValueError("AdaFactor: give either a learning_rate or relative_step=True, which computes one")
        if warmup_init and not relative_step:
            raise ValueError("AdaFactor: warmup_init needs relative_step=True")
        check_whole_parameters("AdaFactor")
        super().__init__(0.0 if learning_rate is None else learning_rate, params, weight_decay, loss_scale)
        check_type("AdaFactor: eps", eps, (list, tuple))
        if len(eps) != 2:
            raise ValueError(f"AdaFactor: eps must be two numbers, not {eps}")
        check_from_zero("AdaFactor", first_of_eps=eps[0], second_of_eps=eps[1], clip_threshold=clip_threshold)
        check_from_zero("AdaFactor", beta1=float(beta1 or 0.0))
        check_float(decay_rate, "AdaFactor: decay_rate", above=0.0, below=1.0)
        check_flags("AdaFactor", scale_parameter=scale_parameter, relative_step=relative_step, compression=compression)
        self.eps, self.clip_threshold, self.decay_rate = eps, float(clip_threshold), float(decay_rate)
        self.beta1 = float(beta1 or 0.0)
        self.scale_parameter, self.relative_step, self.warmup_init = scale_parameter, relative_step, warmup_init
        self.factored = tuple(item.ndim > 1 for item in self.parameters)
        self.rows = self._zeros("row", [item.shape[:-1] if item.ndim > 1 else (1,) for item in self.parameters])
        self.columns = self._zeros(
            "column", [(*item.shape[:-2], item.shape[-1]) if item.ndim > 1 else (1,) for item in self.parameters]
        )
        self.squares = self._zeros("square", [(1,) if item.ndim > 1 else item.shape for item in self.parameters])
        self.moments = self.parameters.clone("moment", init="zeros")

    def _zeros(self, name: str, shapes: list[tuple[int, ...]]) -> ParameterTuple:
        """A Parameter of zeros for each parameter, of the given shape."""
        return ParameterTuple(
            Parameter(F.zeros(shape, mstype.float32), name=f"{name}.{item.name}", requires_grad=False)
            for item, shape in zip(self.parameters, shapes, strict=True)
        )

    def construct(self, gradients: Sequence[Tensor]) -> Tensor:
        """Update the parameters; the gradients are in the order of the parameters."""
        gradients = self.prepared(gradients, (0.0,) * self.param_count)
        rates, decays = self.current_rates(), self.current_decays()
        step = F.reshape(F.cast(self.global_step, mstype.float32), ()) + 1.0
        decay = 1.0 - F.pow(step, -self.decay_rate)
        for i in range(self.param_count):
            weight = self.parameters[i]
            rate = self._rate_of(rates[i], step, weight)
            change = self._scaled(i, gradients[i], decay)
            change = change / F.maximum(_size(change) / self.clip_threshold, 1.0) * rate
            if self.beta1 > 0.0:
                change = assign_cast(self.moments[i], self.moments[i] * self.beta1 + change * (1.0 - self.beta1))
            if self.decayed[i]:
                change = change + weight * (rate * decays[i])
            assign_cast(weight, weight - change)
        return self.step_done()

    def _rate_of(self, rate: Tensor, step: Tensor, weight: Tensor) -> Tensor:
        """The learning rate of a parameter at a step."""
        if self.relative_step:
            rate = F.minimum(step * 1e-6 if self.warmup_init else F.ones_like(step) * 1e-2, 1.0 / F.sqrt(step))
        return rate * F.maximum(_size(weight), self.eps[1]) if self.scale_parameter else rate

    def _scaled(self, i: int, gradient: Tensor, decay: Tensor) -> Any:
        """The gradient divided by the root of the running mean squares, which include this step."""
        square = gradient * gradient + self.eps[0]
        if not self.factored[i]:
            return gradient * F.rsqrt(assign_cast(self.squares[i], self.squares[i] * decay + square * (1.0 - decay)))
        row = assign_cast(self.rows[i], self.rows[i] * decay + F.mean(square, -1) * (1.0 - decay))
        column = assign_cast(self.columns[i], self.columns[i] * decay + F.mean(square, -2) * (1.0 - decay))
        shares = F.expand_dims(F.rsqrt(row / F.mean(row, -1, True)), -1)
        return gradient * shares * F.expand_dims(F.rsqrt(column), -2)


def _size(x: Tensor) -> Any:
    """The root mean square."""
    return F.sqrt(F.mean(x * x))
