"""Hears on which tensors a program calls `backward`, by what a `GradScaler` multiplied them, and which steps it skips.

Used by runs. Functions of PyTorch are wrapped while a run listens, once for all runs of the process.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch

__all__ = ["Listener", "listen"]


class Listener(Protocol):
    """Hears of `backward`. No method may raise."""

    def begin_backward(self, loss: torch.Tensor | None, scale: torch.Tensor | None) -> None:
        """`backward` begins.

        Args:
            loss: The first tensor on which it is called, before a scaler multiplied it; None if there is none.
            scale: The scaler's factor; None without a scaler.
        """

    def end_backward(self) -> None:
        """`backward` has returned or failed."""

    def begin_gradients(self) -> None:
        """`torch.autograd.grad` begins."""

    def end_gradients(self) -> None:
        """`torch.autograd.grad` has returned or failed."""

    def begin_scaled(self, optimizer: torch.optim.Optimizer) -> None:
        """A scaler's `step` begins: it calls the optimizer, unless a gradient is not finite."""

    def end_scaled(self, optimizer: torch.optim.Optimizer) -> None:
        """The scaler's `step` has returned or failed."""


_listeners: list[Listener] = []
#: What a scaler returned last, what it was given, and its factor.
_scaled: list[tuple[weakref.ref[torch.Tensor], torch.Tensor, torch.Tensor]] = []
_undo: list[Callable[[], None]] = []


def listen(listener: Listener) -> Callable[[], None]:
    """Tell a listener of each call of `backward` from now on; returns what ends that."""
    if not _undo:
        _wrap()
    _listeners.append(listener)

    def stop() -> None:
        if listener in _listeners:
            _listeners.remove(listener)
        if not _listeners:
            while _undo:
                _undo.pop()()
            _scaled.clear()

    return stop


def _wrap() -> None:
    original = torch.autograd.backward

    def backward(tensors: Any, *args: Any, **kwargs: Any) -> None:
        listeners = list(_listeners)
        if not listeners:
            original(tensors, *args, **kwargs)
            return
        loss, scale = _loss_of(tensors)
        for listener in listeners:
            listener.begin_backward(loss, scale)
        try:
            original(tensors, *args, **kwargs)
        finally:
            for listener in listeners:
                listener.end_backward()

    torch.autograd.backward = backward
    # Another program that has wrapped it since keeps its wrapper: ours then passes calls on.
    _undo.append(lambda: _put_back(torch.autograd, "backward", backward, original))
    _wrap_gradients()
    scaler = torch.amp.GradScaler
    scale_before = scaler.scale

    def scale(self: Any, outputs: Any) -> Any:
        found = scale_before(self, outputs)
        factor = getattr(self, "_scale", None)
        if isinstance(found, torch.Tensor) and isinstance(factor, torch.Tensor) and found is not outputs:
            _scaled[:] = [(weakref.ref(found), outputs.detach(), factor.detach().clone())]
        return found

    scaler.scale = scale
    _undo.append(lambda: _put_back(scaler, "scale", scale, scale_before))
    step_before = scaler.step

    def step(self: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        listeners = list(_listeners)
        for listener in listeners:
            listener.begin_scaled(optimizer)
        try:
            return step_before(self, optimizer, *args, **kwargs)
        finally:
            for listener in listeners:
                listener.end_scaled(optimizer)

    scaler.step = step
    _undo.append(lambda: _put_back(scaler, "step", step, step_before))


def _wrap_gradients() -> None:
    original = torch.autograd.grad

    @functools.wraps(original)
    def grad(*args: Any, **kwargs: Any) -> Any:
        listeners = list(_listeners)
        for listener in listeners:
            listener.begin_gradients()
        try:
            return original(*args, **kwargs)
        finally:
            for listener in listeners:
                listener.end_gradients()

    torch.autograd.grad = grad
    _undo.append(lambda: _put_back(torch.autograd, "grad", grad, original))


def _put_back(owner: Any, name: str, ours: Any, original: Any) -> None:
    if getattr(owner, name) is ours:
        setattr(owner, name, original)


def _loss_of(tensors: torch.Tensor | Sequence[torch.Tensor]) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    """The first tensor, as it was before a scaler, and the scaler's factor."""
    first: Any = tensors
    if not isinstance(tensors, torch.Tensor):
        # An iterator would be used up.
        first = tensors[0] if isinstance(tensors, list | tuple) and tensors else None
    if not isinstance(first, torch.Tensor):
        return None, None
    for known, before, factor in _scaled:
        if known() is first:
            return before, factor
    return first, None
