"""The state of a PyTorch training before a step: weights, buffers, gradients, optimizers, random numbers."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Sequence
from operator import is_
from typing import Any, Final

import numpy as np
import torch

from mindinsight.torch.arrays import to_array, view_of
from mindinsight.torch.private import copy_all, is_lazy

__all__ = ["ModelTensors", "TorchState"]

_INTEGERS: Final = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


class ModelTensors:
    """The parameters and buffers of a model that have elements by now, each once, by name.

    A model seldom changes between steps: the names are found again where a module or a tensor is another object.

    Args:
        model: The root module.
    """

    def __init__(self, model: torch.nn.Module) -> None:
        self._model = model
        #: The modules, and the names and tensors in each, as they were when the names were found.
        self._parts: list[Any] = []
        self._parameters: list[tuple[str, torch.Tensor]] = []
        self._named: list[tuple[str, torch.Tensor]] = []

    def parameters(self) -> list[tuple[str, torch.Tensor]]:
        """The parameters, those without elements included."""
        self._look()
        return self._parameters

    def named(self) -> list[tuple[str, torch.Tensor]]:
        """The parameters and buffers that have elements."""
        self._look()
        return self._named

    def _look(self) -> None:
        parts = _parts_of(self._model)
        if len(parts) == len(self._parts) and all(map(is_, parts, self._parts)):
            return
        self._parameters = list(self._model.named_parameters())
        every = [*self._parameters, *self._model.named_buffers()]
        self._named = [(name, tensor) for name, tensor in every if not is_lazy(tensor)]
        # A weight gets its elements without becoming another object.
        self._parts = parts if len(self._named) == len(every) else []


def _parts_of(model: torch.nn.Module) -> list[Any]:
    """All of which the names of a model's tensors depend."""
    modules, seen, parts = [model], {model}, list[Any]()
    for module in modules:
        parts.append(module)
        for inner in (module._parameters, module._buffers, module._modules):
            if inner:
                parts += inner
                parts += inner.values()
        for child in module._modules.values():
            if child is not None and child not in seen:
                seen.add(child)
                modules.append(child)
    return parts


