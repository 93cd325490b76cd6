"""The table of MindSpore's operators. `translating` calls `meaning_of` for each node that applies a primitive.

An operator that is a primitive here too is made with its attributes (`constructed`). Any other is a function: its
positional parameters are the inputs of the node, and its keyword-only ones the primitive's attributes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ir.model_values import ModelError
from framework.mindir.operators.constructed import ATTRIBUTES, DATA_FORMATS, PADDINGS, REDUCTIONS, WORDS
from framework.ops import operations
from framework.ops.constexpr import constexpr

if TYPE_CHECKING:
    from framework.mindir.contents import Value

__all__ = ["MISSING", "dtype_of", "format_of", "meaning_of", "mindspore", "names", "padding_of", "reduction_of"]

F = TypeVar("F", bound=Callable[..., object])

MISSING: Final = object()
"""Stands for an input that is not known before the program runs."""

_FUNCTIONS: Final[dict[str, Callable[..., object]]] = {}
#: Numbers of element types as arguments (`TypeId` of MindSpore's C++ core).
_TYPES: Final[dict[int, DType]] = {
    30: mstype.bool_, 32: mstype.int8, 33: mstype.int16, 34: mstype.int32, 35: mstype.int64, 37: mstype.uint8,
    38: mstype.uint16, 39: mstype.uint32, 40: mstype.uint64, 42: mstype.float16, 43: mstype.float32,
    44: mstype.float64, 45: mstype.bfloat16, 51: mstype.complex64, 52: mstype.complex128,
}  # fmt: skip


def mindspore(*names: str) -> Callable[[F], F]:
    """Decorate the function that means one operator, or several.

    Args:
        names: the operators' names in MindSpore.
    """

    def keep(function: F) -> F:
        _FUNCTIONS.update(dict.fromkeys(names, function))
        return function

    return keep


@overload
def dtype_of(number: int) -> DType: ...
@overload
def dtype_of(number: None) -> None: ...
@constexpr
def dtype_of(number: int | None) -> DType | None:
    """The element type with MindSpore's number; None for None.

    Raises:
        ModelError: there is no such number.
    """
    if number is None:
        return None
    if number not in _TYPES:
        raise ModelError(f"there is no element type with number {number}")
    return _TYPES[number]


@constexpr
def format_of(value: int | str) -> str:
    """The order of dimensions: `NCHW`, `NHWC` or `NCDHW`, from its number or as it is."""
    return _named(value, DATA_FORMATS, "order of dimensions")


@constexpr
def padding_of(value: int | str) -> str:
    """The kind of padding: `pad`, `same` or `valid`, from its number or in any spelling."""
    return _named(value, PADDINGS, "kind of padding").lower()


@constexpr
def reduction_of(value: int | str) -> str:
    """`mean`, `sum` or `none`, from its number or as it is."""
    return _named(value, REDUCTIONS, "reduction")


def _named(value: int | str, names: Mapping[int, str], what: str) -> str:
    if isinstance(value, str):
        return value
    if value not in names:
        raise ModelError(f"there is no {what} with number {value}")
    return names[value]


_CONVERTED: Final[dict[str, Callable[[Any], object]]] = {
    "data_format": format_of, "pad_mode": padding_of, "reduction": reduction_of, "output_type": dtype_of,
    "dtype": dtype_of,
}  # fmt: skip


def names() -> list[str]:
    """The operators in the table and those that are primitives here too, sorted."""
    return sorted({*_FUNCTIONS, *ATTRIBUTES})


def meaning_of(
    name: str, attributes: Mapping[str, Value], inputs: Sequence[object], takes_all: bool
) -> tuple[Callable[..., object], dict[str, Value], int]:
    """What a node applies.

    Args:
        name: the name of its primitive.
        attributes: the attributes of its primitive.
        inputs: for each input of the node its value, if that is a constant, else `MISSING`.
        takes_all: whether arguments that are attributes of our primitive are the node's last inputs.

    Returns:
        A function or a primitive, its keyword arguments, and how many of the inputs it takes.

    Raises:
        ModelError: the operator is unknown, or has arguments that do not fit.
    """
    function = _FUNCTIONS.get(name)
    if function is not None:
        return function, _keywords(function, attributes, len(inputs)), len(inputs)
    wanted = ATTRIBUTES.get(name)
    if wanted is None:
        raise ModelError(f"there is no operator {name} here")
    if not takes_all or not wanted:
        return _made(name, {key: attributes[key] for key in wanted if key in attributes}), {}, len(inputs)
    count = len(inputs) - len(wanted)
    if count < 0:
        raise ModelError(f"it has {len(inputs)} arguments, too few for {', '.join(wanted)}")
    return _made(name, dict(zip(wanted, inputs[count:], strict=True))), {}, count


def _keywords(function: Callable[..., object], attributes: Mapping[str, Value], count: int) -> dict[str, Value]:
    """The attributes that a function takes; the number of inputs is checked too."""
    parameters = inspect.signature(function).parameters.values()
    _check_count(parameters, count)
    named = [item for item in parameters if item.kind is item.KEYWORD_ONLY]
    missing = [item.name for item in named if item.default is item.empty and item.name not in attributes]
    if missing:
        raise ModelError(f"its attribute {missing[0]!r} is missing")
    return {item.name: attributes[item.name] for item in named if item.name in attributes}


def _made(name: str, given: Mapping[str, object]) -> Callable[..., object]:
    """A primitive of ours with attributes."""
    unknown = [key for key, value in given.items() if value is MISSING or isinstance(value, Tensor)]
    if unknown:
        raise ModelError(f"its argument {unknown[0]!r} must be a constant")
    converted = {key: _converted(key, value) for key, value in given.items()}
    try:
        made: Callable[..., object] = getattr(operations, name)(**converted)
    except ModelError:
        raise
    except (TypeError, ValueError, NotImplementedError, ArithmeticError, LookupError) as error:
        raise ModelError(str(error)) from error
    return made


def _converted(key: str, value: object) -> object:
    """An argument of a constructor: numbers that stand for words and element types become these."""
    if key in WORDS and isinstance(value, int):
        return _named(value, WORDS[key], key)
    return _CONVERTED[key](value) if key in _CONVERTED and value is not None else value


def _check_count(parameters: Iterable[inspect.Parameter], count: int) -> None:
    given = list(parameters)
    places = [item for item in given if item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD)]
    is_open = any(item.kind is item.VAR_POSITIONAL for item in given)
    needed = sum(item.default is item.empty for item in places)
    if count < needed or (count > len(places) and not is_open):
        raise ModelError(f"it takes {needed} to {len(places)} inputs, and has {count}")
