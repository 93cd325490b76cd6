"""The compiled part of the store: loops in C over points and entries of levels, called through ctypes.

`levels.c` is compiled by `python -m mindinsight.store.kernel.build` to `_levels.so` beside it, which no package needs:
where it is missing, numpy does the same, slower. Used by `levels`.
"""
