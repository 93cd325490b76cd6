"""The base class of optimizers: parameter groups, learning rates, weight decay and loss scale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.device import device_target
from framework.common.parameter import Parameter, ParameterTuple
from framework.common.tensor import Tensor
from framework.common.validator import check_bool, check_float
from framework.nn.annotations import Decay, Rate
from framework.nn.cell import Cell
from framework.nn.container import CellList
from framework.nn.optim.checks import as_float, check_decay, check_parameters, listed
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812
from framework.ops.multitype import HyperMap, Map

__all__ = ["Optimizer", "UpdatesEach", "optimizers_in"]

_GROUP_KEYS = {"params", "lr", "weight_decay", "grad_centralization", "order_params"}


class Optimizer(Cell):
    """Base class of optimizers, which update parameters by gradients: `optimizer(gradients)`.

    Args:
        learning_rate: a number; one rate per step as an iterable or a vector, whose last rate holds from then on; or a
            Cell that computes the rate of a step.
        parameters: the parameters, or groups of them: dictionaries with `params` and, for this group only, `lr`,
            `weight_decay` and `grad_centralization`. A group with `order_params` gives the order of all parameters.
            Centralization (Yong et al. 2020) subtracts from a gradient its mean over all dimensions but the first. As
            in MindSpore it leaves a gradient as it is if it has one dimension, or a second one that is not a multiple
            of 16.
        weight_decay: factor of the parameters that is added to the gradients, or a Cell that computes it from the step.
            Without groups, parameters with "beta" or "gamma" in their names are left out.
        loss_scale: factor of the loss, by which the gradients are divided.

    Raises:
        KeyError: a group has an unknown key.
        RuntimeError: a parameter is in two groups, or twice in one.
        TypeError: an argument or a part of a group is of another type.
        ValueError: there are no parameters, a number is out of its range, rates of groups differ in length, or
            `order_params` does not have the parameters of the groups.

    Example:
        >>> net = nn.Dense(2, 2)
        >>> groups = [{"params": [net.weight], "weight_decay": 0.01}, {"params": [net.bias], "lr": 0.5}]
        >>> optimizer = nn.Momentum(groups, 0.1, 0.9)
        >>> print([round(float(rate), 3) for rate in optimizer.current_rates()])
        [0.1, 0.5]

    """

    def __init__(
        self, learning_rate: Rate, parameters: Iterable[Any], weight_decay: Decay = 0.0, loss_scale: float = 1.0
    ) -> None:
        super().__init__(auto_prefix=False)
        items = listed(parameters)
        if not all(isinstance(item, dict) for item in items):
            check_parameters(items)
        self.is_group = isinstance(items[0], dict)
        groups = [{**item, "params": _of_group(item)} for item in items] if self.is_group else []
        groups = groups or [{"params": items}]
        self.is_group_lr = any("lr" in group for group in groups)
        self.is_group_params_ordered = any("order_params" in group for group in groups)
        self.loss_scale = check_float(as_float(loss_scale), "loss_scale", above=0.0)
        check_decay(weight_decay)
        settings = self._by_parameter(groups, weight_decay)
        chosen = self._ordered(groups, settings)
        self.parameters = self._parameters = ParameterTuple(chosen)
        #: The same parameters, under the name in MindSpore's Momentum.
        self.params = self.parameters
        self.param_count = self.param_length = len(chosen)
        self.global_step = Parameter(Tensor([0], mstype.int32), name="global_step", requires_grad=False)
        self.init_learning_rate = learning_rate if isinstance(learning_rate, int | float | list) else None
        self._make_rates(learning_rate, groups, [settings[id(item)]["group"] for item in chosen])
        self._make_decays(weight_decay, [settings[id(item)]["weight_decay"] for item in chosen])
        self.centralized = tuple(settings[id(item)]["grad_centralization"] for item in chosen)
        self.grad_centralization = any(self.centralized)
        if self.is_group:
            self.grad_centralization_flags = self.centralized
            self.group_params, self.group_grad_centralization = list(chosen), list(self.centralized)
        #: Summary tags of the gradients by parameter; "" for gradients that are not recorded.
        self.gradient_tags = ("",) * len(chosen)
        self._histogram = P.HistogramSummary()
        self._make_tools()

    def construct(self, *gradients: Any) -> Any:
        """Update the parameters; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__} must define construct(gradients)")

    def _by_parameter(self, groups: list[dict[str, Any]], decay: Decay) -> dict[int, dict[str, Any]]:
        """The settings of each parameter, by the parameter's identity."""
        settings: dict[int, dict[str, Any]] = {}
        for number, group in enumerate(groups):
            unknown = set(group) - _GROUP_KEYS
            if unknown:
                raise KeyError(f"a parameter group has no key {', '.join(sorted(unknown))}, only {_GROUP_KEYS}")
            if "order_params" in group and len(group) > 2:
                raise ValueError(f"a group with order_params has no other key, not {', '.join(group)}")
            check_parameters(group["params"])
            check_decay(group.get("weight_decay", 0.0))
            for item in group["params"]:
                if id(item) in settings:
                    raise RuntimeError(f"parameter {item.name} is in the list twice, or in two groups")
                settings[id(item)] = {
                    "group": number if "lr" in group else -1,
                    "weight_decay": group.get("weight_decay", decay),
                    "grad_centralization": check_bool(group.get("grad_centralization", False), "grad_centralization"),
                }
        return settings

    def _ordered(self, groups: list[dict[str, Any]], settings: dict[int, dict[str, Any]]) -> list[Parameter]:
        if not settings:
            raise ValueError("an optimizer needs parameters: pass net.trainable_params()")
        for group in groups:
            if "order_params" in group:
                ordered = listed(group["order_params"])
                if {id(item) for item in ordered} != set(settings) or len(ordered) != len(settings):
                    raise ValueError("order_params must have each parameter of the groups once, and no other")
                return ordered
        return [item for group in groups for item in group["params"]]

    def _make_rates(self, default: Rate, groups: list[dict[str, Any]], numbers: list[int]) -> None:
        """Create one Parameter or Cell per rate, and the index of each parameter's rate.

        Args:
            default: the rate of groups without one.
            groups: the groups.
            numbers: for each parameter the number of the group with its rate; -1 for the default.
        """
        different = list(dict.fromkeys(numbers))
        of_all = _rate(default, "learning_rate")
        self.rates = tuple(of_all if i < 0 else _rate(groups[i]["lr"], f"learning_rate_group_{i}") for i in different)
        lengths = {rate.size for rate in (*self.rates, of_all) if isinstance(rate, Parameter) and rate.ndim == 1}
        if len(lengths) > 1:
            raise ValueError(
                f"learning rates of groups must have the same length, not {', '.join(map(str, sorted(lengths)))}"
            )
        self.rate_numbers = tuple(different.index(number) for number in numbers)
        #: Whether a rate depends on the step.
        self.dynamic_lr = any(isinstance(rate, Cell) or rate.ndim == 1 for rate in self.rates)
        #: The rate of all parameters: a Parameter, or a Cell that computes it from the step. With rates of groups one
        #: for each parameter: a ParameterTuple, or a CellList if one of them depends on the step.
        self.learning_rate: Any = self._shown_rate()
        if self.is_group_lr:
            self.group_lr = list(self.learning_rate)

    def _shown_rate(self) -> Any:
        first = self.rates[0]
        if not self.is_group_lr:
            return first if isinstance(first, Cell) or first.ndim == 0 else StepRate(first)
        if self.dynamic_lr:
            cells = [rate if isinstance(rate, Cell) else StepRate(rate) for rate in self.rates]
            return CellList([cells[number] for number in self.rate_numbers], auto_prefix=False)
        parameters = [rate for rate in self.rates if isinstance(rate, Parameter)]
        return ParameterTuple(parameters[number] for number in self.rate_numbers)

    def _make_decays(self, decay: Decay, decays: list[Decay]) -> None:
        """Store the weight decay of each parameter, and as MindSpore's attributes."""
        is_dynamic = tuple(isinstance(one, Cell) for one in decays)
        decaying = tuple(map(_is_decay, decays))
        allowed = tuple("beta" not in item.name and "gamma" not in item.name for item in self.parameters)
        #: Those that optimizers with groups decay, and without groups those whose names allow it.
        self.decay_flags = decaying if self.is_group else allowed
        self.decayed = tuple(one and flag for one, flag in zip(decaying, self.decay_flags, strict=True))
        #: The weight decay of each parameter: a number, or a Cell that computes it from the step.
        self.decays = tuple(one if used else 0.0 for one, used in zip(decays, self.decayed, strict=True))
        self.dynamic_weight_decay = isinstance(decay, Cell) or any(is_dynamic)
        self.exec_weight_decay = any(decaying)
        self.dynamic_decay_flags = is_dynamic if self.is_group else is_dynamic[0]
        self._show_decays(decays)

    def _show_decays(self, decays: list[Decay]) -> None:
        scaled = [one if isinstance(one, Cell) else one * self.loss_scale for one in decays]
        shown = tuple(one if isinstance(one, Cell) else Tensor(one, mstype.float32) for one in scaled)
        #: As in MindSpore: times the loss scale; without groups that of all parameters.
        self.weight_decay: Any = shown if self.is_group else shown[0]
        if self.is_group:
            self.group_weight_decay = scaled

    def _make_tools(self) -> None:
        """Methods for the steps of users' optimizers, with MindSpore's names."""
        self.param_rank, self.optim_filter, self.use_parallel = None, (True,) * self.param_length, False
        self.reciprocal_scale = Tensor(1.0 / self.loss_scale, mstype.float32)
        self.need_scale = self.loss_scale != 1.0
        self.global_step_increase_tensor = Tensor([1], mstype.int32)
        self.assignadd = P.AssignAdd()
        self.map_, self.map_reverse = Map(), Map(None, True)
        self.hyper_map, self.hyper_map_reverse = HyperMap(), HyperMap(None, True)
        self.unique, self.target, self.enable_tuple_broaden = True, device_target(), True

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
            else:
                rates.append(_rate_at(rate, step))
        return [rates[number] for number in self.rate_numbers]

    def get_lr(self) -> Any:
        """The learning rate of the next step, a Float32 tensor; with rates of groups a tuple with one per parameter."""
        rates = self.current_rates()
        return tuple(rates) if self.is_group_lr else rates[0]

    def get_lr_parameter(self, param: Parameter | Sequence[Parameter]) -> Any:
        """The object that holds the learning rate of a parameter.

        Args:
            param: a parameter of this optimizer, or several.

        Returns:
            The Parameter with the rate or the rates, or the schedule; a list of them for several parameters.

        Raises:
            TypeError: it is no Parameter.
            ValueError: the optimizer does not have a parameter.
        """
        if not isinstance(param, Parameter):
            check_parameters(listed(param))
            return [self.get_lr_parameter(item) for item in param]
        for item, number in zip(self.parameters, self.rate_numbers, strict=True):
            if item is param:
                return self.rates[number]
        raise ValueError(f"the optimizer does not update parameter {param.name}")

    def get_weight_decay(self) -> Any:
        """The weight decay of this step times the loss scale, a Float32 tensor; with groups one for each parameter."""
        if not self.dynamic_weight_decay:
            return self.weight_decay
        shown = self.weight_decay if self.is_group else (self.weight_decay,)
        now = [one(self.global_step) * self.loss_scale if isinstance(one, Cell) else one for one in shown]
        return tuple(now) if self.is_group else now[0]

    def decay_weight(self, gradients: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """The gradients with weight decay times the loss scale, for steps that call `scale_grad` afterwards.

        Args:
            gradients: gradients in the order of the parameters.

        Returns:
            As many gradients.
        """
        decays, out = self.current_decays(), []
        for i in range(self.param_count):
            if self.decayed[i]:
                out.append(gradients[i] + self.parameters[i] * (decays[i] * self.loss_scale))
            else:
                out.append(gradients[i])
        return tuple(out)

    def gradients_centralization(self, gradients: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """The gradients minus their means over all but the first dimension, where a group wants it.

        Args:
            gradients: gradients in the order of the parameters.

        Returns:
            As many gradients.
        """
        return tuple([_centralized(gradients[i], self.centralized[i]) for i in range(self.param_count)])

    def scale_grad(self, gradients: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """The gradients divided by the loss scale.

        Args:
            gradients: gradients in the order of the parameters.

        Returns:
            As many gradients.
        """
        if not self.need_scale:
            return tuple(gradients)
        return tuple([gradient * F.cast(self.reciprocal_scale, gradient.dtype) for gradient in gradients])

    def flatten_gradients(self, gradients: Sequence[Tensor]) -> Sequence[Tensor]:
        """The gradients, as parameters are not merged into chunks here."""
        return gradients

    def broadcast_params(self, optim_result: Any) -> Any:
        """The result of an update, as there is no other device that needs the parameters."""
        return optim_result

    def current_decays(self) -> Sequence[Any]:
        """The weight decay of this step for each parameter, a number or a scalar tensor."""
        if not self.dynamic_weight_decay:
            return self.decays
        step = self.global_step
        return [F.reshape(one(step), ()) if isinstance(one, Cell) else one for one in self.decays]

    def prepared(self, gradients: Sequence[Tensor], decays: Sequence[float] | None = None) -> list[Tensor]:
        """The gradients divided by the loss scale, with weight decay, and centralized.

        Args:
            gradients: gradients in the order of the parameters.
            decays: weight decay of each parameter; None for the optimizer's.

        Returns:
            As many gradients.
        """
        own = self.current_decays() if decays is None else decays
        out = []
        for i in range(self.param_count):
            gradient = gradients[i]
            if self.loss_scale != 1.0:
                gradient = gradient * (1.0 / self.loss_scale)
            if self.gradient_tags[i]:
                self._histogram(self.gradient_tags[i], gradient)
            if self.decayed[i] if decays is None else decays[i] > 0:
                gradient = gradient + self.parameters[i] * own[i]
            out.append(_centralized(gradient, self.centralized[i]))
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
        """Store the target; setters of MindSpore's users call this."""
        if value not in ("CPU", "GPU", "Ascend"):
            raise ValueError(f"target must be CPU, GPU or Ascend, not {value!r}")
        self.__dict__["_target"] = value


class UpdatesEach(Optimizer):
    """Base class of optimizers that update each parameter by its own gradient alone."""

    def construct(self, gradients: Sequence[Tensor]) -> Tensor:
        """Update the parameters; the gradients are in the order of the parameters."""
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


class StepRate(Cell):
    """A learning rate as a Cell, to compute it from the step as `learning_rate(global_step)`.

    Args:
        rate: one number, or a vector with one rate per step, whose last one holds from then on.
    """

    def __init__(self, rate: Parameter) -> None:
        super().__init__(auto_prefix=False)
        self.learning_rate = rate

    def construct(self, global_step: Tensor) -> Tensor:
        """The learning rate of a step."""
        rate: Tensor = _rate_at(self.learning_rate, global_step)
        return rate


def _of_group(group: dict[str, Any]) -> list[Any]:
    return [] if "order_params" in group else listed(group["params"])


def _is_decay(decay: Decay) -> bool:
    return isinstance(decay, Cell) or decay > 0


def _rate_at(rate: Parameter, step: Tensor) -> Any:
    if len(rate.shape) == 0:
        return rate
    return F.reshape(P.Gather()(rate, F.minimum(step, rate.shape[0] - 1), 0), ())


def _rate(rate: Rate, name: str) -> Parameter | Cell:
    """A rate as a Parameter of the given name; a Cell as it is."""
    if isinstance(rate, Cell):
        return rate
    if isinstance(rate, int | float):
        check_float(float(rate), name, least=0.0)
    elif not isinstance(rate, Iterable):
        raise TypeError(f"{name} must be a number, an iterable, a tensor or a Cell, not {type(rate).__name__}")
    values = rate if isinstance(rate, int | float | Tensor) else np.array(list(rate))
    first = Tensor(values, mstype.float32)
    if first.ndim > 1:
        raise ValueError(
            f"a learning rate must be a number or a vector with one rate per step, not a tensor of shape "
            f"{tuple(first.shape)}"
        )
    return Parameter(first, name=name, requires_grad=False)


def _centralized(gradient: Tensor, wanted: bool) -> Tensor:
    if wanted and len(gradient.shape) > 1 and gradient.shape[1] % 16 == 0:
        gradient = gradient - F.mean(gradient, tuple(range(1, len(gradient.shape))), True)
    return gradient


def optimizers_in(cell: Cell) -> Iterator[Optimizer]:
    """The optimizers inside a Cell, such as a training step."""
    return (inner for _, inner in cell.cells_and_names() if isinstance(inner, Optimizer))
