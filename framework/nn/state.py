"""The state of a Cell as a dictionary: its parameters and buffers by their paths through the Cells."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self, cast

import numpy as np

from framework.common.device import device_target
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.nn.tree import Tree

if TYPE_CHECKING:
    from framework.nn.cell import Cell

__all__ = ["IncompatibleKeys", "Stateful"]

_EXTRA = "_extra_state"


class IncompatibleKeys(NamedTuple):
    """The keys that `load_state_dict` could not use.

    Args:
        missing_keys: parameters and buffers of the Cell that the dictionary lacks.
        unexpected_keys: keys of the dictionary that the Cell does not have.
    """

    missing_keys: list[str]
    unexpected_keys: list[str]


class StateHandle:
    """A registered hook of the state, which can be removed.

    Args:
        hooks: list that contains the hook.
        hook: the function.
    """

    def __init__(self, hooks: list[Callable[..., Any]], hook: Callable[..., Any]) -> None:
        self._hooks, self._hook = hooks, hook

    def remove(self) -> None:
        """Remove the hook; a second call does nothing."""
        if self._hook in self._hooks:
            self._hooks.remove(self._hook)


class Stateful(Tree):
    """The state of a Cell: parameters, buffers, and the result of `get_extra_state` of a subclass."""

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that belongs to the state of this Cell but is not a parameter. It is read as an attribute.

        Args:
            name: name of the attribute.
            tensor: the tensor; None for one that comes later.
            persistent: whether `state_dict` has it.

        Raises:
            TypeError: the name is no string, or the tensor no tensor.
            KeyError: the name is empty, contains a dot, or is that of another attribute.
        """
        if not isinstance(name, str):
            raise TypeError(f"the name of a buffer must be a string, not {type(name).__name__}")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"buffer {name!r} must be a Tensor or None, not {type(tensor).__name__}")
        buffers = self.__dict__.setdefault("_buffers", {})
        if not name or "." in name or (name not in buffers and hasattr(self, name)):
            raise KeyError(f"a buffer cannot have the name {name!r}: it is empty, has a dot, or is another attribute's")
        buffers[name] = tensor
        passing = self.__dict__.setdefault("_passing_buffers", set())
        (passing.discard if persistent else passing.add)(name)

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Each buffer with its path through the Cells.

        Args:
            prefix: path of this Cell.
            recurse: include the buffers of inner Cells.
            remove_duplicate: leave out a tensor that came before.

        Returns:
            Pairs of a path and a tensor.
        """
        seen: set[int] = set()
        own = [(prefix, cast("Cell", self))]
        for path, cell in self.cells_and_names(name_prefix=prefix) if recurse else own:
            for name, tensor in cell.__dict__.get("_buffers", {}).items():
                if tensor is not None and not (remove_duplicate and id(tensor) in seen):
                    seen.add(id(tensor))
                    yield f"{path}.{name}" if path else name, tensor

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Each buffer once.

        Args:
            recurse: include the buffers of inner Cells.

        Returns:
            The tensors.
        """
        return (tensor for _, tensor in self.named_buffers(recurse=recurse))

    def get_buffer(self, target: str) -> Tensor:
        """A buffer by its path.

        Args:
            target: path through the Cells, such as `block.mean`.

        Returns:
            The tensor.

        Raises:
            AttributeError: there is no buffer of that path.
        """
        path, _, name = target.rpartition(".")
        held = self.get_sub_cell(path).__dict__.get("_buffers", {})
        if name not in held:
            raise AttributeError(f"there is no buffer {target!r}")
        found: Tensor = held[name]
        return found

    def get_extra_state(self) -> Any:
        """Further state for `state_dict`. Subclasses that have some define this and `set_extra_state`."""
        raise NotImplementedError(f"{type(self).__name__} has no extra state: define get_extra_state")

    def set_extra_state(self, state: Any) -> None:
        """Restore the result of `get_extra_state`.

        Args:
            state: the further state.
        """
        raise NotImplementedError(f"{type(self).__name__} has no extra state: define set_extra_state")

    def state_dict(
        self, *, destination: dict[str, Any] | None = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """The parameters and persistent buffers of this Cell and its inner Cells, by their paths. Nothing is copied.

        Args:
            destination: dictionary that takes them; None for a new one.
            prefix: text before each path.
            keep_vars: accepted for compatibility; has no effect.

        Returns:
            The dictionary.
        """
        destination = OrderedDict() if destination is None else destination
        for hook in self._state_hooks("before_saving"):
            hook(self, prefix, keep_vars)
        destination.update({prefix + name: item for name, item in self._own_state().items()})
        if type(self).get_extra_state is not Stateful.get_extra_state:
            destination[prefix + _EXTRA] = self.get_extra_state()
        for name, cell in self._cells.items():
            cell.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_hooks("after_saving"):
            hook(self, destination, prefix, {})
        return destination

    def _own_state(self) -> dict[str, Tensor]:
        """The parameters and persistent buffers of this Cell alone, by name."""
        passing = self.__dict__.get("_passing_buffers", ())
        held = self.__dict__.get("_buffers", {}).items()
        return {**self._params, **{name: item for name, item in held if item is not None and name not in passing}}

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> IncompatibleKeys:
        """Copy parameters and buffers from a dictionary made by `state_dict`.

        Args:
            state_dict: values by path.
            strict: refuse keys that are missing or too many.

        Returns:
            The keys that are missing, and those that are too many.

        Raises:
            TypeError: `state_dict` is no dictionary.
            RuntimeError: a value has another shape, or with `strict`, a key is missing or too many.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"state_dict must be a dictionary, not {type(state_dict).__name__}")
        keys, errors = IncompatibleKeys([], []), list[str]()
        self._load(dict(state_dict), "", keys, errors)
        if strict and keys.unexpected_keys:
            errors.append(f"unexpected keys: {', '.join(keys.unexpected_keys)}")
        if strict and keys.missing_keys:
            errors.append(f"missing keys: {', '.join(keys.missing_keys)}")
        if errors:
            raise RuntimeError(f"the state does not fit {type(self).__name__}: {'; '.join(errors)}")
        return keys

    def _load(self, state: dict[str, Any], prefix: str, keys: IncompatibleKeys, errors: list[str]) -> None:
        for hook in self._state_hooks("before_loading"):
            hook(self, state, prefix, {}, True, *keys, errors)
        own = self._own_state()
        for name, item in own.items():
            if prefix + name not in state:
                keys.missing_keys.append(prefix + name)
                continue
            new = Tensor(state[prefix + name], item.dtype)
            if new.shape != item.shape:
                errors.append(f"{prefix}{name} has shape {tuple(item.shape)}, not {tuple(new.shape)}")
            else:
                item._data = new._data
        known = {*own, *self._cells}
        if type(self).set_extra_state is not Stateful.set_extra_state:
            known.add(_EXTRA)
            if prefix + _EXTRA in state:
                self.set_extra_state(state[prefix + _EXTRA])
            else:
                keys.missing_keys.append(prefix + _EXTRA)
        mine = [key for key in state if key.startswith(prefix)]
        keys.unexpected_keys.extend(key for key in mine if not _is_of(key[len(prefix) :], known, self._cells))
        for name, cell in self._cells.items():
            cell._load(state, f"{prefix}{name}.", keys, errors)
        for hook in self._state_hooks("after_loading"):
            hook(self, keys)

    def _state_hooks(self, when: str) -> list[Callable[..., Any]]:
        return list(self.__dict__.get("_hooks_of_state", {}).get(when, ()))

    def _add_state_hook(self, when: str, hook: Callable[..., Any]) -> StateHandle:
        hooks = self.__dict__.setdefault("_hooks_of_state", {}).setdefault(when, [])
        hooks.append(hook)
        return StateHandle(hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> StateHandle:
        """Register `hook(cell, prefix, keep_vars)`, called before `state_dict` collects this Cell's state."""
        return self._add_state_hook("before_saving", hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> StateHandle:
        """Register `hook(cell, state_dict, prefix, metadata)`, called after it; it may change the dictionary."""
        return self._add_state_hook("after_saving", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> StateHandle:
        """Register a hook that is called before `load_state_dict` loads this Cell, and may change the dictionary.

        Args:
            hook: `hook(cell, state_dict, prefix, metadata, strict, missing_keys, unexpected_keys, errors)`.

        Returns:
            A handle to remove the hook.
        """
        return self._add_state_hook("before_loading", hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> StateHandle:
        """Register `hook(cell, incompatible_keys)`, called after `load_state_dict` has loaded this Cell."""
        return self._add_state_hook("after_loading", hook)

    def to(
        self,
        device_or_dtype: str | DType | Tensor | None = None,
        dtype: DType | None = None,
        non_blocking: bool = False,
        *,
        device: str | None = None,
    ) -> Self:
        """Cast the floating-point parameters and buffers of this Cell and all inner Cells.

        Args:
            device_or_dtype: an element type; a tensor of the wanted type; or the name of the device that computes.
            dtype: floating-point or complex element type; None for no cast.
            non_blocking: accepted for compatibility; has no effect.
            device: the name of the device that computes.

        Returns:
            This Cell.

        Raises:
            TypeError: the type is not a floating-point or complex type.
            ValueError: the device is not the one that computes.
        """
        if isinstance(device_or_dtype, Tensor):
            dtype = device_or_dtype.dtype
        elif isinstance(device_or_dtype, DType):
            dtype = device_or_dtype
        elif device_or_dtype is not None:
            device = device_or_dtype
        _check_device(device)
        if dtype is not None:
            if not _is_inexact(dtype):
                raise TypeError(f"to: the type must be a floating-point or complex type, not {dtype}")
            for item in (*self.get_parameters(), *self.buffers()):
                if _is_inexact(item.dtype):
                    item._data = item._data.astype(dtype.numpy)
        return self


def _is_inexact(dtype: DType) -> bool:
    return np.issubdtype(dtype.numpy, np.inexact)


def _check_device(name: str | None) -> None:
    if name is not None and str(name).partition(":")[0].upper() != device_target():
        raise ValueError(
            f"to: parameters are on {device_target()}, the context's device_target; they cannot move to {name!r}"
        )


def _is_of(name: str, known: set[str], cells: Mapping[str, Any]) -> bool:
    """Whether the rest of a key names a member of a Cell, or of one of its inner Cells."""
    first, dot, _ = name.partition(".")
    return first in cells if dot and name not in known else name in known
