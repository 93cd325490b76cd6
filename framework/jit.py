"""`ms.jit`: compile a function, as a decorator or a call; `ms_function` is its name in MindSpore 0.x."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from framework.engine.api import Compiled

__all__ = ["jit", "ms_function"]


def jit(fn: Callable[..., Any] | None = None, *, input_signature: Any = None, **options: Any) -> Any:
    """Compile a function from its source when it is called.

    Args:
        fn: a function of tensors, or a Cell; left out where options are given: `@jit(jit_level="O1")`.
        input_signature: a tensor for each argument, or one for the only argument: `Tensor(shape=[None, 3],
            dtype=ms.float32)` stands for all with two dimensions, the second of length 3. The function is compiled once
            for all of them, and called with others it says what does not fit.
        options: of MindSpore's compilers; accepted, so that programs run unchanged, and without effect here.

    Returns:
        The compiled function. Tensors may have other elements in each call; for another shape, type, or value of an
        argument that is no tensor, it is compiled anew.
    """
    if fn is None:
        return lambda function: jit(function, input_signature=input_signature, **options)
    return Compiled(fn, input_signature)


ms_function = jit
