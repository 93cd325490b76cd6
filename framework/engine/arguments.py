"""Arguments and results of compiled functions: as cache keys, as arrays of kernels, and as the user's values."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from framework.common.tensor import Tensor
from framework.infer.values import user_value
from framework.ir.abstract import Abstract, AbstractDict, AbstractTensor, AbstractTuple
from framework.ir.operators import abstract_of, kind_of

__all__ = ["abstract_of_argument", "cache_key", "difference", "kernel_value", "match_signature", "user_value"]


def abstract_of_argument(item: object) -> Abstract:
    """The abstract value of an argument: the type of a tensor, the value of anything else and of a constant tensor."""
    if isinstance(item, Tensor):
        return abstract_of(_fixed(item)) if item.const_arg else AbstractTensor(tuple(item.shape), item.dtype)
    if isinstance(item, tuple | list):
        return AbstractTuple(tuple(map(abstract_of_argument, item)), isinstance(item, list), kind_of(item))
    if isinstance(item, dict):
        return AbstractDict(tuple(item), tuple(map(abstract_of_argument, item.values())))
    return abstract_of(item)


def _fixed(item: Tensor) -> Tensor:
    """A constant tensor for the program, which stays as it is when the caller's tensor changes."""
    fixed = item.copy()
    fixed.set_const_arg()
    return fixed


def cache_key(item: object) -> Hashable:
    """The key of an argument: two arguments have the same key if one program serves both."""
    if isinstance(item, Tensor):
        if item.const_arg:
            return item.shape, item.dtype, item.asnumpy().tobytes()
        return item.shape, item.dtype
    if isinstance(item, tuple | list):
        return type(item), tuple(map(cache_key, item))
    if isinstance(item, dict):
        return dict, tuple((key, cache_key(value)) for key, value in item.items())
    if isinstance(item, bool | int | float | str | type(None)):
        return type(item), repr(item)
    return _Identity(item)


class _Identity:
    """An object as a key. The key keeps it alive, so that no other object gets its identity."""

    def __init__(self, item: object) -> None:
        self.item = item

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and self.item is other.item

    def __hash__(self) -> int:
        return id(self.item)


def kernel_value(item: object) -> object:
    """An argument as kernels get it: arrays for tensors, also in containers."""
    if isinstance(item, Tensor):
        return item._data
    if isinstance(item, tuple | list):
        return list(map(kernel_value, item)) if isinstance(item, list) else tuple(map(kernel_value, item))
    if isinstance(item, dict):
        return {key: kernel_value(value) for key, value in item.items()}
    return item


def match_signature(number: int, given: Abstract, wanted: Abstract, title: str) -> Abstract:
    """Match an argument with the input signature.

    Args:
        number: the position of the argument, from 1.
        given: the abstract value of the argument.
        wanted: the abstract value in the signature, in which open dimensions are None.
        title: the name of the function.

    Returns:
        The abstract value that the program is compiled for.

    Raises:
        TypeError: the argument is not a tensor of this element type.
        ValueError: its shape does not fit.
    """
    if isinstance(wanted, AbstractTuple) and len(getattr(given, "elements", ())) == len(wanted.elements):
        assert isinstance(given, AbstractTuple)  # noqa: S101
        pairs = zip(given.elements, wanted.elements, strict=True)
        return AbstractTuple(
            tuple(match_signature(number, one, two, title) for one, two in pairs), given.is_list, given.kind
        )
    if not isinstance(wanted, AbstractTensor):
        return given
    if not isinstance(given, AbstractTensor) or given.dtype is not wanted.dtype:
        kind: type[Exception] = TypeError
    elif len(given.shape) != len(wanted.shape) or any(
        dim not in (None, size) for dim, size in zip(wanted.shape, given.shape, strict=True)
    ):
        kind = ValueError
    else:
        return wanted
    raise kind(
        f"argument {number} of {title} is {given}, but its input_signature says {wanted}: pass such a tensor, or "
        "change the signature (None stands for a dimension of any length)"
    )


def difference(before: Sequence[Hashable], now: Sequence[Hashable]) -> str:
    """The first difference between the cache keys of two calls, in words."""
    if len(before) != len(now):
        return f"the number of arguments is {len(now)} and was {len(before)}"
    for number, (was, is_) in enumerate(zip(before, now, strict=True), 1):
        if was != is_:
            return f"argument {number} is {_described(is_)} and was {_described(was)}"
    return "an argument passed by name is another"


def _described(key: Hashable) -> str:
    """A cache key in words, such as `Float32[3, 4]`."""
    if isinstance(key, tuple) and len(key) == 2:
        first, second = key
        if isinstance(first, tuple):
            return f"{second}{list(first)}"
        if isinstance(first, type) and isinstance(second, str):
            return second
    return str(getattr(key, "item", key))
