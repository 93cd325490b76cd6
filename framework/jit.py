"""`ms.jit` compiles a function, as a decorator or by a call. `ms_function` is its name in MindSpore 0.x.

`jit_class` and similar decorators are for MindSpore's compilers. Here they change nothing.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any, TypeVar

from framework.common.jit_config import JitConfig
from framework.engine.call.parts import CompiledInParts
from framework.infer.evaluators.functional import compiles_already
from framework.infer.evaluators.registry import register
from framework.nn.cell import Cell

__all__ = ["jit", "jit_class", "lazy_inline", "ms_class", "ms_function", "ms_memory_recycle", "no_inline"]

T = TypeVar("T")


def jit(
    function: Callable[..., Any] | type | None = None,
    *,
    input_signature: Any = None,
    dynamic: int | None = None,
    fullgraph: bool = False,
    jit_config: JitConfig | None = None,
    fn: Callable[..., Any] | type | None = None,
    **options: Any,
) -> Any:
    """Compile a function from its source when it is called.

    Args:
        function: a function of tensors, a Cell, a method of an object, or a class of Cells, whose `construct` is then
            compiled. It is left out if options are given: `@jit(jit_level="O1")`.
        input_signature: a tensor for each argument, or one for the only argument. `Tensor(shape=[None, 3],
            dtype=ms.float32)` stands for all tensors with two dimensions of which the second has length 3. The function
            is compiled once for all of them. A call with another tensor is an error that names the difference.
        dynamic: 0 compiles the function for each length of a leading dimension. By default, the first two lengths have
            separate programs, and the third gets a program for all lengths. A length that occurs hundreds of times
            gets its own program, too.
        fullgraph: whether to refuse a function that only Python can run, such as one that reads the elements of a
            tensor by `asnumpy()`. By default the statement that needs Python runs line by line, the rest is compiled,
            and a warning names the line.
        jit_config: options of MindSpore's compilers as an object. `jit_syntax_level="STRICT"` is `fullgraph`; the
            others have no effect, like `options`.
        fn: the name that `function` has in MindSpore 2.0 to 2.4.
        options: options of MindSpore's compilers: `capture_mode`, `jit_level`, `backend`, `mode`, `hash_args`,
            `compile_once` and others. They are accepted, so that programs run unchanged, without effect.

    Returns:
        The compiled function; a class is changed and returned. It is compiled again for each new shape or type of a
        tensor, and for each new value of any other argument.

    Raises:
        TypeError: `function` can not be called.
    """
    given = fn if function is None else function
    if jit_config is not None and jit_config.jit_config_dict["jit_syntax_level"] == "STRICT":
        fullgraph = True
    settings = {"input_signature": input_signature, "dynamic": dynamic, "fullgraph": fullgraph}
    if given is None:
        return lambda decorated: jit(decorated, **settings)
    if not callable(given):
        raise TypeError(f"jit compiles a function, a Cell or a class of Cells, not a {type(given).__name__}")
    if isinstance(given, type):
        if not issubclass(given, Cell):
            raise TypeError(f"jit compiles a class of Cells, and {given.__name__} is none: use jit_class")
        given.construct = jit(given.construct, **settings)  # type: ignore[method-assign]
        return given
    return CompiledInParts(given, input_signature, static=dynamic == 0, strict=fullgraph)


ms_function = jit
register(jit)(compiles_already)


def jit_class(cls: T) -> T:
    """Mark a class whose objects compiled functions may use. Here they may use any object, so nothing changes.

    Raises:
        TypeError: it is not a class.
    """
    if not isinstance(cls, type):
        raise TypeError(f"jit_class decorates a class, not a {type(cls).__name__}")
    return cls


ms_class = jit_class


def lazy_inline(fn: Any = None, attrs: Any = None, policy: Any = None) -> Any:
    """Mark a Cell's `__init__` whose graph MindSpore inlines late. Without effect here."""
    del attrs, policy
    return fn if callable(fn) else lambda function: function


def no_inline(fn: Any = None) -> Any:
    """Mark a function that MindSpore does not inline. Without effect here."""
    return fn if callable(fn) else lambda function: function


def ms_memory_recycle() -> None:
    """Free unused memory."""
    gc.collect()
