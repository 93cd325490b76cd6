"""MindSpore's `_checkparam`, which users' scripts import: checks of arguments with precise error messages.

A relation is one of the constants `EQ`, `GT`, `INC_LEFT` and the like. Every check returns the value.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, TypeVar

from framework.common.dtype import DType

__all__ = [
    "EQ", "GE", "GT", "IN", "INC_BOTH", "INC_LEFT", "INC_NEITHER", "INC_RIGHT", "LE", "LT", "NE", "NOT_IN",
    "args_type_check", "check", "check_bool", "check_equal_int", "check_float", "check_float_range", "check_input_data",
    "check_input_format", "check_int", "check_int_non_negative", "check_int_positive", "check_int_range",
    "check_is_float", "check_is_int", "check_is_number", "check_isinstance", "check_negative_float",
    "check_negative_int", "check_non_negative_float", "check_non_negative_int", "check_non_negative_int_sequence",
    "check_non_positive_float", "check_non_positive_int", "check_number", "check_number_range", "check_output_data",
    "check_positive_float", "check_positive_float_sequence", "check_positive_int", "check_positive_int_sequence",
    "check_str_by_regular", "check_string", "check_subclass", "check_tensor_dtype_valid", "check_type_name",
    "check_value_type", "once", "triple", "twice",
]  # fmt: skip

T = TypeVar("T")
Text = TypeVar("Text", bound=str)

EQ, NE, LT, LE, GT, GE = range(1, 7)
INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = range(7, 11)
IN, NOT_IN = 11, 12

_ONE: Final[dict[int, tuple[str, Callable[[Any, Any], bool]]]] = {
    EQ: ("= {}", operator.eq),
    NE: ("!= {}", operator.ne),
    LT: ("< {}", operator.lt),
    LE: ("<= {}", operator.le),
    GT: ("> {}", operator.gt),
    GE: (">= {}", operator.ge),
    IN: ("in {}", lambda value, among: value in among),
    NOT_IN: ("not in {}", lambda value, among: value not in among),
}
_TWO: Final[dict[int, tuple[str, Callable[[Any, Any, Any], bool]]]] = {
    INC_NEITHER: ("({}, {})", lambda value, low, high: low < value < high),
    INC_LEFT: ("[{}, {})", lambda value, low, high: low <= value < high),
    INC_RIGHT: ("({}, {}]", lambda value, low, high: low < value <= high),
    INC_BOTH: ("[{}, {}]", lambda value, low, high: low <= value <= high),
}


def _subject(arg_name: str | None, prim_name: str | None) -> str:
    """The beginning of a message."""
    name = f"'{arg_name}'" if arg_name else "input value"
    return f"For '{prim_name}', the {name}" if prim_name else f"The {name}"


def check(
    arg_name: str, arg_value: T, value_name: str, value: object, rel: int = EQ, prim_name: str | None = None,
    excp_cls: type[Exception] = ValueError,
) -> T:  # fmt: skip
    """Check that a value has a relation to another value, which has a name.

    Raises:
        ValueError: The relation does not hold. The class is `excp_cls`, if it is given.

    """
    text, holds = _ONE[rel]
    if not holds(arg_value, value):
        wanted = text.format(f"{value_name}: {value}")
        raise excp_cls(f"{_subject(arg_name, prim_name)} should be {wanted}, but got {arg_value}.")
    return arg_value


def check_is_number(arg_value: T, arg_type: type, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """Check that a value is a finite number of a type. True and False are not numbers.

    Raises:
        TypeError: it has another type.
        ValueError: it is infinite or NaN.

    """
    subject = _subject(arg_name, prim_name)
    if not isinstance(arg_value, arg_type) or isinstance(arg_value, bool):
        raise TypeError(f"{subject} must be {arg_type.__name__}, but got '{type(arg_value).__name__}'.")
    number: Any = arg_value
    if not math.isfinite(number):
        raise ValueError(f"{subject} must be a finite number, but got {number}.")
    return arg_value


def _related(value: T, other: float, rel: int, kind: type, arg_name: str | None, prim_name: str | None) -> T:
    """Check that a value is a number of a type with a relation to another number."""
    check_is_number(value, kind, arg_name, prim_name)
    text, holds = _ONE[rel]
    if not holds(value, other):
        wanted = f"{kind.__name__} and must be {text.format(other)}"
        raise ValueError(f"{_subject(arg_name, prim_name)} must be {wanted}, but got {value}.")
    return value


def check_number_range(
    arg_value: T, lower_limit: float, upper_limit: float, rel: int, value_type: type, arg_name: str | None = None,
    prim_name: str | None = None,
) -> T:  # fmt: skip
    """Check that a value is a number of a type between two limits.

    Raises:
        TypeError: it has another type.
        ValueError: it is outside of the limits.

    """
    check_is_number(arg_value, value_type, arg_name, prim_name)
    text, holds = _TWO[rel]
    if not holds(arg_value, lower_limit, upper_limit):
        wanted = text.format(lower_limit, upper_limit)
        raise ValueError(f"{_subject(arg_name, prim_name)} must be in range of {wanted}, but got {arg_value}.")
    return arg_value


def check_int(
    arg_value: T,
    value: int | None = None,
    rel: int = EQ,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> T:
    """Check that a value is an int with a relation to another number, or without one that it is an int."""
    if value is None:
        return check_is_int(arg_value, arg_name, prim_name)
    return _related(arg_value, value, rel, int, arg_name, prim_name)


def check_int_positive(input_param: T) -> T:
    """MindSpore 1.0's name of `check_positive_int`."""
    return check_positive_int(input_param)


