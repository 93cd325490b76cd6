"""Going on with a training from a checkpoint, at the step at which it was saved; `Model.train(resume_from=...)`."""

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
    """Where a training is.

    Attributes:
        epochs: epochs that are over.
        steps: steps that are done, in all of them.
        steps_in_epoch: those of them that belong to the epoch that is not over.

    """

    epochs: int
    steps: int
    steps_in_epoch: int


def resume(network: Cell, file: str | Path | Mapping[str, Any], steps: int) -> Place:
    """Give a training step all that a checkpoint of it knows: parameters, the optimizer's state, random numbers.

    Args:
        network: the whole training step.
        file: a checkpoint that `ModelCheckpoint` saved, or what `load_checkpoint` read from it.
        steps: how many an epoch has; 0 where that is not known.

    Raises:
        CheckpointError: The file has no position of the training, or belongs to another training.

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
    over = bool(steps) and in_epoch >= steps
    return Place(epoch if over else epoch - 1, done, 0 if over else in_epoch)


def _number(value: Any) -> int:
    return int(value.asnumpy())
