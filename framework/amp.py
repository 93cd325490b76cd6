"""MindSpore's `amp`: mixed precision, and loss scales for training steps that a user writes as functions."""

from framework.train.amp import auto_mixed_precision, build_train_network, get_black_list, get_white_list
from framework.train.loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager
from framework.train.loss_scaler import DynamicLossScaler, LossScaler, StaticLossScaler, all_finite

__all__ = [
    "DynamicLossScaleManager",
    "DynamicLossScaler",
    "FixedLossScaleManager",
    "LossScaleManager",
    "LossScaler",
    "StaticLossScaler",
    "all_finite",
    "auto_mixed_precision",
    "build_train_network",
    "get_black_list",
    "get_white_list",
]
