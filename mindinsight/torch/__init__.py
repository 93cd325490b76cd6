"""A PyTorch training becomes a run of the dashboard with a live debugger: `run = watch(model, optimizer, folder)`.

Imports torch, `summaries` and `debugging`; neither Django nor the training core.
"""

from mindinsight.frameworks import missing

try:
    from mindinsight.torch.run import Run, watch
except ModuleNotFoundError as error:
    raise missing(error, __name__, "torch") from None

__all__ = ["Run", "watch"]
