"""Watchpoints: what is looked at in each step, by which condition, and what is told when one holds.

The session asks `Watchpoints`; nothing else of this package is used from outside.
"""

from framework.debugger.watch.problems import WatchError
from framework.debugger.watch.watchpoints import Needs, Watchpoints

__all__ = ["Needs", "WatchError", "Watchpoints"]
