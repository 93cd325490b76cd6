"""Training: `Model`, callbacks, checkpoints and loss scales; public as `ms.train`."""

from framework.train import amp, callback, loss_scale_manager, model, serialization, summary
from framework.train.callback import (
    Callback,
    CheckpointConfig,
    EarlyStopping,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    ModelCheckpoint,
    ProgressBar,
    ReduceLROnPlateau,
    RunContext,
    SummaryCollector,
    TimeMonitor,
)
from framework.train.loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager
from framework.train.mindir import ModelError, export, load
from framework.train.model import Model
from framework.train.serialization import CheckpointError, load_checkpoint, load_param_into_net, save_checkpoint
from framework.train.summary import SummaryRecord

__all__ = [
    "Callback",
    "CheckpointConfig",
    "CheckpointError",
    "DynamicLossScaleManager",
    "EarlyStopping",
    "FixedLossScaleManager",
    "LambdaCallback",
    "LearningRateScheduler",
    "LossMonitor",
    "LossScaleManager",
    "Model",
    "ModelCheckpoint",
    "ModelError",
    "ProgressBar",
    "ReduceLROnPlateau",
    "RunContext",
    "SummaryCollector",
    "SummaryRecord",
    "TimeMonitor",
    "amp",
    "callback",
    "export",
    "load",
    "load_checkpoint",
    "load_param_into_net",
    "loss_scale_manager",
    "model",
    "save_checkpoint",
    "serialization",
    "summary",
]