class TorchState:
    """A copy of all that a step depends on; see `debugging.contract.State`.

    Args:
        tensors: Those of the model.
        optimizers: What updates its weights.
    """

    def __init__(self, tensors: ModelTensors, optimizers: Sequence[torch.optim.Optimizer]) -> None:
        self._model, self._optimizers = tensors, optimizers
        #: Each tensor, the version that it had, and its elements.
        self._tensors: dict[str, tuple[torch.Tensor, int, torch.Tensor]] = {}
        self._gradients: dict[str, tuple[torch.Tensor, torch.Tensor] | None] = {}
        self._states: list[tuple[dict[Any, Any], list[dict[str, Any]]]] = []
        self._random: tuple[Any, ...] = ()
        #: The copies of the last time, whose memory is used again, and what must be equal for that.
        self._copies: list[torch.Tensor] = []
        self._looks: list[tuple[Any, ...]] = []
        #: Numpy arrays of copies, by the ids of these.
        self._views: dict[int, Any] = {}
        self.step = -1

    @property
    def nbytes(self) -> int:
        """Bytes of weights and buffers; the optimizers' states are not counted."""
        return sum(kept.numel() * kept.element_size() for _, _, kept in self._tensors.values())

    @property
    def arrays(self) -> dict[str, Any]:
        """The weights and buffers as numpy arrays by name."""
        found = {name: to_array(kept) for name, (_, _, kept) in self._tensors.items()}
        return {name: array for name, array in found.items() if array is not None}

    def view(self, name: str) -> Any:
        """The array of a weight or a buffer in the memory of this state; None if it has none."""
        known = self._tensors.get(name)
        if known is None:
            return None
        found = self._views.get(id(known[2]))
        if found is None:
            found = self._views[id(known[2])] = view_of(known[2])
        return found

    def take(self, step: int) -> None:
        """Copy the current state."""
        with torch.no_grad():
            named = self._model.named()
            gradients = [(name, weight.grad) for name, weight in self._model.parameters()]
            states = [
                {weight: dict(state) for weight, state in optimizer.state.items()} for optimizer in self._optimizers
            ]
            sources = [tensor for _, tensor in named]
            sources += [gradient for _, gradient in gradients if gradient is not None]
            sources += _tensors_in(states)
            kept = iter(self._copied(sources))
            self._tensors = {name: (tensor, _version(tensor), next(kept)) for name, tensor in named}
            self._gradients = {
                name: None if gradient is None else (gradient, next(kept)) for name, gradient in gradients
            }
            self._states = [
                _kept_optimizer(optimizer, state, kept)
                for optimizer, state in zip(self._optimizers, states, strict=True)
            ]
        devices = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
        self._random = (torch.get_rng_state(), random.getstate(), np.random.get_state(), devices)
        self.step = step

    def _copied(self, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
        """Copies of tensors, in the memory of the last copies if these are alike."""
        looks = [(type(one), one.dtype, one.shape, one.device, one.layout) for one in tensors]
        if looks == self._looks:
            copy_all(self._copies, tensors)
            return self._copies
        self._copies = [tensor.detach().clone() for tensor in tensors]
        self._views.clear()
        is_plain = all(one.layout is torch.strided and not one.is_quantized for one in tensors)
        self._looks = looks if is_plain else []
        return self._copies

    def restore(self) -> None:
        """Restore it bit for bit, and keep it. Tensors, gradients and groups stay the objects that they were."""
        with torch.no_grad():
            for tensor, version, kept in self._tensors.values():
                # A write raises the version, and a graph that waits for its backward pass may hold this one.
                if _version(tensor) != version or not _equal(tensor, kept):
                    _write(tensor, kept)
            for name, weight in self._model.parameters():
                if name not in self._gradients:
                    continue
                known = self._gradients[name]
                if known is not None and not _equal(known[0], known[1]):
                    _write(known[0], known[1])
                weight.grad = None if known is None else known[0]
            for optimizer, kept_state in zip(self._optimizers, self._states, strict=True):
                _restore_optimizer(optimizer, kept_state)
        state, python, numpy_state, devices = self._random
        torch.set_rng_state(state)
        random.setstate(python)
        np.random.set_state(numpy_state)
        if devices:
            torch.cuda.set_rng_state_all(list(devices))

    def forget(self) -> None:
        """Release it."""
        self._tensors, self._gradients, self._states = {}, {}, []
        self.step = -1


def _version(tensor: torch.Tensor) -> int:
    return -1 if tensor.is_inference() else tensor._version


def _equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors have the same elements; False if that cannot be said."""
    if one.device.type == "meta":
        return True
    if one.layout is not torch.strided or one.layout is not other.layout or one.shape != other.shape:
        return False
    return bool(torch.equal(_bits(one), _bits(other)))


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    """The elements as integers: zeros have signs, and NaN is equal to itself."""
    plain = torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor.detach()
    return plain.view(_INTEGERS[plain.element_size()])


def _write(tensor: torch.Tensor, kept: torch.Tensor) -> None:
    if tensor.layout is torch.strided and tensor.shape == kept.shape:
        tensor.copy_(kept)
    else:
        # A sparse tensor, or one whose memory was replaced.
        tensor.data = kept.clone()


def _tensors_in(value: Any) -> list[torch.Tensor]:
    """The tensors of nested lists, tuples and dicts, in the order in which `_copied` meets them."""
    if isinstance(value, torch.Tensor):
        return [value]
    if type(value) in (list, tuple):
        return [tensor for item in value for tensor in _tensors_in(item)]
    if type(value) is dict:
        return [tensor for item in value.values() for tensor in _tensors_in(item)]
    return []


def _copied(value: Any, copies: Iterator[torch.Tensor] | None = None) -> Any:
    """A copy of a part of an optimizer's state.

    Args:
        value: The part.
        copies: Those of its tensors, if they are made already.
    """
    if isinstance(value, torch.Tensor):
        return value.detach().clone() if copies is None else next(copies)
    if type(value) in (list, tuple):
        return type(value)(_copied(item, copies) for item in value)
    if type(value) is dict:
        return {key: _copied(item, copies) for key, item in value.items()}
    return value if isinstance(value, int | float | str | None) else copy.deepcopy(value)


def _kept_optimizer(
    optimizer: torch.optim.Optimizer, states: dict[Any, Any], copies: Iterator[torch.Tensor]
) -> tuple[dict[Any, Any], list[dict[str, Any]]]:
    """The state of each weight with the objects that hold it, and the options of each group.

    Args:
        optimizer: The optimizer.
        states: Its states by weight.
        copies: Those of the states' tensors.
    """
    states = {weight: (dict(state), _copied(state, copies)) for weight, state in states.items()}
    groups = [
        {name: (value, _copied(value)) for name, value in group.items() if name != "params"}
        for group in optimizer.param_groups
    ]
    return states, groups


def _restore_optimizer(optimizer: torch.optim.Optimizer, kept: tuple[dict[Any, Any], list[dict[str, Any]]]) -> None:
    states, groups = kept
    for weight in [weight for weight in optimizer.state if weight not in states]:
        del optimizer.state[weight]
    for weight, (objects, values) in states.items():
        _put(optimizer.state[weight], objects, values)
    for group, known in zip(optimizer.param_groups, groups, strict=False):
        params = group["params"]
        _put(group, {name: one for name, (one, _) in known.items()}, {name: two for name, (_, two) in known.items()})
        group["params"] = params


def _put(place: Any, objects: dict[Any, Any], values: dict[Any, Any]) -> None:
    """Give a mapping the values that it had; tensors stay the objects that they were."""
    for name in [name for name in place if name not in values and name != "params"]:
        del place[name]
    for name, value in values.items():
        known = objects[name]
        if isinstance(known, torch.Tensor):
            if not _equal(known, value):
                _write(known, value)
            place[name] = known
        else:
            place[name] = _copied(value)
