"""Methods of tensors by what they do; `framework.ops.tensor_methods` binds them.

Each is a function that both modes run: PyNative mode calls it, graph mode compiles its source. Only that module imports
from here.
"""
