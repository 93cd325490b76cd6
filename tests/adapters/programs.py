"""Trainings as people write them, each a function that is given `watch` and returns the numbers that it ends with.

`watch(model, optimizer, ...)` is called once for each pair; it returns nothing. Used by `test_torch_weights.py`.
"""

from __future__ import annotations

import copy
import io
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

__all__ = ["PROGRAMS"]

Watch = Callable[..., None]
Program = Callable[[Watch], list[torch.Tensor]]
PROGRAMS: dict[str, Program] = {}
STEPS = 5


def program(made: Program) -> Program:
    """Add a training to the table."""
    PROGRAMS[made.__name__] = made
    return made


def network(*more: nn.Module) -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(inplace=True), nn.Dropout(0.3), *more, nn.Linear(8, 3)
    )


def batch(step: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(step)
    return torch.randn(10, 6, generator=generator), torch.arange(10) % 3


def ended(*models: nn.Module) -> list[torch.Tensor]:
    """The weights, buffers and gradients, and the random numbers that would come next."""
    tensors = [tensor for model in models for tensor in (*model.parameters(), *model.buffers())]
    gradients = [weight.grad for model in models for weight in model.parameters() if weight.grad is not None]
    return [*(one.detach().clone() for one in (*tensors, *gradients)), torch.rand(3)]


def fit(
    model: nn.Module,
    watch: Watch,
    make: Callable[..., Any] = torch.optim.AdamW,
    call: Callable[[nn.Module, torch.Tensor], torch.Tensor] = lambda model, x: model(x),
) -> list[torch.Tensor]:
    optimizer = make(model.parameters(), lr=0.05)
    watch(model, optimizer)
    for step in range(STEPS):
        x, y = batch(step)
        optimizer.zero_grad()
        functional.cross_entropy(call(model, x), y).backward()
        optimizer.step()
    return ended(model)


@program
def dropout(watch: Watch) -> list[torch.Tensor]:
    return fit(network(), watch)


@program
def momentum_and_no_foreach(watch: Watch) -> list[torch.Tensor]:
    return fit(network(), watch, lambda w, lr: torch.optim.SGD(w, lr=lr, momentum=0.9, nesterov=True, foreach=False))


@program
def autocast_to_bfloat16(watch: Watch) -> list[torch.Tensor]:
    def call(model: nn.Module, x: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return model(x)

    return fit(network(), watch, call=call)


@program
def gradient_scaler(watch: Watch) -> list[torch.Tensor]:
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10, growth_interval=2)
    watch(model, optimizer)
    for step in range(STEPS):
        x, y = batch(step)
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(x), y)
        # The third step overflows: the scaler leaves it out.
        scaler.scale(loss * (torch.inf if step == 2 else 1.0)).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    return [*ended(model), torch.tensor(scaler.get_scale())]


@program
def accumulated_gradients(watch: Watch) -> list[torch.Tensor]:
    model = network()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    watch(model, optimizer)
    for step in range(STEPS * 2):
        x, y = batch(step)
        (functional.cross_entropy(model(x), y) / 2).backward()
        if step % 2:
            optimizer.step()
            optimizer.zero_grad()
    return ended(model)


@program
def two_optimizers(watch: Watch) -> list[torch.Tensor]:
    model = network()
    first, second = torch.optim.SGD(model[0].parameters(), lr=0.1), torch.optim.Adam(model[-1].parameters(), lr=0.01)
    watch(model, [first, second])
    schedule = torch.optim.lr_scheduler.StepLR(first, 2, 0.5)
    for step in range(STEPS):
        x, y = batch(step)
        model.zero_grad()
        functional.cross_entropy(model(x), y).backward()
        first.step()
        second.step()
        schedule.step()
    return ended(model)


@program
def checkpointing(watch: Watch) -> list[torch.Tensor]:
    return fit(network(), watch, call=lambda m, x: m[3:](checkpoint(m[:3], x, use_reentrant=False)))


