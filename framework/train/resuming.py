"""Resuming a training from a checkpoint, at the step after the saved one: `Model.train(resume_from=...)`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from framework.common import seed
from framework.nn.cell import Cell
from framework.train.serialization import SUFFIXES, CheckpointError, load_checkpoint, load_param_into_net

__all__ = ["Place", "resume"]


@dataclass(frozen=True)
class Place:
    """The position in a training.

    Attributes:
        epochs: number of finished epochs.
        steps: number of finished steps in all epochs.
        steps_in_epoch: number of finished steps in the current epoch.
    """

    epochs: int
    steps: int
    steps_in_epoch: int


def resume(network: Cell, file: str | Path | Mapping[str, Any], steps: int) -> Place:
    """Restore a training step from a checkpoint: parameters, the optimizer's state and random numbers.

    Args:
        network: the whole training step.
        file: a checkpoint of `ModelCheckpoint`, or the result of `load_checkpoint` for it.
        steps: number of steps of an epoch; 0 if unknown.

    Returns:
        The position in the training.

    Raises:
        CheckpointError: the file has no position of a training, or belongs to another training.
    """
    if isinstance(file, Mapping):
        saved, file = file, "what was loaded"
    else:
        is_safetensors = Path(file).suffix == SUFFIXES["safetensors"]
        saved = load_checkpoint(file, format="safetensors" if is_safetensors else "ckpt")
    try:
        epoch, done, in_epoch = (_number(saved[name]) for name in ("epoch_num", "step_num", "step_in_epoch"))
        random_state = saved["random_state"]
    except KeyError as error:
        raise CheckpointError(
            f"{file} has no position of its training (no {error.args[0]!r}): ModelCheckpoint saves files that a "
            "training can go on from; load_checkpoint reads the parameters of this one"
        ) from None
    missing, _ = load_param_into_net(network, saved, strict_load=True)
    if missing:
        raise CheckpointError(f"{file} is of another network or optimizer: it has no {', '.join(missing[:5])}")
    seed.set_state(random_state)
    is_finished = bool(steps) and in_epoch >= steps
    return Place(epoch if is_finished else epoch - 1, done, 0 if is_finished else in_epoch)


def _number(value: Any) -> int:
    return int(value.asnumpy())
