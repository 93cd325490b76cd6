"""Image datasets in their published formats: MNIST, CIFAR-10, CIFAR-100, and folders of images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from framework.common.validator import check_bool, check_string
from framework.dataset import config
from framework.dataset.engine.caching import DatasetCache, cached
from framework.dataset.engine.callers import caller
from framework.dataset.engine.datasets import Dataset
from framework.dataset.engine.node_arguments import folder_of
from framework.dataset.engine.select_sampler import select_sampler
from framework.dataset.formats.cifar import CifarFiles
from framework.dataset.formats.folder import ImageFolder
from framework.dataset.formats.mnist import MnistFiles
from framework.dataset.ir import Node
from framework.dataset.runtime import Source
from framework.dataset.vision.codecs.coding import decoded

__all__ = [
    "Cifar10Dataset",
    "Cifar100Dataset",
    "FashionMnistDataset",
    "FilesDataset",
    "ImageFolderDataset",
    "KMnistDataset",
    "MnistDataset",
]


class FilesDataset(Dataset):
    """Base class of datasets that are read from files, in the order of a sampler."""

    def __init__(
        self,
        source: Source,
        parameters: Mapping[str, Any],
        workers: int | None,
        sampling: tuple[Any, bool | None, int | None, int | None, int | None],
    ) -> None:
        made = {
            "num_parallel_workers": config.get_num_parallel_workers() if workers is None else workers,
            "connector_queue_size": config.get_prefetch_size(),
            **parameters,
        }
        sampler = select_sampler(*sampling).node()
        name = type(self).__name__
        super().__init__(Node(name, parameters=made, sampler=sampler, python={"source": source}, where=caller()))


class MnistDataset(FilesDataset):
    """MNIST: `image` (28, 28, 1) UInt8, and `label` UInt32.

    Args:
        dataset_dir: folder of the published files (`train-images-idx3-ubyte` and so on, `t10k-` for tests), compressed
            (`.gz`) or not; they may lie in sub-folders.
        usage: "train", "test" or "all"; None for all files that exist.
        num_samples: number of rows to read; None for all.
        num_parallel_workers: recorded in the pipeline.
        shuffle: read in random order; None for True, unless a sampler is given.
        sampler: a sampler, or an iterable of row indices; None for the default.
        num_shards: number of shards, of which one is read; None for no shards.
        shard_id: index of the shard, from 0.
        cache: a `DatasetCache` that keeps the rows; None for none.

    Raises:
        ValueError: there is no such folder.
        RuntimeError: files are missing or damaged. It is raised when they are read.

    """

    def __init__(
        self,
        dataset_dir: str | Path,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: DatasetCache | None = None,
    ) -> None:
        usage = "all" if usage is None else check_string(usage, ["train", "test", "all"], "usage")
        folder = folder_of(dataset_dir)
        super().__init__(
            cached(MnistFiles(folder, usage), cache),
            {"dataset_dir": folder, "usage": usage},
            num_parallel_workers,
            (sampler, shuffle, num_samples, num_shards, shard_id),
        )


class FashionMnistDataset(MnistDataset):
    """Fashion-MNIST (Xiao et al. 2017): articles of clothing, with the files and arguments of `MnistDataset`."""


class KMnistDataset(MnistDataset):
    """Kuzushiji-MNIST (Clanuwat et al. 2018): cursive kana, with the files and arguments of `MnistDataset`."""


class Cifar10Dataset(FilesDataset):
    """CIFAR-10: `image` (32, 32, 3) UInt8, and `label` UInt32.

    Args:
        dataset_dir: folder of the binary files (`data_batch_1.bin` and so on, `test_batch.bin`).
        usage: "train", "test" or "all"; None for all files that exist.
        num_samples: number of rows to read; None for all.
        num_parallel_workers: recorded in the pipeline.
        shuffle: read in random order; None for True, unless a sampler is given.
        sampler: a sampler, or an iterable of row indices; None for the default.
        num_shards: number of shards, of which one is read; None for no shards.
        shard_id: index of the shard, from 0.
        cache: a `DatasetCache` that keeps the rows; None for none.

    Raises:
        ValueError: there is no such folder.
        RuntimeError: files are missing or damaged. It is raised when they are read.

    """

    _CLASSES = 10

    def __init__(
        self,
        dataset_dir: str | Path,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: DatasetCache | None = None,
    ) -> None:
        usage = "all" if usage is None else check_string(usage, ["train", "test", "all"], "usage")
        folder = folder_of(dataset_dir)
        super().__init__(
            cached(CifarFiles(folder, usage, self._CLASSES), cache),
            {"dataset_dir": folder, "usage": usage},
            num_parallel_workers,
            (sampler, shuffle, num_samples, num_shards, shard_id),
        )


class Cifar100Dataset(Cifar10Dataset):
    """CIFAR-100: `image` (32, 32, 3) UInt8, `coarse_label` and `fine_label` UInt32.

    The files are `train.bin` and `test.bin`. The arguments and errors are those of `Cifar10Dataset`.
    """

    _CLASSES = 100


class ImageFolderDataset(FilesDataset):
    """Images in one folder per class: `image` UInt8, and `label` Int32, the index of the folder's name in order.

    Args:
        dataset_dir: folder that contains the folders.
        num_samples: number of rows to read; None for all.
        num_parallel_workers: number of threads that read files; None for that of `ds.config`.
        shuffle: read in random order; None for True, unless a sampler is given.
        sampler: a sampler, or an iterable of row indices; None for the default.
        extensions: file name extensions of images; None for [".jpg", ".jpeg", ".png", ".bmp", ".gif"] and the like.
        class_indexing: labels by folder name; other folders are left out. None to number the folders in order.
        decode: return images of shape (height, width, 3); otherwise the bytes of the files, for `vision.Decode`.
        num_shards: number of shards, of which one is read; None for no shards.
        shard_id: index of the shard, from 0.
        cache: a `DatasetCache` that keeps the rows; None for none.

    Raises:
        ValueError: there is no such folder.
        RuntimeError: the folder has no image. It is raised when the dataset is read.
    """

    def __init__(
        self,
        dataset_dir: str | Path,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        extensions: Sequence[str] | None = None,
        class_indexing: Mapping[str, int] | None = None,
        decode: bool = False,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: DatasetCache | None = None,
    ) -> None:
        check_bool(decode, "decode")
        folder = folder_of(dataset_dir)
        self._files = ImageFolder(folder, extensions, class_indexing, decoded if decode else None)
        parameters = {
            "dataset_dir": folder,
            "class_indexing": dict(class_indexing or {}),
            "decode": decode,
            "extensions": list(extensions or ()),
            "recursive": False,
        }
        sampling = (sampler, shuffle, num_samples, num_shards, shard_id)
        super().__init__(cached(self._files, cache), parameters, num_parallel_workers, sampling)

    def get_class_indexing(self) -> dict[str, int]:
        """The label of each class by folder name."""
        return dict(self._files.classes)
