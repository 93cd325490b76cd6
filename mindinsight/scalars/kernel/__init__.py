"""The compiled part of the queries: C loops over points and levels, called through ctypes.

`python -m mindinsight.scalars.kernel.build` compiles `pixels.c` to `_pixels.so` beside it. No package needs the
library: without it, numpy does the same more slowly. Used by `columns` and `pixels`.
"""
