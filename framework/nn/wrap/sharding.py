"""Strategies for the inputs and outputs of a whole Cell or function: `Cell.shard` and `parallel.shard` call it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from framework.ops.operations import Identity

__all__ = ["sharded"]


def sharded(
    function: Callable[..., Any], in_strategy: Sequence[Any], out_strategy: Sequence[Any] | None = None
) -> Callable[..., Any]:
    """A function that cuts its arguments, calls another one, and cuts the results.

    Args:
        function: a Cell or a function.
        in_strategy: for each argument numbers of parts, a `Layout`, or None to leave it where it is.
        out_strategy: the same for each result; None to leave all where they are.

    Raises:
        TypeError: `in_strategy` or `out_strategy` is no tuple.
    """
    if not isinstance(in_strategy, tuple) or not isinstance(out_strategy, tuple | None):
        raise TypeError("shard: in_strategy and out_strategy must be tuples with a strategy for each input and output")
    before = tuple(_cutting(strategy) for strategy in in_strategy)
    after = tuple(_cutting(strategy) for strategy in out_strategy or ())

    def call(*args: Any) -> Any:
        if len(args) != len(before):
            raise ValueError("shard: in_strategy must have a strategy for each argument")
        out = function(*[cut(x) for cut, x in zip(before, args, strict=True)])
        if not after:
            return out
        if isinstance(out, tuple):
            return tuple([cut(x) for cut, x in zip(after, out, strict=True)])
        return after[0](out)

    return call


def _cutting(strategy: Any) -> Identity:
    """The identity with a strategy."""
    return Identity() if strategy is None else Identity().shard((strategy,))
