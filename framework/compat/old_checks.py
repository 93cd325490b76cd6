"""The checks of arguments that MindSpore 1.x had in `_checkparam`, for scripts of that time.

`Validator` gives the name of an argument first, where the functions of today give its value first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from framework.compat import checkparam

__all__ = ["Rel", "Validator", "check_int_positive"]

T = TypeVar("T")


class Rel:
    """The relations between a value and others, for `Validator`."""

    EQ, NE, LT, LE, GT, GE = checkparam.EQ, checkparam.NE, checkparam.LT, checkparam.LE, checkparam.GT, checkparam.GE
    INC_NEITHER, INC_LEFT = checkparam.INC_NEITHER, checkparam.INC_LEFT
    INC_RIGHT, INC_BOTH = checkparam.INC_RIGHT, checkparam.INC_BOTH
    IN, NOT_IN = checkparam.IN, checkparam.NOT_IN


def check_int_positive(input_param: T) -> T:
    """Check that a value is an int above 0.

    Raises:
        TypeError: it is no int.
        ValueError: it is 0 or less.
    """
    return checkparam.check_positive_int(input_param)


class Validator:
    """Checks of one argument each, which return it."""

    check = staticmethod(checkparam.check)
    check_bool = staticmethod(checkparam.check_bool)
    check_isinstance = staticmethod(checkparam.check_isinstance)
    check_number = staticmethod(checkparam.check_number)
    check_subclass = staticmethod(checkparam.check_subclass)
    check_type_name = staticmethod(checkparam.check_type_name)
    check_value_type = staticmethod(checkparam.check_value_type)

    @staticmethod
    def check_integer(arg_name: str, arg_value: T, value: int, rel: int, prim_name: str | None = None) -> T:
        """Check that a value is an int with a relation to another.

        Raises:
            TypeError: it is no int.
            ValueError: the relation does not hold.
        """
        return checkparam.check_int(arg_value, value, rel, arg_name, prim_name)

    @staticmethod
    def check_int_range(
        arg_name: str, arg_value: T, lower_limit: int, upper_limit: int, rel: int, prim_name: str | None = None
    ) -> T:
        """Check that a value is an int between two limits.

        Raises:
            TypeError: it is no int.
            ValueError: it is outside.
        """
        return checkparam.check_int_range(arg_value, lower_limit, upper_limit, rel, arg_name, prim_name)

    @staticmethod
    def check_number_range(
        arg_name: str, arg_value: T, lower_limit: float, upper_limit: float, rel: int, prim_name: str | None = None
    ) -> T:
        """Check that a number is between two limits.

        Raises:
            TypeError: it is no number.
            ValueError: it is outside.
        """
        kind: Any = int if isinstance(arg_value, int) else float
        return checkparam.check_number_range(arg_value, lower_limit, upper_limit, rel, kind, arg_name, prim_name)

    @staticmethod
    def check_string(arg_name: str, arg_value: T, valid_values: Sequence[str], prim_name: str | None = None) -> T:
        """Check that a value is one of some texts.

        Raises:
            ValueError: it is none of them.
        """
        return checkparam.check_string(arg_value, valid_values, arg_name, prim_name)

    @staticmethod
    def check_float_positive(arg_name: str, arg_value: T, prim_name: str | None = None) -> T:
        """Check that a value is a float above 0.

        Raises:
            TypeError: it is no float.
            ValueError: it is 0 or less.
        """
        return checkparam.check_positive_float(arg_value, arg_name, prim_name)
