"""The compiled part of the recognition: loops in C over work graphs, called through ctypes.

`repeats.c` is compiled by `python -m mindinsight.graphs.substructures.kernel.build` to `_repeats.so` beside it, which
no package needs: where it is missing, `loops` does the same in Python, very much slower. Used through `engine`.
"""
