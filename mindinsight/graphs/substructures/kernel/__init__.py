"""The compiled loops of the recognition: C functions over work graphs, called through ctypes.

`python -m mindinsight.graphs.substructures.kernel.build` compiles `repeats.c` to `_repeats.so` beside it. No package
needs the library: without it, `loops` does the same in Python, much more slowly. `engine` chooses between the two.
"""
