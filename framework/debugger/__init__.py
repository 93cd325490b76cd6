"""The debugger's part in the training process: pauses a training, shows any tensor, evaluates watchpoints.

`docs/architecture/debugger.md` describes how its packages work together.
"""

from framework.debugger.attach import attach
from framework.debugger.debugger import Debugger

__all__ = ["Debugger", "attach"]
