"""`ms.jit`: compile a function, as a decorator or a call; `ms_function` is its name in MindSpore 0.x.

`jit_class` and the like mark what MindSpore's compilers treat otherwise; here both modes run it as it is.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any, TypeVar

from framework.engine.call.compiled import Compiled
from framework.infer.evaluators.functional import compiles_already
from framework.infer.evaluators.registry import register

__all__ = ["jit", "jit_class", "lazy_inline", "ms_class", "ms_function", "ms_memory_recycle", "no_inline"]

T = TypeVar("T")


def jit(
    fn: Callable[..., Any] | None = None, *, input_signature: Any = None, dynamic: int | None = None, **options: Any
) -> Any:
    """Compile a function from its source when it is called.

    Args:
        fn: a function of tensors, or a Cell; left out where options are given: `@jit(jit_level="O1")`.
        input_signature: a tensor for each argument, or one for the only argument: `Tensor(shape=[None, 3],
            dtype=ms.float32)` stands for all with two dimensions, the second of length 3. The function is compiled once
            for all of them, and called with others it says what does not fit.
        dynamic: 0 compiles anew for each length of a leading dimension. Left out, two lengths have programs of their
            own, and the third gets one that serves all others; a length that came hundreds of times gets its own.
        options: of MindSpore's compilers; accepted, so that programs run unchanged, and without effect here.

    Returns:
        The compiled function. Tensors may have other elements in each call; for another shape, type, or value of an
        argument that is no tensor, it is compiled anew.
    """
    if fn is None:
        return lambda function: jit(function, input_signature=input_signature, dynamic=dynamic, **options)
    return Compiled(fn, input_signature, static=dynamic == 0)


ms_function = jit
register(jit)(compiles_already)


def jit_class(cls: T) -> T:
    """Mark a class whose objects compiled functions use; they may anyway.

    Raises:
        TypeError: it is no class.
    """
    if not isinstance(cls, type):
        raise TypeError(f"jit_class decorates a class, not a {type(cls).__name__}")
    return cls


ms_class = jit_class


def lazy_inline(fn: Any = None, attrs: Any = None, policy: Any = None) -> Any:
    """Mark a Cell's `__init__` whose graph MindSpore puts into its callers late; without effect on what is computed."""
    del attrs, policy
    return fn if callable(fn) else lambda function: function


def no_inline(fn: Any = None) -> Any:
    """Mark a function that MindSpore keeps out of its callers; without effect on what is computed."""
    return fn if callable(fn) else lambda function: function


def ms_memory_recycle() -> None:
    """Give back memory that nobody uses any more."""
    gc.collect()
