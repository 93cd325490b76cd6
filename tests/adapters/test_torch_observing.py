"""The observer's values stay those of their operators, and steps that are observed in part show the same operators."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-adapters` installs it")

import mindinsight.torch as mi  # noqa: E402 - only where torch is
from debugging.tensors.arrays import to_numpy  # noqa: E402
from debugging.tensors.recording import flat  # noqa: E402

nn = torch.nn


class Block(nn.Module):  # type: ignore[misc,name-defined]
    """Writes in place, keeps a tensor, and asks for a gradient within the forward pass."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm, self.act = nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), nn.ReLU(inplace=True)
        self.inner = nn.Sequential(nn.Linear(3 * 6 * 6, 8), nn.Tanh())
        self.memory = torch.zeros(4, 8)

    def forward(self, x: Any) -> Any:
        hidden = self.inner(torch.sigmoid(self.act(self.norm(self.conv(x)))).flatten(1)) * 2
        with torch.no_grad():
            self.memory.mul_(0.5).add_(hidden.detach())
        (slope,) = torch.autograd.grad(hidden.sum(), hidden, create_graph=True)
        self.last = hidden
        return hidden.relu() + slope


class Training:
    """A training whose every step is the same function."""

    def __init__(self, folder: Path) -> None:
        torch.manual_seed(0)
        self.model = Block()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)
        self.run = mi.watch(self.model, self.optimizer, folder, graph=False, histograms=0)
        self.pictures = torch.randn(4, 1, 8, 8, generator=torch.Generator().manual_seed(1))

    def step(self) -> None:
        """One step: what the program writes behind it is no part of it."""
        self.optimizer.zero_grad()
        nn.functional.cross_entropy(self.model(self.pictures), torch.arange(4)).backward()
        self.optimizer.step()

    def spoil(self) -> None:
        """Write into all that the program still has."""
        with torch.no_grad():
            for tensor in [self.model.last, self.model.memory, *self.model.parameters(), *self.model.buffers()]:
                tensor.fill_(7)
            for weight in self.model.parameters():
                weight.grad.fill_(7)
                self.optimizer.state[weight]["momentum_buffer"].fill_(7)


@contextmanager
def trained(folder: Path) -> Iterator[Training]:
    """A training that has made two steps."""
    made = Training(folder)
    with made.run:
        made.step()
        made.step()
        yield made


def arrays_of(execution: Any) -> list[np.ndarray[Any, Any]]:
    """Copies of the inputs and outputs of an operator."""
    items = [*flat(execution.inputs), *flat((execution.outputs,))]
    return [np.array(to_numpy(item)) for item in items if hasattr(item, "dtype") and hasattr(item, "shape")]


def executed(training: Training, names: frozenset[str] | None = None) -> dict[str, list[np.ndarray[Any, Any]]]:
    """The operators of a step with their arrays, copied while they run."""
    found: dict[str, list[np.ndarray[Any, Any]]] = {}

    def see(execution: Any) -> None:
        found[execution.full_name] = arrays_of(execution)

    with training.run._training.watching(see, names):
        training.step()
    return found


def test_values_that_are_held_stay_as_they_were(tmp_path: Path) -> None:
    with trained(tmp_path / "copied") as training:
        expected = executed(training)
    with trained(tmp_path / "held") as training:
        held: list[Any] = []
        with training.run._training.watching(held.append):
            training.step()
        training.spoil()
        assert [one.full_name for one in held] == list(expected)
        for one in held:
            for mine, its in zip(arrays_of(one), expected[one.full_name], strict=True):
                np.testing.assert_array_equal(mine, its, err_msg=one.full_name)
    assert any(name.startswith("Optimizer/SGD/") for name in expected)


def test_observing_leaves_the_weights_alone(tmp_path: Path) -> None:
    weights = []
    for is_observed in (False, True):
        with trained(tmp_path / str(is_observed)) as training:
            for _ in range(3):
                executed(training) if is_observed else training.step()
            weights.append([one.detach().clone() for one in (*training.model.parameters(), training.model.memory)])
    assert all(torch.equal(one, other) for one, other in zip(*weights, strict=True))


def test_operators_that_are_wanted_by_name_are_those_of_the_whole_step(tmp_path: Path) -> None:
    with trained(tmp_path / "whole") as training:
        every = executed(training)
    kinds = ("ReLU-op", "Tanh-op", "Sigmoid-op", "LogSoftmax-op", "/Grad_Addmm/", "/Grad_Threshold", "/Grad_Mul/")
    wanted = frozenset(name for name in every if any(kind in name for kind in kinds))
    scopes = {name.rpartition("/")[0] for name in wanted}
    assert {"Default/network-Block", "Default/network-Block/inner-Sequential/1-Tanh"} <= scopes
    # `torch.autograd.grad` in the forward pass, and `backward`.
    assert len([name for name in wanted if name.startswith("Gradients/")]) > 3
    for names in (wanted, *(frozenset({name}) for name in sorted(wanted))):
        with trained(tmp_path / "part") as training:
            found = executed(training, names)
        assert found.keys() == names
        for name, arrays in found.items():
            for mine, its in zip(arrays, every[name], strict=True):
                np.testing.assert_array_equal(mine, its, err_msg=name)


def test_a_mode_of_the_program_stays_entered(tmp_path: Path) -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    class Counts(TorchDispatchMode):  # type: ignore[misc]
        """Counts operators."""

        seen = 0

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            Counts.seen += 1
            return func(*args, **(kwargs or {}))

    def count(names: frozenset[str] | None) -> int:
        with trained(tmp_path / "run") as training:
            forward = training.model.inner.forward

            def counted(x: Any) -> Any:
                with Counts():
                    return forward(x)

            training.model.inner.forward = counted
            Counts.seen = 0
            executed(training, names) if names != frozenset() else training.step()
            assert torch.utils._python_dispatch._get_current_dispatch_mode() is None
        return Counts.seen

    alone = count(frozenset())
    assert alone > 0
    assert count(None) == alone
    assert count(frozenset({"Default/network-Block/inner-Sequential/1-Tanh/Tanh-op0"})) == alone
