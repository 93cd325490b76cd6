"""Abstract values of inference that the IR does not have: functions of the program; order and join of values.

The ground floor of `framework.infer`: every other folder of it may import this one, and so may gradients and passes.
"""

from framework.infer.values.closures import Activation, Choice, Closure, Frame, constant, is_function
from framework.infer.values.lattice import all_same, holds_function, is_known, join_values, same, value_of

__all__ = [
    "Activation",
    "Choice",
    "Closure",
    "Frame",
    "all_same",
    "constant",
    "holds_function",
    "is_function",
    "is_known",
    "join_values",
    "same",
    "value_of",
]
