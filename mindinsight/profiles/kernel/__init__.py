"""The compiled part of profiles: C loops over the text of a trace and over its slices, called through ctypes.

`python -m mindinsight.profiles.kernel.build` compiles `traces.c` to `_traces.so` beside it. No package needs the
library: without it, msgspec and numpy do the same more slowly. Used by `reading.scanning` and `columns.nesting`.
"""
