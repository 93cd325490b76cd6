"""Datasets of images with annotations: COCO, Pascal VOC, CelebA and manifests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from framework.common.validator import check_bool, check_string
from framework.dataset.engine.caching import DatasetCache, cached
from framework.dataset.engine.images import FilesDataset
from framework.dataset.engine.node_arguments import folder_of
from framework.dataset.formats.annotated import COCO_COLUMNS, CelebAImages, CocoImages, ManifestImages, VOCImages
from framework.dataset.vision.codecs.coding import decoded

__all__ = ["CelebADataset", "CocoDataset", "ManifestDataset", "VOCDataset"]


def _file(name: str, path: str | Path) -> str:
    if not Path(path).is_file():
        raise ValueError(f"{name}: there is no file {str(path)!r}")
    return str(path)


class CocoDataset(FilesDataset):
    """COCO (Lin et al. 2014): `image`, and by task

    - Detection: `bbox` Float32 (n, 4), `category_id` and `iscrowd` UInt32 (n, 1);
    - Stuff: `segmentation` Float32 (n, longest) filled up with -1, `iscrowd`;
    - Keypoint: `keypoints` Float32 (n, longest) filled up with -1, `num_keypoints`;
    - Panoptic: as Detection, and `area`;
    - Captioning: `captions`, texts (n, 1).

    Args:
        dataset_dir: folder of the images.
        annotation_file: path of the annotations.
        task: "Detection", "Stuff", "Keypoint", "Panoptic" or "Captioning".
        num_samples: number of rows to read; None for all.
        num_parallel_workers: number of threads that read files; None for that of `ds.config`.
        shuffle: read in random order; None for True, unless a sampler is given.
        decode: return images of shape (height, width, 3); otherwise the bytes of the files.
        sampler: a sampler, or an iterable of row indices; None for the default.
        num_shards: number of shards, of which one is read; None for no shards.
        shard_id: index of the shard, from 0.
        cache: a `DatasetCache` that keeps the rows; None for none.
        extra_metadata: add a column `_meta-filename` with the name of the file without its ending.
        decrypt: must be None.

    Raises:
        ValueError: a folder or file is missing, or an argument has a wrong value.
        RuntimeError: the annotations are damaged or lack something. It is raised when they are read.
    """

    def __init__(
        self,
        dataset_dir: str | Path,
        annotation_file: str | Path,
        task: str = "Detection",
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        decode: bool = False,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: DatasetCache | None = None,
        extra_metadata: bool = False,
        decrypt: None = None,
    ) -> None:
        _plain(decrypt)
        check_string(task, list(COCO_COLUMNS), "task")
        folder, file = folder_of(dataset_dir), _file("annotation_file", annotation_file)
        maker = decoded if check_bool(decode, "decode") else None
        self._files = CocoImages(folder, file, task, maker, check_bool(extra_metadata, "extra_metadata"))
        parameters = {"dataset_dir": folder, "annotation_file": file, "task": task, "decode": decode}
        parameters["extra_metadata"] = extra_metadata
        sampling = (sampler, shuffle, num_samples, num_shards, shard_id)
        super().__init__(cached(self._files, cache), parameters, num_parallel_workers, sampling)

    def get_class_indexing(self) -> dict[str, list[int]]:
        """The id of each category in a list; for Panoptic with a second number, 1 for things.

        Raises:
            RuntimeError: the task has no categories.
        """
        if self._files.task not in ("Detection", "Panoptic"):
            raise RuntimeError(f"get_class_indexing: the task {self._files.task} has no categories")
        return dict(self._files.classes)


class VOCDataset(FilesDataset):
    """Pascal VOC: `image`, and `target` (Segmentation) or `bbox` Float32 (n, 4), `label`, `difficult` and `truncate`
    UInt32 (n, 1) (Detection). A box is left, top, width and height.

    Args:
        dataset_dir: folder of `JPEGImages`, `ImageSets`, `Annotations` and `SegmentationClass`.
        task: "Segmentation" or "Detection".
        usage: name of the image set: "train", "val", "trainval", "test".
        class_indexing: labels by class, for Detection; other classes are left out. None to number them in order.
        num_samples: number of rows to read; None for all.
        num_parallel_workers: number of threads that read files; None for that of `ds.config`.
        shuffle: read in random order; None for True, unless a sampler is given.
        decode: return images of shape (height, width, 3); otherwise the bytes of the files.
        sampler: a sampler, or an iterable of row indices; None for the default.
        num_shards: number of shards, of which one is read; None for no shards.
        shard_id: index of the shard, from 0.
        cache: a `DatasetCache` that keeps the rows; None for none.
        extra_metadata: add a column `_meta-filename` with the name of the image.
        decrypt: must be None.

    Raises:
        ValueError: a folder or the image set is missing, or an argument has a wrong value.
        RuntimeError: an annotation is missing or damaged. It is raised when it is read.
    """

    def __init__(
        self,
        dataset_dir: str | Path,
        task: str = "Segmentation",
        usage: str = "train",
        class_indexing: Mapping[str, int] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        decode: bool = False,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: DatasetCache | None = None,
        extra_metadata: bool = False,
        decrypt: None = None,
    ) -> None:
        _plain(decrypt)
        check_string(task, ["Segmentation", "Detection"], "task")
        if class_indexing is not None and task == "Segmentation":
            raise ValueError("class_indexing can be given for the task Detection only")
        folder = folder_of(dataset_dir)
        maker = decoded if check_bool(decode, "decode") else None
        self._files = VOCImages(
            folder, task, usage, class_indexing, maker, check_bool(extra_metadata, "extra_metadata")
        )
        _file("usage", self._files.list_file)
        indexing = dict(class_indexing or {})
        parameters = {"dataset_dir": folder, "task": task, "usage": usage, "class_indexing": indexing, "decode": decode}
        parameters["extra_metadata"] = extra_metadata
        sampling = (sampler, shuffle, num_samples, num_shards, shard_id)
        super().__init__(cached(self._files, cache), parameters, num_parallel_workers, sampling)

    def get_class_indexing(self) -> dict[str, int]:
        """The label of each class.

        Raises:
            RuntimeError: the task is Segmentation.
        """
        if self._files.task != "Detection":
            raise RuntimeError("get_class_indexing: the task Segmentation has no classes")
        return dict(self._files.classes)


class CelebADataset(FilesDataset):
    """CelebA: `image`, and `attr` UInt32 (40,).

    Args:
        dataset_dir: folder of the images, `list_attr_celeba.txt` and `list_eval_partition.txt`.
        num_parallel_workers: number of threads that read files; None for that of `ds.config`.
        shuffle: read in random order; None for True, unless a sampler is given.
        usage: "all", "train", "valid" or "test".
        sampler: a sampler, or an iterable of row indices; None for the default.
        decode: return images of shape (height, width, 3); otherwise the bytes of the files.
        extensions: file name extensions of images; None for all.
        num_samples: number of rows to read; None for all.
        num_shards: number of shards, of which one is read; None for no shards.
        shard_id: index of the shard, from 0.
        cache: a `DatasetCache` that keeps the rows; None for none.
        decrypt: must be None.

    Raises:
        ValueError: the folder or the list is missing, or an argument has a wrong value.
        RuntimeError: a list is damaged, or an image is missing. It is raised when it is read.
    """

    def __init__(
        self,
        dataset_dir: str | Path,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        usage: str = "all",
        sampler: Any = None,
        decode: bool = False,
        extensions: Sequence[str] | None = None,
        num_samples: int | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: DatasetCache | None = None,
        decrypt: None = None,
    ) -> None:
        _plain(decrypt)
        check_string(usage, ["all", "train", "valid", "test"], "usage")
        folder, endings = folder_of(dataset_dir), list(extensions or ())
        _file("dataset_dir", Path(folder, "list_attr_celeba.txt"))
        source = CelebAImages(folder, usage, endings, decoded if check_bool(decode, "decode") else None)
        parameters = {"dataset_dir": folder, "usage": usage, "decode": decode, "extensions": endings}
        sampling = (sampler, shuffle, num_samples, num_shards, shard_id)
        super().__init__(cached(source, cache), parameters, num_parallel_workers, sampling)


class ManifestDataset(FilesDataset):
    """The images of a manifest: `image`, and `label` Int32, or an array of labels where an image has several.

    Args:
        dataset_file: path of the manifest: JSON lines with `source`, `usage` and `annotation`.
        usage: "train", "eval" or "inference".
        num_samples: number of rows to read; None for all.
        num_parallel_workers: number of threads that read files; None for that of `ds.config`.
        shuffle: read in random order; None for True, unless a sampler is given.
        sampler: a sampler, or an iterable of row indices; None for the default.
        class_indexing: labels by class; other classes are left out. None to number them in order.
        decode: return images of shape (height, width, 3); otherwise the bytes of the files.
        num_shards: number of shards, of which one is read; None for no shards.
        shard_id: index of the shard, from 0.
        cache: a `DatasetCache` that keeps the rows; None for none.

    Raises:
        ValueError: there is no such file, or an argument has a wrong value.
        RuntimeError: a line is damaged, or an image is missing. It is raised when it is read.
    """

    def __init__(
        self,
        dataset_file: str | Path,
        usage: str = "train",
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        class_indexing: Mapping[str, int] | None = None,
        decode: bool = False,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: DatasetCache | None = None,
    ) -> None:
        check_string(usage, ["train", "eval", "inference"], "usage")
        file = _file("dataset_file", dataset_file)
        self._files = ManifestImages(file, usage, class_indexing, decoded if check_bool(decode, "decode") else None)
        indexing = dict(class_indexing or {})
        parameters = {"dataset_file": file, "usage": usage, "class_indexing": indexing, "decode": decode}
        sampling = (sampler, shuffle, num_samples, num_shards, shard_id)
        super().__init__(cached(self._files, cache), parameters, num_parallel_workers, sampling)

    def get_class_indexing(self) -> dict[str, int]:
        """The label of each class."""
        return dict(self._files.classes)


def _plain(decrypt: object) -> None:
    if decrypt is not None:
        raise NotImplementedError("decrypt: encrypted images are not read; decrypt them first")
