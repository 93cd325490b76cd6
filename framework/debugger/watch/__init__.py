"""Watchpoints: what is looked at in each step, by which condition, and what is told when one holds.

The session asks `Watch`; nothing else of this package is used from outside.
"""

from framework.debugger.watch.arming import Needs, Watch
from framework.debugger.watch.problems import WatchError

__all__ = ["Needs", "Watch", "WatchError"]
