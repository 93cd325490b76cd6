"""Callbacks: functions that run at the steps and epochs of a training. Public as `ms.train.callback`."""

from framework.train.callback.backup import BackupAndRestore
from framework.train.callback.base import Callback, RunContext
from framework.train.callback.calling import LambdaCallback, LearningRateScheduler
from framework.train.callback.checkpoint import CheckpointConfig, ModelCheckpoint
from framework.train.callback.history import History
from framework.train.callback.leaving import OnRequestExit
from framework.train.callback.monitors import LossMonitor, ProgressBar, TimeMonitor
from framework.train.callback.stopping import EarlyStopping, ReduceLROnPlateau
from framework.train.callback.summary_collector import SummaryCollector

__all__ = [
    "BackupAndRestore",
    "Callback",
    "CheckpointConfig",
    "EarlyStopping",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "LossMonitor",
    "ModelCheckpoint",
    "OnRequestExit",
    "ProgressBar",
    "ReduceLROnPlateau",
    "RunContext",
    "SummaryCollector",
    "TimeMonitor",
]
