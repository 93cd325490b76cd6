"""The cause of numbers that are not finite: the first operator that made one from finite inputs, and what led to it.

The session imports `find_cause` and `History`. Imports only `debugging.tensors`.
"""

from debugging.cause.history import History
from debugging.cause.search import find_cause

__all__ = ["History", "find_cause"]
