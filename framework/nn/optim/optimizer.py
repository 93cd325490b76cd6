"""The base class of optimizers: parameter groups, learning rates, weight decay and loss scale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.parameter import Parameter, ParameterTuple
from framework.common.tensor import Tensor
from framework.nn.annotations import Rate
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812

__all__ = ["Optimizer", "UpdatesEach", "optimizers_in"]

_GROUP_KEYS = {"params", "lr", "weight_decay", "grad_centralization", "order_params"}


class Optimizer(Cell):
    """Base class of optimizers, which update parameters by gradients: `optimizer(gradients)`.

    Args:
        learning_rate: a number; a list or a vector with one rate per step, whose last rate holds from then on; or a
            Cell that computes the rate of a step.
        parameters: the parameters, or groups of them: dictionaries with `params` and, for this group only, `lr`,
            `weight_decay` and `grad_centralization`. A group with `order_params` gives the order of all parameters.
        weight_decay: factor of the parameters that is added to the gradients. Without groups, parameters with "beta" or
            "gamma" in their names are left out.
        loss_scale: factor of the loss, by which the gradients are divided.

    Raises:
        ValueError: a group has an unknown key, or a parameter is in two groups.
        TypeError: a parameter is not a Parameter.

    Example:
        >>> net = nn.Dense(2, 2)
        >>> groups = [{"params": [net.weight], "weight_decay": 0.01}, {"params": [net.bias], "lr": 0.5}]
        >>> optimizer = nn.Momentum(groups, 0.1, 0.9)
        >>> print([round(float(rate), 3) for rate in optimizer.current_rates()])
        [0.1, 0.5]

    """

    def __init__(
        self, learning_rate: Rate, parameters: Iterable[Any], weight_decay: float = 0.0, loss_scale: float = 1.0
    ) -> None:
        super().__init__(auto_prefix=False)
        items = list(parameters)
        self.is_group = bool(items) and isinstance(items[0], dict)
        groups = items if self.is_group else [{"params": items}]
        settings = self._by_parameter(groups, learning_rate, float(weight_decay))
        chosen = self._ordered(groups, settings)
        self.parameters = ParameterTuple(chosen)
        #: The same parameters, under the name in MindSpore's Momentum.
        self.params = self.parameters
        self.param_count = self.param_length = len(chosen)
        self.loss_scale = float(loss_scale)
        self.weight_decay = float(weight_decay)
        self.global_step = Parameter(Tensor([0], mstype.int32), name="global_step", requires_grad=False)
        self._make_rates([settings[id(item)]["lr"] for item in chosen])
        self.decays = tuple(settings[id(item)]["weight_decay"] for item in chosen)
        self.centralized = tuple(settings[id(item)]["grad_centralization"] for item in chosen)
        #: Summary tags of the gradients by parameter; "" for gradients that are not recorded.
        self.gradient_tags = ("",) * len(chosen)
        self._histogram = P.HistogramSummary()
        self.has_decay = any(self.decays)
        self.has_centralization = any(self.centralized)

    def _by_parameter(self, groups: list[dict[str, Any]], rate: Rate, decay: float) -> dict[int, dict[str, Any]]:
        """The settings of each parameter, by the parameter's identity."""
        settings: dict[int, dict[str, Any]] = {}
        for group in groups:
            unknown = set(group) - _GROUP_KEYS
            if unknown:
                raise ValueError(f"a parameter group has no key {', '.join(sorted(unknown))}, only {_GROUP_KEYS}")
            for item in group.get("params", ()):
                if not isinstance(item, Parameter):
                    raise TypeError(f"an optimizer takes Parameters, not {type(item).__name__}")
                if id(item) in settings:
                    raise ValueError(f"parameter {item.name} is in the list twice, or in two groups")
                left_out = not self.is_group and ("beta" in item.name or "gamma" in item.name)
                settings[id(item)] = {
                    "lr": group.get("lr", rate),
                    "weight_decay": 0.0 if left_out else float(group.get("weight_decay", decay)),
                    "grad_centralization": bool(group.get("grad_centralization", False)),
                }
        return settings

    def _ordered(self, groups: list[dict[str, Any]], settings: dict[int, dict[str, Any]]) -> list[Parameter]:
        if not settings:
            raise ValueError("an optimizer needs parameters: pass net.trainable_params()")
        for group in groups:
            if "order_params" in group:
                return [item for item in group["order_params"] if id(item) in settings]
        return [item for group in groups for item in group["params"]]

    def _make_rates(self, rates: list[Any]) -> None:
        """Create one Parameter or Cell per distinct rate, and the index of each parameter's rate."""
        different: list[Any] = []
        numbers: list[int] = []
        for rate in rates:
            matches = [i for i, other in enumerate(different) if other is rate]
            numbers.append(matches[0] if matches else len(different))
            if not matches:
                different.append(rate)
        self.rate_numbers = tuple(numbers)
        self.rates = tuple(self._rate(rate, i) for i, rate in enumerate(different))
        #: The rate of all parameters, if they share one.
        self.learning_rate = self.rates[0]

    def _rate(self, rate: Rate, number: int) -> Any:
        name = "learning_rate" if number == 0 else f"learning_rate_{number}"
        if isinstance(rate, Cell):
            self.insert_child_to_cell(name, rate)
            return rate
        first = Tensor(rate, mstype.float32)
        if first.ndim > 1:
            raise ValueError(
                f"a learning rate must be a number or a vector with one rate per step, not a tensor of shape "
                f"{tuple(first.shape)}"
            )
        parameter = Parameter(first, name=name, requires_grad=False)
        self.insert_param_to_cell(name, parameter)
        return parameter

    def note_gradients(self, wanted: bool = True) -> None:
        """Record the histogram of each gradient as `NAME/grad` in every step, without loss scale and weight decay.

        As with all summary operators, steps that are not recorded cost nothing.

        Args:
            wanted: whether to record.
        """
        self.gradient_tags = tuple(f"{item.name}/grad" if wanted and item.ndim else "" for item in self.parameters)

    def current_rates(self) -> list[Tensor]:
        """The learning rate of this step for each parameter."""
        step = self.global_step
        rates = []
        for rate in self.rates:
            if isinstance(rate, Cell):
                rates.append(F.reshape(rate(step), ()))
            elif len(rate.shape) == 1:
                last = rate.shape[0] - 1
                rates.append(F.reshape(P.Gather()(rate, F.minimum(step, last), 0), ()))
            else:
                rates.append(rate)
        return [rates[number] for number in self.rate_numbers]

    def get_lr(self) -> Tensor:
        """The learning rate of the next step; with several rates, that of the first parameter."""
        return self.current_rates()[0]

    def prepared(self, gradients: Sequence[Tensor], decays: Sequence[float] | None = None) -> list[Tensor]:
        """The gradients divided by the loss scale, with weight decay, and centralized.

        Args:
            gradients: gradients in the order of the parameters.
            decays: weight decay of each parameter; None for the optimizer's.

        Returns:
            As many gradients.
        """
        decays = self.decays if decays is None else decays
        out = []
        for i in range(self.param_count):
            gradient = gradients[i]
            if self.loss_scale != 1.0:
                gradient = gradient * (1.0 / self.loss_scale)
            if self.gradient_tags[i]:
                self._histogram(self.gradient_tags[i], gradient)
            if decays[i] > 0:
                gradient = gradient + self.parameters[i] * decays[i]
            if self.centralized[i] and len(gradient.shape) > 1:
                gradient = gradient - F.mean(gradient, tuple(range(1, len(gradient.shape))), True)
            out.append(gradient)
        return out

    def step_done(self) -> Tensor:
        """Increment the number of steps.

        Returns:
            The new number.
        """
        step: Tensor = F.assign_add(self.global_step, 1)
        return step

    @property
    def target(self) -> str:
        """Where MindSpore updates sparse parameters: "CPU", "GPU" or "Ascend". Here it is a setting without effect."""
        return str(self.__dict__.get("_target", "CPU"))

    @target.setter
    def target(self, value: str) -> None:
        self._set_base_target(value)

    def _set_base_target(self, value: str) -> None:
        """Keep the target; MindSpore's users call it in setters of their own."""
        if value not in ("CPU", "GPU", "Ascend"):
            raise ValueError(f"target must be CPU, GPU or Ascend, not {value!r}")
        self.__dict__["_target"] = value


class UpdatesEach(Optimizer):
    """Base class of optimizers that update each parameter by its own gradient alone."""

    def construct(self, gradients: Sequence[Tensor]) -> Tensor:
        """Update the parameters by their gradients, which come in the order of the parameters."""
        gradients = self.prepared(gradients)
        rates = self.current_rates()
        for i in range(self.param_count):
            self.update(i, rates[i], gradients[i])
        return self.step_done()

    def update(self, i: int, rate: Tensor, gradient: Tensor) -> None:
        """Update parameter number i by its gradient.

        Args:
            i: number of the parameter.
            rate: its learning rate, a scalar tensor.
            gradient: its gradient, prepared.
        """
        raise NotImplementedError(f"{type(self).__name__} must define update(i, rate, gradient)")


def optimizers_in(cell: Cell) -> Iterator[Optimizer]:
    """The optimizers inside a Cell, such as a training step."""
    return (inner for _, inner in cell.cells_and_names() if isinstance(inner, Optimizer))
