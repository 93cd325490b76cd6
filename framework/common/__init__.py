"""What every other part stands on: tensors, parameters, element types, initializers, the seed.

Imports nothing else of the framework, so anything may import it.
"""

from framework.common import dtype, initializer
from framework.common.parameter import Parameter, ParameterTuple
from framework.common.seed import get_seed, set_seed
from framework.common.tensor import Tensor, tensor

__all__ = ["Parameter", "ParameterTuple", "Tensor", "dtype", "get_seed", "initializer", "set_seed", "tensor"]
