"""Values of inference beyond those of the IR: functions of the program, and the order and join of abstract values.

This is the lowest layer of `framework.infer`. All its other folders may import it, and so may gradients and passes.
"""

from framework.infer.values.closures import Activation, Choice, Closure, Frame, constant, is_function
from framework.infer.values.lattice import (
    UnknownValueError,
    all_same,
    holds_function,
    is_known,
    join_values,
    same,
    value_of,
)
from framework.infer.values.python_values import on_python_values, user_value
from framework.infer.values.variables import are_alike, as_variable, carried, element_kinds, is_dynamic, is_variable

__all__ = [
    "Activation",
    "Choice",
    "Closure",
    "Frame",
    "UnknownValueError",
    "all_same",
    "are_alike",
    "as_variable",
    "carried",
    "constant",
    "element_kinds",
    "holds_function",
    "is_dynamic",
    "is_function",
    "is_known",
    "is_variable",
    "join_values",
    "on_python_values",
    "same",
    "user_value",
    "value_of",
]
