"""From Python source to the IR: `parse(function)` returns the function graph of a Python function.

The parser leaves open which function a name calls and what `+` means. `framework.infer` decides it.
"""

from framework.parse.parser import parse
from framework.parse.reads import Read

__all__ = ["Read", "parse"]
