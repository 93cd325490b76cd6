"""`Tensor.register_hook`: functions that see, and may replace, the gradient by a tensor.

This is what PyNative mode does; graph mode puts `InsertGradientOf` in its place (`framework.infer`).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from framework.common.tensor import Tensor
from framework.pynative.tape import tape

__all__ = ["HookChanges", "HookHandle", "changes", "hooks", "register_hook"]

Hook = Callable[..., Any]


class HookChanges:
    """The changes of hooks of tensors that stay, such as Parameters. Compiled gradients depend on them.

    Attributes:
        count: of the changes so far.
        heard_by: what is called after each change.
    """

    def __init__(self) -> None:
        self.count = 0
        self.heard_by: list[Callable[[], None]] = []

    def note(self) -> None:
        """Note a change."""
        self.count += 1
        for hear in self.heard_by:
            hear()


changes = HookChanges()


class HookHandle:
    """A registered hook, which can be removed.

    Args:
        hooks: list that contains the hook.
        hook: the function.
    """

    def __init__(self, hooks: list[Any], hook: object) -> None:
        self._hooks, self._hook = hooks, hook

    def remove(self) -> None:
        """Remove the hook; a second call does nothing."""
        if self._hook in self._hooks:
            self._hooks.remove(self._hook)
            changes.note()


def register_hook(self: Tensor, hook: Hook) -> HookHandle:
    """Call a function with the gradient by this tensor, once all that contributes to it is added up.

    On a tensor that is computed while a gradient is being taken, the hook holds for that gradient; on any other, such
    as a Parameter, until it is removed. Several hooks run in the order in which they were registered. A compiled
    function runs the hooks that it registers itself, on a tensor that it has not used yet. One that takes the gradient
    by a Parameter with hooks runs line by line, so that they run too.

    Args:
        hook: a function of the gradient, a tensor. What it returns replaces the gradient, unless that is None.

    Returns:
        A handle, whose `remove()` removes the hook.

    Raises:
        TypeError: the hook is not a function.

    Example:
        >>> def f(x):
        ...     y = x * 3
        ...     y.register_hook(lambda gradient: gradient * 10)
        ...     return y * y
        >>> print(ms.grad(f)(Tensor(1.0)))
        180.0
    """
    if not callable(hook):
        raise TypeError(f"a hook must be a function, not {type(hook).__name__}")
    hooks = _hooks_of(self)
    hooks.append(hook)
    return HookHandle(hooks, hook)


def _hooks_of(tensor: Tensor) -> list[Hook]:
    """The hooks of a tensor; from the first on, the tape knows of them."""
    if tape.is_active(tensor._node):
        return tape.hooks.setdefault(tensor._node, [])
    key = id(tensor)
    if key not in tape.kept_hooks:
        # The list goes with the tensor: another may get its id.
        weakref.finalize(tensor, tape.kept_hooks.pop, key, None)
        tape.kept_hooks[key] = []
    changes.note()
    return tape.kept_hooks[key]


def hooks(self: Tensor) -> list[Hook]:
    """The functions that are registered on this tensor, in the order in which they run."""
    found = tape.hooks.get(self._node) if tape.is_active(self._node) else tape.kept_hooks.get(id(self))
    return list(found or ())


setattr(Tensor, "register_hook", register_hook)  # noqa: B010
setattr(Tensor, "hooks", hooks)  # noqa: B010
