"""A MindSpore training becomes a run of the dashboard with a live debugger: `callbacks=[Debugger(folder)]`.

Imports MindSpore, `summaries` and `debugging`; neither Django nor the training core.
"""

from mindinsight.frameworks import missing

try:
    from mindinsight.mindspore.debugger import Debugger
except ModuleNotFoundError as error:
    raise missing(error, __name__, "mindspore") from None

__all__ = ["Debugger"]
