"""Python source to IR: `parse(function)` gives the function graph that the source of a Python function means.

What the parser leaves open (which function a name calls, what `+` means) is settled by `framework.infer`.
"""

from framework.parse.parser import parse
from framework.parse.reads import Read

__all__ = ["Read", "parse"]
