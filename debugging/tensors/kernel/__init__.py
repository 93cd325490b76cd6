"""The compiled part of the debugger: C loops over tensors, called through ctypes.

`python -m debugging.tensors.kernel.build` compiles `statistics.c` to `_statistics.so` beside it. No package needs the
library: without it, numpy does the same more slowly. Used by `debugging.tensors.statistics`.
"""
