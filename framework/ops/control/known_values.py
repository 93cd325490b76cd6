"""What a compiled program knows of a value before it runs; MindSpore's functions have these names.

Inference answers them in compiled functions (`framework.infer.evaluators.functional`). In PyNative mode everything is
known.
"""

from __future__ import annotations

__all__ = [
    "is_dynamic_sequence_element_unknown",
    "is_sequence_shape_unknown",
    "is_sequence_value_unknown",
    "isconstant",
]


def isconstant(x: object) -> bool:
    """Whether the value is a constant of the compiled program. True in PyNative mode.

    A tensor that is computed or passed is none, nor is a number that `mutable` made or that depends on a tensor.

    Args:
        x: any value.

    Example:
        >>> ms.jit(lambda x: (ops.isconstant(x), ops.isconstant(x.shape)))(Tensor(1.0))
        (False, True)
    """
    return True


def is_sequence_value_unknown(x: object) -> bool:
    """Whether a tuple or list has an element that is not a constant of the compiled program. False in PyNative mode.

    Args:
        x: a tuple or list.

    Example:
        >>> ms.jit(lambda x: ops.is_sequence_value_unknown((1, x)))(Tensor(1.0))
        True
    """
    return False


def is_sequence_shape_unknown(x: object) -> bool:
    """Whether the length of a tuple or list may change, as `mutable(x, dynamic_len=True)` says. False in PyNative mode.

    Args:
        x: a tuple or list.

    Example:
        >>> ms.jit(lambda: ops.is_sequence_shape_unknown(ms.mutable([1, 2], True)))()
        True
    """
    return False


def is_dynamic_sequence_element_unknown(x: object) -> bool:
    """Whether a tuple or list whose length may change is empty, so that the type of its elements is open.

    Args:
        x: a tuple or list that `mutable(x, dynamic_len=True)` made, in a compiled function.

    Raises:
        TypeError: the length of `x` cannot change, as always in PyNative mode.

    Example:
        >>> ms.jit(lambda: ops.is_dynamic_sequence_element_unknown(ms.mutable([], True)))()
        True
    """
    raise TypeError(f"{type(x).__name__} should be variable length sequence, made by mutable(..., dynamic_len=True)")
