"""Watchpoints: conditions and expressions that are evaluated on the tensors of each step.

The session imports it. It imports only `debugging.tensors`.
"""

from debugging.watch.problems import WatchError
from debugging.watch.watchpoints import Needs, Watchpoints

__all__ = ["Needs", "WatchError", "Watchpoints"]
