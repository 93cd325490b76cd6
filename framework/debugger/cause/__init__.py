"""The cause of numbers that are not finite: the first operator that made one from finite inputs, and what led to it.

The session imports `find_cause` and `History`. Imports only `framework.debugger.tensors`.
"""

from framework.debugger.cause.history import History
from framework.debugger.cause.search import find_cause

__all__ = ["History", "find_cause"]