class Checkpointed(nn.Module):
    """Parts of a network that are computed again in the backward pass."""

    def __init__(self, reentrant: bool) -> None:
        super().__init__()
        self.reentrant, self.first, self.last = reentrant, nn.Linear(6, 8), network(nn.Linear(8, 8))[3:]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = checkpoint(self.first, x, use_reentrant=self.reentrant)
        return checkpoint(self.last, hidden.relu(), use_reentrant=self.reentrant)


@program
def checkpointing_within(watch: Watch) -> list[torch.Tensor]:
    torch.manual_seed(0)
    return fit(Checkpointed(False), watch)


@program
def checkpointing_by_reentering(watch: Watch) -> list[torch.Tensor]:
    torch.manual_seed(0)
    return fit(Checkpointed(True), watch, call=lambda model, x: model(x.requires_grad_()))


@program
def checkpointing_of_the_root(watch: Watch) -> list[torch.Tensor]:
    return fit(network(), watch, call=lambda model, x: checkpoint(model, x, use_reentrant=False))


@program
def adversaries(watch: Watch) -> list[torch.Tensor]:
    torch.manual_seed(0)
    maker, judge = nn.Sequential(nn.Linear(4, 6), nn.Tanh()), nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 1))
    make, tell = torch.optim.Adam(maker.parameters(), lr=0.01), torch.optim.Adam(judge.parameters(), lr=0.01)
    watch(maker, make)
    watch(judge, tell)
    wrong = functional.binary_cross_entropy_with_logits
    for step in range(STEPS):
        made = maker(torch.randn(10, 4))
        tell.zero_grad()
        (wrong(judge(batch(step)[0]), torch.ones(10, 1)) + wrong(judge(made.detach()), torch.zeros(10, 1))).backward()
        tell.step()
        make.zero_grad()
        wrong(judge(made), torch.ones(10, 1)).backward()
        make.step()
    return ended(maker, judge)


@program
def forked_loader(watch: Watch) -> list[torch.Tensor]:
    model = network()
    optimizer = torch.optim.AdamW(model.parameters())
    watch(model, optimizer)
    data = torch.utils.data.TensorDataset(*batch())
    for x, y in torch.utils.data.DataLoader(data, 5, num_workers=1, multiprocessing_context="fork"):
        functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    return ended(model)


class Failing(nn.Module):
    """Fails in some calls, as where memory ends."""

    def __init__(self) -> None:
        super().__init__()
        self.net, self.fails = network(), False

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.net[0](x)
        if self.fails:
            raise MemoryError("no memory for this batch")
        return self.net[1:](hidden)


@program
def failing_batches(watch: Watch) -> list[torch.Tensor]:
    model = Failing()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    watch(model, optimizer)
    for step in range(STEPS * 2):
        x, y = batch(step)
        model.fails = step % 2 == 1
        optimizer.zero_grad()
        try:
            functional.cross_entropy(model(x), y).backward()
        except MemoryError:
            continue
        optimizer.step()
    return ended(model)


@program
def evaluation_between(watch: Watch) -> list[torch.Tensor]:
    model = network()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    watch(model, optimizer)
    for step in range(STEPS):
        x, y = batch(step)
        optimizer.zero_grad()
        with torch.no_grad():
            model(x)
        functional.cross_entropy(model(x), y).backward()
        optimizer.step()
        model.eval()(x)
        with torch.inference_mode():
            model(x)
        model.train()
    return ended(model)


@program
def replaced_and_added_modules(watch: Watch) -> list[torch.Tensor]:
    model = network()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    watch(model, optimizer)
    for step in range(STEPS):
        if step == 2:
            model[0] = nn.Linear(6, 8)
            model.append(nn.Linear(3, 3))
            optimizer.add_param_group({"params": [*model[0].parameters(), *model[-1].parameters()]})
        x, y = batch(step)
        optimizer.zero_grad()
        functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    return ended(model)


class Words(nn.Module):
    """A model of words whose first and last layer share a weight, or have a sparse gradient."""

    def __init__(self, tied: bool) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.words, self.out = nn.Embedding(12, 4, sparse=not tied), nn.Linear(4, 12, bias=False)
        if tied:
            self.out.weight = self.words.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(self.words(x.abs().mul(3).long().clamp(max=11)).mean(1))


