"""Inference: abstract interpretation of parsed programs, which writes the program that is left for given arguments.

`specialize(function, arguments)` follows the program with an abstract value for each value. Known values are computed
at once, so known choices disappear, loops with a known number of rounds unroll, and functions are inlined. The residual
program has operators on tensors. Choices and loops that depend on tensors, and recursive functions, become graphs.

Layers, each of which imports only those behind it: `specialize`, `control_flow`, `evaluators`, `state`, `values`.
"""

from framework.infer.specialize import specialize
from framework.infer.state.program import Program

__all__ = ["Program", "specialize"]
