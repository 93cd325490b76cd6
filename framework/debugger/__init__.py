"""The live debugger's part in the training process: stops a training, shows any tensor, finds where it went wrong.

`docs/architecture/debugger.md` says how its modules work together and what they promise.
"""

from framework.debugger.attaching import attach
from framework.debugger.debugger import Debugger

__all__ = ["Debugger", "attach"]
