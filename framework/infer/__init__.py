"""Inference: abstract interpretation of parsed programs, which writes the residual program for given arguments.

`specialize(function, arguments)` follows the program with an abstract value for each value. Known values are computed
at once, so known choices disappear, loops of known length unroll, and functions are inlined. The residual program has
operators on tensors. Choices and loops that depend on tensors, and recursive functions, become graphs.

The layers are `specialize`, `control_flow`, `evaluators`, `state`, `values`. Each imports only later ones.
"""

from framework.infer.specialize import specialize
from framework.infer.state.program import Program

__all__ = ["Program", "specialize"]