def check_int_non_negative(input_param: T) -> T:
    """MindSpore 1.0's name of `check_non_negative_int`."""
    return check_non_negative_int(input_param)


def check_input_data(*data: object, data_class: type) -> None:
    """Check that values, also those in lists and tuples, are of a class, and hold something (MindSpore 1.0).

    Raises:
        ValueError: a value is of another class, or a tensor among them is empty.

    """
    for item in data:
        if isinstance(item, list | tuple):
            check_input_data(*item, data_class=data_class)
        elif not isinstance(item, data_class):
            raise ValueError(f"The inputs must be of {data_class.__name__}, but one is '{type(item).__name__}'.")
        elif not getattr(item, "size", 1):
            raise ValueError("The inputs must not be empty.")


def check_output_data(data: object) -> None:
    """Check that a call returned something (MindSpore 1.0).

    Raises:
        RuntimeError: it returned None.

    """
    if data is None:
        raise RuntimeError("The network returned None; return its outputs.")


def check_is_int(arg_value: T, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """Check that a value is an int."""
    return check_is_number(arg_value, int, arg_name, prim_name)


def check_equal_int(arg_value: T, value: int, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """Check that a value is an int and equals another."""
    return _related(arg_value, value, EQ, int, arg_name, prim_name)


def check_positive_int(arg_value: T, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """Check that a value is an int above 0."""
    return _related(arg_value, 0, GT, int, arg_name, prim_name)


def check_negative_int(arg_value: T, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """Check that a value is an int below 0."""
    return _related(arg_value, 0, LT, int, arg_name, prim_name)


def check_non_positive_int(arg_value: T, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """Check that a value is an int of at most 0."""
    return _related(arg_value, 0, LE, int, arg_name, prim_name)


def check_non_negative_int(arg_value: T, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """Check that a value is an int of at least 0."""
    return _related(arg_value, 0, GE, int, arg_name, prim_name)


def _each(sequence: Sequence[T], rel: int, kind: type, arg_name: str | None, prim_name: str | None) -> Sequence[T]:
    for place, item in enumerate(sequence):
        _related(item, 0, rel, kind, f"{arg_name or 'arg_name'}[{place}]", prim_name)
    return sequence


def check_positive_int_sequence(
    sequence: Sequence[T], arg_name: str | None = None, prim_name: str | None = None
) -> Sequence[T]:
    """Check that all items are ints above 0."""
    return _each(sequence, GT, int, arg_name, prim_name)


def check_non_negative_int_sequence(
    sequence: Sequence[T], arg_name: str | None = None, prim_name: str | None = None
) -> Sequence[T]:
    """Check that all items are ints of at least 0."""
    return _each(sequence, GE, int, arg_name, prim_name)


def check_positive_float_sequence(
    sequence: Sequence[T], arg_name: str | None = None, prim_name: str | None = None
) -> Sequence[T]:
    """Check that all items are floats above 0."""
    return _each(sequence, GT, float, arg_name, prim_name)


def check_float(arg_value: T, value: float, rel: int, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """Check that a value is a float with a relation to another number."""
    return _related(arg_value, value, rel, float, arg_name, prim_name)


def check_is_float(arg_value: T, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """Check that a value is a float."""
    return check_is_number(arg_value, float, arg_name, prim_name)


def check_positive_float(arg_value: T, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """Check that a value is a float above 0."""
    return _related(arg_value, 0, GT, float, arg_name, prim_name)


def check_negative_float(arg_value: T, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """Check that a value is a float below 0."""
    return _related(arg_value, 0, LT, float, arg_name, prim_name)


def check_non_positive_float(arg_value: T, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """Check that a value is a float of at most 0."""
    return _related(arg_value, 0, LE, float, arg_name, prim_name)


def check_non_negative_float(arg_value: T, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """Check that a value is a float of at least 0."""
    return _related(arg_value, 0, GE, float, arg_name, prim_name)


def check_number(arg_name: str, arg_value: T, value: object, rel: int, prim_name: str | None) -> T:
    """Check that a value is a number with a relation to another number."""
    return check(arg_name, arg_value, "value", value, rel, prim_name)


def check_isinstance(arg_name: str, arg_value: T, classes: type | tuple[type, ...]) -> T:
    """Check that an object is an instance of a class.

    Raises:
        ValueError: it is an instance of another class.

    """
    if not isinstance(arg_value, classes):
        raise ValueError(f"The '{arg_name}' must be an instance of {classes}, but got {type(arg_value).__name__}.")
    return arg_value


def check_bool(arg_value: T, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """Check that a value is True or False.

    Raises:
        TypeError: it is neither.

    """
    if not isinstance(arg_value, bool):
        raise TypeError(f"{_subject(arg_name, prim_name)} must be bool, but got '{type(arg_value).__name__}'.")
    return arg_value


def check_int_range(
    arg_value: T, lower_limit: int, upper_limit: int, rel: int, arg_name: str | None = None,
    prim_name: str | None = None,
) -> T:  # fmt: skip
    """Check that a value is an int between two limits."""
    return check_number_range(arg_value, lower_limit, upper_limit, rel, int, arg_name, prim_name)


def check_float_range(
    arg_value: T, lower_limit: float, upper_limit: float, rel: int, arg_name: str | None = None,
    prim_name: str | None = None,
) -> T:  # fmt: skip
    """Check that a value is a float between two limits."""
    return check_number_range(arg_value, lower_limit, upper_limit, rel, float, arg_name, prim_name)


def check_string(
    arg_value: T, valid_values: Collection[str], arg_name: str | None = None, prim_name: str | None = None
) -> T:
    """Check that a value is one of some strings.

    Raises:
        ValueError: it is none of them.

    """
    if not isinstance(arg_value, str) or arg_value not in valid_values:
        raise ValueError(f"{_subject(arg_name, prim_name)} must be one of {list(valid_values)}, but got {arg_value!r}.")
    return arg_value


def check_str_by_regular(
    target: Text, reg: str | None = None, flag: int = re.ASCII, prim_name: str | None = None
) -> Text:
    """Check that a string matches a regular expression; by default letters, digits, `_`, `-`, `.` and `/`.

    Raises:
        ValueError: it does not match.

    """
    pattern = r"^[0-9a-zA-Z_\-\.\/]*$" if reg is None else reg
    if re.match(pattern, target, flag) is None:
        raise ValueError(f"{_subject(None, prim_name)} {target!r} does not fit the regular expression {pattern!r}.")
    return target


def check_subclass(
    arg_name: str, type_: T, template_types: object, prim_name: str | None, addition_error_info: str | None = None
) -> T:
    """Check that a type is an element type of a kind, or a class below another.

    Raises:
        TypeError: it is neither.

    """
    wanted = template_types if isinstance(template_types, list | tuple) else (template_types,)
    classes = tuple(item for item in wanted if isinstance(item, type))
    if type_ in wanted or (isinstance(type_, type) and issubclass(type_, classes)):
        return type_
    more = f" {addition_error_info}" if addition_error_info else ""
    raise TypeError(f"{_subject(arg_name, prim_name)} must be one of {list(map(str, wanted))}, but got {type_}.{more}")


def check_value_type(arg_name: str, arg_value: T, valid_types: object, prim_name: str | None = None) -> T:
    """Check that a value has one of some types. True and False count as bool only.

    Raises:
        TypeError: it has another type.

    """
    types = tuple(valid_types) if isinstance(valid_types, list | tuple | set) else (valid_types,)
    if not isinstance(arg_value, types) or (isinstance(arg_value, bool) and bool not in types):
        names = ", ".join(kind.__name__ for kind in types)
        raise TypeError(
            f"{_subject(arg_name, prim_name)} must be of type {names}, but got '{type(arg_value).__name__}'."
        )
    return arg_value


def check_type_name(arg_name: str, arg_type: T, valid_types: object, prim_name: str | None) -> T:
    """Check that a type is one of some types or element types.

    Raises:
        TypeError: it is none of them.

    """
    wanted = tuple(valid_types) if isinstance(valid_types, list | tuple | set | frozenset) else (valid_types,)
    if arg_type not in wanted:
        names = ", ".join(str(item) if isinstance(item, DType) else item.__name__ for item in wanted)
        raise TypeError(f"{_subject(arg_name, prim_name)} must be one of {names}, but got {arg_type}.")
    return arg_type


def check_tensor_dtype_valid(arg_name: str, arg_type: T, valid_dtypes: object, prim_name: str | None) -> T:
    """Check that the element type of a tensor is one of some element types."""
    return check_type_name(arg_name, arg_type, valid_dtypes, prim_name)


def check_input_format(input_param: Text) -> Text:
    """Check that a format is NCHW.

    Raises:
        ValueError: it is another one.
    """
    if input_param != "NCHW":
        raise ValueError(f"NCHW is the only format here, not {input_param}.")
    return input_param


def args_type_check(*type_args: Any, **type_kwargs: Any) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Decorate a function so that it checks the types of its arguments; None is taken for any of them.

    Args:
        type_args: types of the arguments by position.
        type_kwargs: types of the arguments by name.

    Raises:
        TypeError: in a call, an argument has another type.
    """

    def decorated(function: Callable[..., T]) -> Callable[..., T]:
        signature = inspect.signature(function)
        types = signature.bind_partial(*type_args, **type_kwargs).arguments

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> T:
            for name, value in signature.bind(*args, **kwargs).arguments.items():
                if name in types and value is not None and not isinstance(value, types[name]):
                    raise TypeError(f"The '{name}' must be {types[name]}, but got {type(value).__name__}.")
            return function(*args, **kwargs)

        return checked

    return decorated


def _expand_tuple(n_dimensions: int) -> Callable[[Any], tuple[int, ...]]:
    """A function from a number to a tuple that repeats it; a tuple of that many integers is returned unchanged."""

    def expanded(value: Any) -> tuple[int, ...]:
        if _is_integer(value):
            return (value,) * n_dimensions
        if not isinstance(value, tuple) or len(value) != n_dimensions or not all(map(_is_integer, value)):
            raise TypeError(f"The value must be an integer or a tuple of {n_dimensions}, but got {value}.")
        return value

    return expanded


def _is_integer(value: object) -> bool:
    """Whether a value is an integer, and no truth value."""
    return isinstance(value, int) and not isinstance(value, bool)


once, twice, triple = map(_expand_tuple, (1, 2, 3))
