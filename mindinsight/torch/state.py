"""The state of a PyTorch training before a step: weights, buffers, gradients, optimizers, random numbers."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch

from mindinsight.torch.arrays import to_array

__all__ = ["TorchState"]


class TorchState:
    """A copy of all that a step depends on; see `debugging.contract.State`.

    Args:
        model: The root module.
        optimizers: What updates its weights.
    """

    def __init__(self, model: torch.nn.Module, optimizers: Sequence[torch.optim.Optimizer]) -> None:
        self._model, self._optimizers = model, optimizers
        self._tensors: dict[str, torch.Tensor] = {}
        self._gradients: dict[str, torch.Tensor | None] = {}
        self._states: list[Any] = []
        self._random: tuple[Any, ...] = ()
        self.step = -1

    @property
    def nbytes(self) -> int:
        """Bytes of weights and buffers; the optimizers' states are not counted."""
        return sum(tensor.numel() * tensor.element_size() for tensor in self._tensors.values())

    @property
    def arrays(self) -> dict[str, Any]:
        """The weights and buffers as numpy arrays by name."""
        found = {name: to_array(tensor) for name, tensor in self._tensors.items()}
        return {name: array for name, array in found.items() if array is not None}

    def take(self, step: int) -> None:
        """Copy the current state."""
        with torch.no_grad():
            self._tensors = {name: tensor.detach().clone() for name, tensor in self._named()}
            self._gradients = {
                name: None if weight.grad is None else weight.grad.detach().clone()
                for name, weight in self._model.named_parameters()
            }
        self._states = [copy.deepcopy(optimizer.state_dict()) for optimizer in self._optimizers]
        self._random = (torch.get_rng_state(), *(torch.cuda.get_rng_state_all() if torch.cuda.is_available() else ()))
        self.step = step

    def restore(self) -> None:
        """Restore it bit for bit, and keep it."""
        with torch.no_grad():
            for name, tensor in self._named():
                if name in self._tensors:
                    tensor.copy_(self._tensors[name])
            for name, weight in self._model.named_parameters():
                kept = self._gradients.get(name)
                weight.grad = None if kept is None else kept.clone()
        for optimizer, kept in zip(self._optimizers, self._states, strict=True):
            optimizer.load_state_dict(copy.deepcopy(kept))
        torch.set_rng_state(self._random[0])
        if len(self._random) > 1:
            torch.cuda.set_rng_state_all(list(self._random[1:]))

    def forget(self) -> None:
        """Release it."""
        self._tensors, self._gradients, self._states = {}, {}, []
        self.step = -1

    def _named(self) -> list[tuple[str, torch.Tensor]]:
        return [*self._model.named_parameters(), *self._model.named_buffers()]