@program
def tied_weights(watch: Watch) -> list[torch.Tensor]:
    return fit(Words(True), watch)


@program
def sparse_gradients(watch: Watch) -> list[torch.Tensor]:
    return [one.to_dense() for one in fit(Words(False), watch, torch.optim.SGD)]


class Odd(nn.Module):
    """Complex and short numbers, a buffer on the meta device, a weight without elements, one of a lazy module."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.turn = nn.Parameter(torch.randn(6, dtype=torch.complex64))
        self.none = nn.Parameter(torch.empty(0, 3))
        self.short = nn.Linear(6, 3).bfloat16()
        self.lazy = nn.LazyLinear(3)
        self.wide = nn.Parameter(torch.randn(3, dtype=torch.float64))
        self.register_buffer("nowhere", torch.empty(3, device="meta"))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        turned = torch.fft.ifft(torch.fft.fft(x) * self.turn).real
        return self.lazy(turned) + self.short(turned.bfloat16()).float() + self.none.sum() + self.wide.float()


@program
def odd_numbers(watch: Watch) -> list[torch.Tensor]:
    model = Odd()
    model(batch()[0])
    found = fit(model, watch, torch.optim.SGD)
    return [one for one in found if one.device.type != "meta"]


class Square(torch.autograd.Function):
    """A function with a backward pass of its own, which can be differentiated again."""

    @staticmethod
    def forward(context: Any, x: torch.Tensor) -> torch.Tensor:
        context.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(context: Any, *gradients: torch.Tensor) -> torch.Tensor:
        return 2 * context.saved_tensors[0] * gradients[0]


@program
def gradient_penalty(watch: Watch) -> list[torch.Tensor]:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 1))
    optimizer = torch.optim.RMSprop(model.parameters(), lr=0.01)
    watch(model, optimizer)
    for step in range(STEPS):
        x = batch(step)[0].requires_grad_()
        optimizer.zero_grad()
        score = Square.apply(model(x))
        (slope,) = torch.autograd.grad(score.sum(), x, create_graph=True)
        (score.mean() + (slope.norm(dim=1) - 1).square().mean()).backward()
        optimizer.step()
    return ended(model)


@program
def closures(watch: Watch) -> list[torch.Tensor]:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 3))
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=4, line_search_fn="strong_wolfe")
    watch(model, optimizer)
    x, y = batch()

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(x), y)
        loss.backward()
        return loss

    for _ in range(STEPS):
        optimizer.step(closure)
    return ended(model)


@program
def several_losses(watch: Watch) -> list[torch.Tensor]:
    model = network()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    watch(model, optimizer)
    for step in range(STEPS):
        x, y = batch(step)
        optimizer.zero_grad()
        output = model(x)
        functional.cross_entropy(output, y).backward(retain_graph=True)
        output.square().mean().backward()
        optimizer.step()
    return ended(model)


@program
def numbers_written_past_autograd(watch: Watch) -> list[torch.Tensor]:
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    watch(model, optimizer)
    for step in range(STEPS):
        x, y = batch(step)
        optimizer.zero_grad()
        functional.cross_entropy(model(x), y).backward()
        for weight in model.parameters():
            weight.data.mul_(0.99)
        optimizer.step()
    return ended(model)


@program
def averaged_copies(watch: Watch) -> list[torch.Tensor]:
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    watch(model, optimizer)
    average = torch.optim.swa_utils.AveragedModel(model)
    for step in range(STEPS):
        x, y = batch(step)
        optimizer.zero_grad()
        functional.cross_entropy(model(x), y).backward()
        optimizer.step()
        average.update_parameters(model)
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    loaded(batch()[0])
    copy.deepcopy(optimizer)
    return ended(model, average, loaded)


@program
def the_programs_own_mode(watch: Watch) -> list[torch.Tensor]:
    def call(model: nn.Module, x: torch.Tensor) -> torch.Tensor:
        with FlopCounterMode(display=False):
            return model(x)

    return fit(network(), watch, call=call)
