"""Watchpoints: conditions and expressions that are evaluated on the tensors of each step.

The session imports it. It imports only `framework.debugger.tensors`.
"""

from framework.debugger.watch.problems import WatchError
from framework.debugger.watch.watchpoints import Needs, Watchpoints

__all__ = ["Needs", "WatchError", "Watchpoints"]
