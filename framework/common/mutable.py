"""MindSpore's `mutable`: a value that a compiled program takes as an input."""

from __future__ import annotations

from typing import TypeVar

from framework.common.tensor import Tensor

__all__ = ["mutable"]

T = TypeVar("T")


def mutable(input_data: T, dynamic_len: bool = False) -> T:
    """The value itself: tensors, also those in tuples, lists and dicts, are inputs of a compiled program anyway.

    A program that is called with another number is compiled for that, so that the result is the same.

    Args:
        input_data: a number, a tensor, or a tuple, list or dict of them.
        dynamic_len: whether the length of a tuple or list may change; one of another length compiles anew anyway.

    Raises:
        TypeError: it is or contains something else, or only a tuple or list has a length that may change.

    """
    if not _is_mutable(input_data):
        raise TypeError(
            "mutable() takes numbers, tensors, and tuples, lists and dicts of these; a "
            f"{type(input_data).__name__} is none of these, or contains something else"
        )
    if dynamic_len and not isinstance(input_data, (tuple, list)):
        raise TypeError(f"mutable(dynamic_len=True) takes a tuple or list, not a {type(input_data).__name__}")
    return input_data


def _is_mutable(item: object) -> bool:
    if isinstance(item, dict):
        return all([_is_mutable(value) for value in item.values()])  # noqa: C419 - what graph mode parses
    if isinstance(item, (tuple, list)):
        return all([_is_mutable(value) for value in item])  # noqa: C419
    return isinstance(item, (bool, int, float, Tensor))
