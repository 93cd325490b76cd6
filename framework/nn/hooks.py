"""Hooks: functions that are called around a Cell, forward and backward, in PyNative mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from framework.common.tensor import Tensor, from_array
from framework.pynative.gradient import is_recording, record
from framework.pynative.tensor_hooks import HookHandle

__all__ = ["HookHandle", "Hooks"]

Hook = Callable[..., Any]


class Hooks:
    """The hooks of one Cell, in one list for each time of the call."""

    def __init__(self) -> None:
        self.before: list[Hook] = []
        self.after: list[Hook] = []
        self.before_backward: list[Hook] = []
        self.after_backward: list[Hook] = []

    @staticmethod
    def add(hooks: list[Hook], hook: Hook) -> HookHandle:
        """Register a hook.

        Args:
            hooks: list to add it to.
            hook: the function.

        Returns:
            A handle to remove the hook.

        Raises:
            TypeError: the hook is not a function.
        """
        if not callable(hook):
            raise TypeError(f"a hook must be a function, not {type(hook).__name__}")
        hooks.append(hook)
        return HookHandle(hooks, hook)

    def run(self, cell: object, args: tuple[Any, ...], compute: Callable[[tuple[Any, ...]], Any]) -> Any:
        """Compute a Cell with its hooks around it.

        Args:
            cell: the Cell, first argument of the hooks.
            args: its inputs.
            compute: function from the inputs to the outputs.

        Returns:
            The outputs, as the hooks have changed them.
        """
        args = _replaced(self.before, args, lambda hook, inputs: hook(cell, inputs))
        backward = None
        if (self.before_backward or self.after_backward) and is_recording():
            backward = _Backward(cell, self)
            args = backward.inputs(args)
        out = compute(args)
        if backward is not None:
            out = backward.outputs(out)
        for hook in list(self.after):
            changed = hook(cell, args, out)
            out = out if changed is None else changed
        return out


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


def _replaced(hooks: list[Hook], values: tuple[Any, ...], call: Callable[[Hook, Any], Any]) -> tuple[Any, ...]:
    """The values after each hook has replaced them or left them."""
    for hook in list(hooks):
        changed = call(hook, values)
        if changed is not None:
            values = changed if isinstance(changed, tuple) else (changed,)
    return values


def _alike(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return tuple(from_array(item._data) for item in tensors)
