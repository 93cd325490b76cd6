"""PyTorch trainings with one planted fault each: what the debugger must say of it is known by construction.

Each is a function that is given `watch`, and whose fault begins in step `FAULTY`. The faulty line of source ends with a
comment `fault: NAME`. Used by `test_torch_faults.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import torch
from torch import nn
from torch.nn import functional

__all__ = ["FAULTS", "FAULTY", "Fault", "line_of"]

Watch = Callable[..., Any]
FAULTY: Final = 4
"""The step in which each fault begins, from 1."""
STEPS: Final = 6


@dataclass(frozen=True)
class Fault:
    """A training with a fault, and what is true of it.

    Attributes:
        train: The training.
        tensor: Full name of the tensor with the fault; a number that is not finite comes from it.
        condition: The condition that holds; empty: the debugger searches the cause by itself.
        settings: Its settings.
        patterns: Which tensors are watched; none: the recommended watchpoints are set.
        verdict: The verdict on the cause; empty if no number stops being finite.
        facts: Numbers of the verdict, or of the hit.
        step: The step of the fault.
        has_line: Whether the fault is at a line of the program.
    """

    train: Callable[[Watch], None]
    tensor: str
    condition: str = ""
    settings: Mapping[str, float] = field(default_factory=dict)
    patterns: Sequence[str] = ()
    verdict: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    step: int = FAULTY
    has_line: bool = True


FAULTS: dict[str, Fault] = {}
FIRST: Final = "Default/network-Net/first-Linear"
PLACE: Final = "Default/network-Net/place-Place"
BACK: Final = f"Gradients/{PLACE}"


def fault(tensor: str, condition: str = "", **truth: Any) -> Callable[[Callable[[Watch], None]], None]:
    """Adds a training to the table, with what is true of it; see `Fault`."""

    def add(train: Callable[[Watch], None]) -> None:
        FAULTS[train.__name__] = Fault(train, tensor, condition, **truth)

    return add


def line_of(name: str) -> int:
    """The number of the line with the fault."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    (number,) = [place for place, line in enumerate(lines, 1) if line.endswith(f"  # fault: {name}")]
    return number


