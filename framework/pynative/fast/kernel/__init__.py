"""Python's operators on small tensors as an extension module of CPython, which no program needs.

`small_tensors.c` is compiled by `build.py` to one file per Python version beside it. Without it, generated functions in
Python compute the same. Imported by `framework.pynative.fast.small_tensors`.
"""
