"""Where a value that is not finite came from: the first operator that made one of finite ones, and what led there.

The session asks `find_cause` with a recording of the step; nothing else of this package is used from outside.
"""

from framework.debugger.cause.history import History
from framework.debugger.cause.search import find_cause

__all__ = ["History", "find_cause"]
