"""The compiled part of the store: C loops over points and level entries, called through ctypes.

`python -m mindinsight.store.kernel.build` compiles `levels.c` to `_levels.so` beside it. No package needs the library:
without it, numpy does the same more slowly. Used by `levels`.
"""
