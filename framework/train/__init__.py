"""Training: `Model`, callbacks, checkpoints and loss scales; public as `ms.train`."""

from framework.nn import metrics
from framework.nn.metrics import *  # noqa: F403
from framework.train.amp import build_train_network
from framework.train.callback import (
    BackupAndRestore,
    Callback,
    CheckpointConfig,
    EarlyStopping,
    History,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    ModelCheckpoint,
    OnRequestExit,
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
from framework.train.sinking import DatasetHelper, connect_network_with_dataset, data_sink
from framework.train.summary import SummaryRecord

__all__ = [
    "BackupAndRestore",
    "Callback",
    "CheckpointConfig",
    "CheckpointError",
    "DatasetHelper",
    "DynamicLossScaleManager",
    "EarlyStopping",
    "FixedLossScaleManager",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "LossMonitor",
    "LossScaleManager",
    "Model",
    "ModelCheckpoint",
    "ModelError",
    "OnRequestExit",
    "ProgressBar",
    "ReduceLROnPlateau",
    "RunContext",
    "SummaryCollector",
    "SummaryRecord",
    "TimeMonitor",
    "build_train_network",
    "connect_network_with_dataset",
    "data_sink",
    "export",
    "load",
    "load_checkpoint",
    "load_param_into_net",
    "save_checkpoint",
]
__all__ += metrics.__all__
