"""What datasets of several files share: finding the files, and the order and the shares of their rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from framework.communication.data_parallel import shards_of
from framework.dataset import config
from framework.dataset.engine.samplers import BuiltinSampler
from framework.dataset.engine.shuffling import Shuffle

__all__ = ["FilesSampler", "found_files", "sampler_json_of", "shuffle_mode"]

#: MindSpore's numbers of the modes in JSON.
_MODES = {Shuffle.FALSE: 0, Shuffle.FILES: 1, Shuffle.GLOBAL: 2, Shuffle.INFILE: 3}


class FilesSampler(BuiltinSampler):
    """The rows of several files. JSON has its parameters in the source, as in MindSpore.

    Rows that are not shuffled come from all files in turn, one from each, until they end.

    Args:
        mode: MindSpore's number of the shuffle mode: 0 for none, 1 for files, 2 for all rows, 3 within each file.
        num_samples: number of rows to read; None for all.
        num_shards: number of shards, of which one is read; None for one for each rank of a data parallel training,
            else for no shards.
        shard_id: index of the shard, from 0.
        whole_files: shards are whole files; otherwise all have the same number of rows.
    """

    def __init__(
        self,
        mode: int,
        num_samples: int | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        whole_files: bool = False,
    ) -> None:
        super().__init__(num_samples)
        num_shards, shard_id = shards_of(num_shards, shard_id)
        self.mode = mode
        self.num_shards, self.shard_id = 1 if num_shards is None else num_shards, shard_id or 0
        if self.num_shards < 1 or not 0 <= self.shard_id < self.num_shards:
            raise ValueError(f"shard_id must lie between 0 and num_shards - 1, not {shard_id} of {num_shards}")
        self.whole_files = whole_files

    def parameters(self) -> dict[str, Any]:
        """The parameters for the run."""
        shards = {"num_shards": self.num_shards, "shard_id": self.shard_id}
        # The processes of a training must agree about the order that they divide, also without a seed of the user's.
        own = {"seed": config.get_seed()} if self.num_shards > 1 else {}
        return {"mode": self.mode, "whole_files": self.whole_files, **shards, **own}


def sampler_json_of(sampler: FilesSampler) -> dict[str, int]:
    """The entries in the JSON of the source."""
    return {
        "num_samples": sampler.num_samples or 0,
        "num_shards": sampler.num_shards,
        "shard_id": sampler.shard_id,
        "shuffle": sampler.mode,
    }


def shuffle_mode(shuffle: Any) -> int:
    """MindSpore's number of a shuffle mode.

    Args:
        shuffle: True, False, None for the default, or one of `Shuffle`.

    Raises:
        TypeError: it is something else.
    """
    if shuffle is not None and not isinstance(shuffle, bool | Shuffle):
        raise TypeError(f"shuffle must be a bool or one of ds.Shuffle, not {shuffle!r}")
    if isinstance(shuffle, Shuffle):
        return _MODES.get(shuffle, _MODES[Shuffle.GLOBAL])
    return _MODES[Shuffle.FALSE if shuffle is False else Shuffle.GLOBAL]


def found_files(dataset_files: str | Path | Sequence[str | Path]) -> list[str]:
    """The files of the argument, sorted; a path may have `*` and `?` in its last part.

    Raises:
        ValueError: a path matches no file.
        TypeError: a path is no text.
    """
    given = [dataset_files] if isinstance(dataset_files, str | Path) else list(dataset_files)
    if not given:
        raise ValueError("dataset_files: no file is given")
    found: set[str] = set()
    missing = []
    for pattern in given:
        if not isinstance(pattern, str | Path):
            raise TypeError(f"dataset_files must be paths, not {pattern!r}")
        paths = [path for path in _matching(Path(pattern)) if path.is_file()]
        found.update(map(str, paths))
        if not paths:
            missing.append(str(pattern))
    if missing:
        raise ValueError(f"dataset_files: there is no file that matches {', '.join(map(repr, missing))}")
    return sorted(found)


def _matching(path: Path) -> list[Path]:
    if path.exists() or not set(path.name) & set("*?["):
        return [path]
    return list(path.parent.glob(path.name))
