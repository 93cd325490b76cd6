"""Decorators of constructors that MindSpore's users import: they keep the arguments that an object was made with."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from framework.common.tensor import Tensor
from framework.nn.cell import Cell

__all__ = ["cell_attr_register", "opt_init_args_register"]

Init = Callable[..., None]


def opt_init_args_register(fn: Init) -> Init:
    """Have the constructor of an optimizer keep its arguments: `init_params`, `init_learning_rate`, `init_args`.

    Args:
        fn: the constructor.

    """

    @functools.wraps(fn)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = inspect.signature(fn).bind(self, *args, **kwargs)
        bound.apply_defaults()
        given = dict(list(bound.arguments.items())[1:])
        if "params" in given:
            self.__dict__["init_params"] = {"params": given.pop("params")}
        if "optimizer" in given:
            self.__dict__["init_params"] = {"params": given.pop("optimizer").init_params["params"]}
        if "learning_rate" in given:
            rate = given.pop("learning_rate")
            rate = rate.asnumpy().tolist() if isinstance(rate, Tensor) else rate
            self.__dict__["init_learning_rate"] = None if isinstance(rate, Cell) else rate
        self.__dict__["init_args"] = given
        fn(self, *args, **kwargs)

    return init


def cell_attr_register(fn: Init | None = None, attrs: Sequence[str] | str | None = None) -> Any:
    """Have the constructor of a Cell keep its arguments as the text `cell_init_args`.

    Args:
        fn: the constructor; without it, the result is the decorator.
        attrs: names of attributes to keep instead.

    """
    if fn is None:
        return functools.partial(cell_attr_register, attrs=attrs)
    decorated = fn

    @functools.wraps(decorated)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = inspect.signature(decorated).bind(self, *args, **kwargs)
        decorated(self, *args, **kwargs)
        kept: object = list(bound.arguments.values())[1:]
        if isinstance(attrs, str):
            kept = getattr(self, attrs, [])
        elif attrs is not None:
            kept = [getattr(self, name) for name in attrs if hasattr(self, name)]
        self.__dict__["cell_init_args"] = type(self).__name__ + str(kept)

    return init