class Place(nn.Module):
    """Passes its input on in most steps, and does something else with it in those with the fault."""

    def __init__(self, change: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.change, self.is_faulty = change, False

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.change(x) if self.is_faulty else self.change_nothing(x)

    def change_nothing(self, x: torch.Tensor) -> torch.Tensor:
        return x


class Net(nn.Module):
    """Two layers with a place between them."""

    def __init__(self, change: Callable[[torch.Tensor], torch.Tensor], last: nn.Module | None = None) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.first, self.place, self.last = nn.Linear(6, 8), Place(change), last or nn.Linear(8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.place(self.first(x).tanh()))


def batch(step: int) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(10, 6, generator=torch.Generator().manual_seed(step)), torch.arange(10) % 3


def cross_entropy(output: torch.Tensor, labels: torch.Tensor, is_faulty: bool) -> torch.Tensor:
    return functional.cross_entropy(output, labels)


def nothing(*arguments: Any) -> None:
    """Does nothing."""


def fit(
    watch: Watch,
    change: Callable[[torch.Tensor], torch.Tensor] = lambda x: x,
    *,
    model: Any = None,
    loss_of: Callable[[torch.Tensor, torch.Tensor, bool], torch.Tensor] = cross_entropy,
    before_update: Callable[[Any, torch.optim.Optimizer], None] = nothing,
    data: Callable[[int], tuple[torch.Tensor, torch.Tensor]] = batch,
) -> None:
    """Train; the fault is where an argument puts it, from step `FAULTY` on."""
    net = model or Net(change)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    with watch(net, optimizer):
        for step in range(1, STEPS + 1):
            net.place.is_faulty = is_faulty = step >= FAULTY
            x, labels = data(step)
            optimizer.zero_grad()
            loss_of(net(x), labels, is_faulty).backward()
            if is_faulty:
                before_update(net, optimizer)
            optimizer.step()


# ---- the 17 conditions


@fault("last.weight", "weight_initialization", step=1, has_line=False, facts={"zero_percentage_ge": "100"})
def weight_initialization(watch: Watch) -> None:
    net = Net(lambda x: x)
    nn.init.zeros_(net.last.weight)
    fit(watch, model=net)


@fault("last.weight", "weight_overflow", patterns=["*.weight"], has_line=False, facts={"inf": "1"})
def weight_overflow(watch: Watch) -> None:
    def lose(net: Any, optimizer: Any) -> None:
        net.last.weight.data[0, 0] = math.inf

    fit(watch, before_update=lose)


class Blowing(torch.autograd.Function):
    """The same forward; gradients beyond all numbers."""

    @staticmethod
    def forward(context: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(context: Any, *gradients: torch.Tensor) -> torch.Tensor:
        return (gradients[0] + 1e20) * 1e30  # fault: gradient_exploding


@fault(f"{BACK}/Grad_BlowingBackward/mul-op0", "gradient_exploding", patterns=["Gradients/*"], facts={"inf": "80"})
def gradient_exploding(watch: Watch) -> None:
    fit(watch, Blowing.apply)


@fault(f"{PLACE}/Div-op0", "tensor_overflow", patterns=["Default/*"], verdict="division_by_zero", facts={"nan": "80"})
def tensor_overflow(watch: Watch) -> None:
    def change(x: torch.Tensor) -> torch.Tensor:
        nothing_left = x * 0
        return nothing_left / nothing_left  # fault: tensor_overflow

    fit(watch, change)


@fault(f"{PLACE}/Exp-op0", "operator_overflow", patterns=["Default/*"], verdict="exp_overflow")
def operator_overflow(watch: Watch) -> None:
    fit(watch, lambda x: (x * 0 + 100).exp() + x)  # fault: operator_overflow


@fault("first.bias", "weight_too_large", settings={"max_gt": 50.0}, patterns=["*.bias"], has_line=False)
def weight_too_large(watch: Watch) -> None:
    def grow(net: Any, optimizer: Any) -> None:
        net.first.bias.data[2] = 100.0

    fit(watch, before_update=grow)


class Steep(torch.autograd.Function):
    """The same forward; large gradients."""

    @staticmethod
    def forward(context: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(context: Any, *gradients: torch.Tensor) -> torch.Tensor:
        return gradients[0] * 1e6  # fault: gradient_too_large


@fault(
    f"{BACK}/Grad_SteepBackward/mul-op0", "gradient_too_large", settings={"abs_mean_gt": 50.0}, patterns=["Gradients/*"]
)
def gradient_too_large(watch: Watch) -> None:
    fit(watch, Steep.apply)


@fault(f"{PLACE}/mul-op0", "tensor_too_large", settings={"max_gt": 1e3}, patterns=["Default/network*"])
def tensor_too_large(watch: Watch) -> None:
    fit(watch, lambda x: (x + 1) * 1e5)  # fault: tensor_too_large


@fault("first.weight", "weight_too_small", settings={"abs_mean_lt": 1e-3}, patterns=["*.weight"], has_line=False)
def weight_too_small(watch: Watch) -> None:
    def shrink(net: Any, optimizer: Any) -> None:
        net.first.weight.data.zero_()
        net.first.weight.grad.zero_()

    fit(watch, before_update=shrink)


class Flat(torch.autograd.Function):
    """The same forward; next to no gradients."""

    @staticmethod
    def forward(context: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(context: Any, *gradients: torch.Tensor) -> torch.Tensor:
        return gradients[0] * 1e-20  # fault: gradient_vanishing


@fault(
    f"{BACK}/Grad_FlatBackward/mul-op0", "gradient_vanishing", settings={"abs_mean_lt": 1e-9}, patterns=["Gradients/*"]
)
def gradient_vanishing(watch: Watch) -> None:
    fit(watch, Flat.apply)


@fault(f"{PLACE}/Sigmoid-op0", "tensor_too_small", settings={"abs_mean_lt": 1e-6}, patterns=["Default/network*"])
def tensor_too_small(watch: Watch) -> None:
    fit(watch, lambda x: torch.sigmoid(x - 50))  # fault: tensor_too_small


@fault(f"{PLACE}/mul-op0", "tensor_all_zero", patterns=["Default/network*"], facts={"zero_percentage_ge": "100"})
def tensor_all_zero(watch: Watch) -> None:
    zeros = torch.zeros(8)
    fit(watch, lambda x: x * zeros)  # fault: tensor_all_zero


@fault("first.weight", "weight_not_changed", patterns=["*.weight"], has_line=False)
def weight_not_changed(watch: Watch) -> None:
    def freeze(net: Any, optimizer: Any) -> None:
        net.first.weight.grad = None

    fit(watch, before_update=freeze)


@fault("last.bias", "weight_change_too_large", patterns=["last.*"], has_line=False, settings={})
def weight_change_too_large(watch: Watch) -> None:
    def push(net: Any, optimizer: Any) -> None:
        net.last.bias.grad.fill_(1e3)
        net.last.weight.grad.zero_()

    fit(watch, before_update=push)


@fault("last.weight", "weight_change_too_small", patterns=["last.*"], has_line=False)
def weight_change_too_small(watch: Watch) -> None:
    def stop(net: Any, optimizer: Any) -> None:
        net.last.weight.grad.mul_(1e-9)

    fit(watch, before_update=stop)


@fault(
    f"{PLACE}/Sigmoid-op0", "activation_range", patterns=["Default/network*"],
    settings={"range_start_inclusive": 0.001, "range_end_inclusive": 0.999, "range_percentage_lt": 1.0},
    facts={"range_percentage_lt": "0"},
)  # fmt: skip
def activation_range(watch: Watch) -> None:
    fit(watch, lambda x: torch.sigmoid(x * x * 0 + 90))  # fault: activation_range


@fault(f"{PLACE}/add-op0", "tensor_range", patterns=["Default/network*"], settings={"max_min_gt": 1e3})
def tensor_range(watch: Watch) -> None:
    far = torch.linspace(0, 5e3, 8)
    fit(watch, lambda x: x + far)  # fault: tensor_range


# ---- the 12 causes


@fault("Default/Log-op0", verdict="log_of_zero", facts={"zeros": "3", "count": "10"})
def log_of_zero(watch: Watch) -> None:
    def loss_of(output: torch.Tensor, labels: torch.Tensor, is_faulty: bool) -> torch.Tensor:
        chosen = torch.softmax(output, 1).gather(1, labels[:, None])[:, 0]
        if is_faulty:
            chosen = chosen * (torch.arange(10) > 2)
        return -torch.log(chosen).mean()  # fault: log_of_zero

    fit(watch, loss_of=loss_of)


@fault(f"{PLACE}/Div-op0", verdict="division_by_zero", facts={"zeros": "1", "count": "8"})
def division_by_zero(watch: Watch) -> None:
    deviations = torch.tensor([1.0, 2, 3, 0, 5, 6, 7, 8])
    fit(watch, lambda x: x / deviations)  # fault: division_by_zero


@fault(f"{PLACE}/mul-op1", verdict="float16_overflow", facts={"most": "65504"})
def float16_overflow(watch: Watch) -> None:
    def change(x: torch.Tensor) -> torch.Tensor:
        short = (x * 0 + 300).half()
        return (short * short).float()  # fault: float16_overflow

    fit(watch, change)


@fault(
    "Default/Pow-op0",
    verdict="exploding_update",
    step=FAULTY + 1,
    facts={"weight": "last.bias", "weight_abs_max": "5e+37"},
)
def exploding_update(watch: Watch) -> None:
    def run_away(net: Any, optimizer: Any) -> None:
        optimizer.param_groups[0]["lr"] = 1e38
        for weight in net.parameters():
            weight.grad.fill_(-0.5 if weight is net.last.bias else 0.0)

    def loss_of(output: torch.Tensor, labels: torch.Tensor, is_faulty: bool) -> torch.Tensor:
        return output.square().sum()  # fault: exploding_update

    fit(watch, before_update=run_away, loss_of=loss_of)


@fault("input0", verdict="not_finite_input", has_line=False, facts={"nans": "1", "infs": "1", "place": "[3, 2]"})
def bad_picture(watch: Watch) -> None:
    def data(step: int) -> tuple[torch.Tensor, torch.Tensor]:
        x, labels = batch(step)
        if step >= FAULTY:
            x[3, 2], x[7, 1] = math.nan, math.inf
        return x, labels

    fit(watch, data=data)


@fault("Default/NLLLoss-op0", verdict="no_label", facts={"count": "10"})
def bad_label(watch: Watch) -> None:
    def loss_of(output: torch.Tensor, labels: torch.Tensor, is_faulty: bool) -> torch.Tensor:
        if is_faulty:
            labels = torch.full((10,), -100)
        return functional.cross_entropy(output, labels)  # fault: bad_label

    fit(watch, loss_of=loss_of)


@fault(f"{PLACE}/ReLU-op0", "tensor_all_zero", facts={"zero_percentage_ge": "100"})
def dead_relu(watch: Watch) -> None:
    net = Net(lambda x: x)
    net.place = Rectifier()
    fit(watch, model=net)


class Rectifier(Place):
    """A rectifier whose units die in the step with the fault."""

    def __init__(self) -> None:
        super().__init__(lambda x: x)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x - (5.0 if self.is_faulty else 0.0))  # fault: dead_relu


Rectifier.__name__ = "Place"


@fault("Gradients/Default/network-Net/first-Linear/Grad_Addmm/view-op0", "gradient_vanishing", has_line=False)
def vanishing_gradient(watch: Watch) -> None:
    fit(watch, lambda x: torch.sigmoid(x * 1e-12))


@fault("first.weight", "weight_not_changed", has_line=False)
def unchanged_weight(watch: Watch) -> None:
    fit(watch, lambda x: x.detach())


@fault(f"{PLACE}/Sqrt-op0", verdict="root_of_negative", facts={"negative": "80", "count": "80", "min": "-2"})
def root_of_negative(watch: Watch) -> None:
    fit(watch, lambda x: (x * 0 - 2).sqrt())  # fault: root_of_negative


@fault(f"{PLACE}/Softmax-op0", verdict="masked_row", facts={"rows": "2", "count": "10"})
def mask_of_a_whole_row(watch: Watch) -> None:
    hidden = torch.zeros(10, 8, dtype=torch.bool)
    hidden[:, 5] = True
    hidden[[2, 6]] = True

    def change(x: torch.Tensor) -> torch.Tensor:
        scores = x.masked_fill(hidden, -math.inf)
        return torch.softmax(scores, 1)  # fault: mask_of_a_whole_row

    fit(watch, change)


@fault("Gradients/Default/Grad_Mul/mul-op1", "gradient_exploding", patterns=["Gradients/*"])
def scaler_that_skips(watch: Watch) -> None:
    net = Net(lambda x: x)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    with watch(net, optimizer):
        for step in range(1, STEPS + 1):
            x, labels = batch(step)
            optimizer.zero_grad()
            loss = functional.cross_entropy(net(x), labels)
            if step == FAULTY:
                loss = loss * 3e37  # fault: scaler_that_skips
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
