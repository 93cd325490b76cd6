"""MindSpore's `mutable`: a value that a compiled program takes as an input."""

from __future__ import annotations

from typing import TypeVar

__all__ = ["mutable"]

T = TypeVar("T")


def mutable(input_data: T, dynamic_len: bool = False) -> T:
    """The value itself: tensors, also those in tuples, lists and dicts, are inputs of a compiled program anyway.

    A program that is called with another number is compiled for that, so that the result is the same.

    Args:
        input_data: a number, a tensor, or a tuple, list or dict of them.
        dynamic_len: taken for MindSpore's sake; a tuple of another length compiles anew.

    """
    del dynamic_len
    return input_data
