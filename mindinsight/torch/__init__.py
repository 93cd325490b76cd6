"""A PyTorch training becomes a run of the dashboard with a live debugger: `run = watch(model, optimizer, folder)`.

Imports torch, `summaries` and `debugging`; neither Django nor the training core.
"""

from mindinsight.torch.run import Run, watch

__all__ = ["Run", "watch"]
