"""Hooks: functions that are called around a Cell, forward and backward, in PyNative mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from framework.common.tensor import Tensor, from_array
from framework.pynative.gradient import is_recording, record, runs_in_place_of_compiled
from framework.pynative.tensor_hooks import HookHandle

__all__ = ["HookHandle", "Hooks"]

Hook = Callable[..., Any]
"""A function of a user."""


class _Entry:
    """A registered hook.

    Args:
        hook: the function.
        with_kwargs: whether it takes the inputs by name.
        always: whether it is called although the Cell has raised an error.
    """

    __slots__ = ("always", "hook", "with_kwargs")

    def __init__(self, hook: Hook, with_kwargs: bool, always: bool) -> None:
        self.hook, self.with_kwargs, self.always = hook, with_kwargs, always


class Hooks:
    """The hooks of one Cell, in one list for each kind."""

    def __init__(self) -> None:
        self.before: list[_Entry] = []
        self.after: list[_Entry] = []
        self.before_backward: list[_Entry] = []
        self.after_backward: list[_Entry] = []

    def add(
        self, when: str, hook: Hook, prepend: bool = False, with_kwargs: bool = False, always: bool = False
    ) -> HookHandle:
        """Register a hook.

        Args:
            when: name of the list.
            hook: the function.
            prepend: call it before those that are there.
            with_kwargs: whether it takes the inputs by name.
            always: whether it is called although the Cell has raised an error.

        Returns:
            A handle to remove the hook.

        Raises:
            TypeError: the hook is not a function.
        """
        if not callable(hook):
            raise TypeError(f"a hook must be a function, not {type(hook).__name__}")
        entries: list[_Entry] = getattr(self, when)
        entry = _Entry(hook, with_kwargs, always)
        entries.insert(0 if prepend else len(entries), entry)
        return HookHandle(entries, entry)

    def run(self, cell: object, args: tuple[Any, ...], kwargs: dict[str, Any], compute: Callable[..., Any]) -> Any:
        """Compute a Cell with its hooks. Compiled functions ignore hooks.

        Args:
            cell: the Cell, first argument of the hooks.
            args: its inputs.
            kwargs: its inputs by name.
            compute: function from both to the outputs.

        Returns:
            The outputs, as the hooks have changed them.
        """
        if runs_in_place_of_compiled():
            return compute(args, kwargs)
        for entry in list(self.before):
            args, kwargs = _before(entry, cell, args, kwargs)
        backward = None
        if (self.before_backward or self.after_backward) and is_recording():
            backward = _Backward(cell, self)
            args = backward.inputs(args)
        try:
            out = compute(args, kwargs)
        except Exception:
            for entry in list(self.after):
                if entry.always:
                    _after(entry, cell, args, kwargs, None)
            raise
        if backward is not None:
            out = backward.outputs(out)
        for entry in list(self.after):
            changed = _after(entry, cell, args, kwargs, out)
            out = out if changed is None else changed
        return out


def _before(
    entry: _Entry, cell: object, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The inputs, possibly replaced by a hook."""
    if entry.with_kwargs:
        changed = entry.hook(cell, args, kwargs)
        if changed is None:
            return args, kwargs
        if not (isinstance(changed, tuple) and len(changed) == 2):
            raise RuntimeError(f"a pre-hook with kwargs must return None or a pair of args and kwargs, not {changed!r}")
        return (changed[0] if isinstance(changed[0], tuple) else (changed[0],)), changed[1]
    changed = entry.hook(cell, args)
    if changed is None:
        return args, kwargs
    return (changed if isinstance(changed, tuple) else (changed,)), kwargs


def _after(entry: _Entry, cell: object, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> Any:
    return entry.hook(cell, args, kwargs, out) if entry.with_kwargs else entry.hook(cell, args, out)


class _Backward:
    """One call of a Cell with backward hooks: an identity operator on each side records the gradients."""

    def __init__(self, cell: object, hooks: Hooks) -> None:
        self.cell, self.hooks = cell, hooks
        self.grad_output: tuple[Any, ...] = ()
        self.is_watched = False

    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The inputs, passed through an operator whose backward function calls the hooks."""
        tensors = tuple(item for item in args if isinstance(item, Tensor))
        passed = record(self._of_inputs, tensors, _alike(tensors), "Hook") if tensors else ()
        self.is_watched = any(new._node != 0 for new in passed)
        remaining = iter(passed)
        return tuple(next(remaining) if isinstance(item, Tensor) else item for item in args)

    def outputs(self, out: Any) -> Any:
        """The outputs, passed through an operator whose backward function keeps their gradients."""
        tensors = out if isinstance(out, tuple) else (out,)
        passed = record(self._of_outputs, tensors, _alike(tensors), "Hook")
        return passed if isinstance(out, tuple) else passed[0]

    def _of_outputs(self, *values: Any) -> tuple[Any, ...]:
        hooks = self.hooks.before_backward
        self.grad_output = _replaced(hooks, values[-1], lambda hook, gradients: hook(self.cell, gradients))
        if not self.is_watched:
            self._call_after((None,))
        return self.grad_output

    def _of_inputs(self, *values: Any) -> tuple[Any, ...]:
        return self._call_after(values[-1])

    def _call_after(self, gradients: tuple[Any, ...]) -> tuple[Any, ...]:
        hooks = self.hooks.after_backward
        return _replaced(hooks, gradients, lambda hook, grads: hook(self.cell, grads, self.grad_output))


def _replaced(entries: list[_Entry], values: tuple[Any, ...], call: Callable[[Hook, Any], Any]) -> tuple[Any, ...]:
    """The values, possibly replaced by hooks."""
    for entry in list(entries):
        changed = call(entry.hook, values)
        if changed is not None:
            values = changed if isinstance(changed, tuple) else (changed,)
    return values


def _alike(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return tuple(from_array(item._data) for item in tensors)
