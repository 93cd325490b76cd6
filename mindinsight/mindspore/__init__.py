"""A MindSpore training becomes a run of the dashboard with a live debugger: `callbacks=[Debugger(folder)]`.

Imports MindSpore, `summaries` and `debugging`; neither Django nor the training core.
"""

from mindinsight.mindspore.debugger import Debugger

__all__ = ["Debugger"]
