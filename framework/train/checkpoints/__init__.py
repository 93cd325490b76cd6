"""Checkpoint files: named arrays and texts in MindSpore's `.ckpt` format, encrypted or not, as safetensors, PyTorch's.

`framework.train.serialization` calls `write_values` and `read_values`. A file is written whole or not at all, and every
load verifies its checksums. The other modules are private to this folder.
"""

from framework.train.checkpoints.ckpt import read_values, write_values
from framework.train.checkpoints.encryption import Key
from framework.train.checkpoints.errors import CheckpointError, CheckpointMismatchError
from framework.train.checkpoints.safetensors_file import read_safetensors, write_safetensors
from framework.train.checkpoints.torch_file import read_torch

__all__ = [
    "CheckpointError",
    "CheckpointMismatchError",
    "Key",
    "read_safetensors",
    "read_torch",
    "read_values",
    "write_safetensors",
    "write_values",
]
