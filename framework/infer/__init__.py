"""Inference: abstract interpretation of parsed programs, which writes the program that is left for given arguments.

`specialize(function, arguments)` follows the program with what is known of each value. What is known entirely is
computed on the spot, so choices between known ways disappear, loops with a known number of rounds unroll and functions
are inlined. What is left are operators on tensors, and as graphs of their own the ways of choices that depend on
tensors, their loops and recursive functions, each for the types it is called with.
"""

from framework.infer.specialize import specialize
from framework.infer.state.program import Program

__all__ = ["Program", "specialize"]
