"""How a training is spread over ranks. `context` sets it; data sets and training steps ask.

Below `context`, which data sets do not know.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import cast

from framework.common.device import Array
from framework.communication import collectives
from framework.communication.rank_state import add_rank_state
from framework.communication.worlds import WORLD, communicator, current

__all__ = [
    "check_alike", "check_device_num", "digest", "gradient_ranks", "ranks_of_cut_operators", "set_data_parallel",
    "shards_of",
]  # fmt: skip

_reduces = False
_divides = False
_cuts = False


def set_data_parallel(reduces: bool, divides: bool, cuts: bool = False) -> None:
    """Say how a training is spread.

    Args:
        reduces: whether training steps combine the gradients of all ranks.
        divides: whether each rank reads its own part of a data set.
        cuts: whether operators are cut over ranks.
    """
    global _reduces, _divides, _cuts
    _reduces, _divides, _cuts = reduces, divides, cuts


def ranks_of_cut_operators() -> int:
    """The number of ranks over which operators are cut; 1 unless the parallel mode does so."""
    return communicator(WORLD).size if _cuts else 1


def gradient_ranks() -> int:
    """The number of ranks whose gradients a training step combines; 1 unless the training is data parallel."""
    return communicator(WORLD).size if _reduces else 1


def shards_of(num_shards: int | None, shard_id: int | None) -> tuple[int, int] | tuple[None, None]:
    """How many shards a data set has and which one is read, from 0, by the arguments of the data set.

    Args:
        num_shards: the number of shards; None for one for each rank of a training in which each reads its own part,
            else for no shards.
        shard_id: the index of the shard.

    Returns:
        Both numbers, or None twice for all of the data.

    Raises:
        ValueError: one is given without the other.
    """
    if num_shards is not None and shard_id is not None:
        return num_shards, shard_id
    if num_shards is not None or shard_id is not None:
        raise ValueError("num_shards and shard_id belong together: give both or neither")
    here = communicator(WORLD)
    return (here.size, here.rank) if _divides and here.size > 1 else (None, None)


def check_device_num(devices: int) -> None:
    """Check the number of devices that a program has set; 1 is the default.

    Raises:
        ValueError: the program has another number of ranks.
    """
    world = current()
    if world is not None and devices not in (1, world.everyone.size) and world.everyone.size > 1:
        size = world.everyone.size
        raise ValueError(
            f"device_num is {devices}, and {size} ranks run this program: leave device_num out, write "
            f"device_num=get_group_size(), or start {devices} ranks with mindinsight run -n {devices}"
        )


def digest(arrays: Sequence[Array]) -> str:
    """A short text that differs if any element of arrays differs."""
    found = 0
    for x in arrays:
        found = zlib.crc32(x.tobytes(), found)
    return f"{found:08x}"


def check_alike(values: Sequence[tuple[str, str, str]]) -> None:
    """Check that all ranks begin with the same; every rank calls this.

    Args:
        values: what must be the same: its name, its value, and what to do if it differs.

    Raises:
        ValueError: two ranks have different values; it names them.
    """
    ranks = communicator(WORLD)
    everyone = collectives.share([value for _, value, _ in values], WORLD)
    for place, (name, _, advice) in enumerate(values):
        for rank in range(ranks.size):
            if everyone[rank][place] != everyone[0][place]:
                raise ValueError(
                    f"{name} differs between ranks: rank 0 has {everyone[0][place]} and rank {rank} has "
                    f"{everyone[rank][place]}: {advice}"
                )


class _OfRank:
    """The settings of each rank of an in-process group."""

    def new(self) -> object:
        """The present settings."""
        return _reduces, _divides, _cuts

    def take(self) -> object:
        """The present settings."""
        return _reduces, _divides, _cuts

    def put(self, state: object) -> None:
        """Go on with the settings of a rank."""
        set_data_parallel(*cast("tuple[bool, bool, bool]", state))


add_rank_state(_OfRank())
