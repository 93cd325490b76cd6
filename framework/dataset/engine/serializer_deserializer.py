"""Pipelines as JSON and back: `ds.serialize`, `ds.deserialize`, `ds.show`, `ds.compare`."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from framework.dataset.engine import samplers
from framework.dataset.engine.callers import caller
from framework.dataset.engine.datasets import Dataset
from framework.dataset.engine.images import (
    Cifar10Dataset,
    Cifar100Dataset,
    FashionMnistDataset,
    ImageFolderDataset,
    KMnistDataset,
    MnistDataset,
)
from framework.dataset.engine.published.annotated_images import CelebADataset, CocoDataset, ManifestDataset, VOCDataset
from framework.dataset.engine.published.digits import EMnistDataset, QMnistDataset
from framework.dataset.engine.published.line_files import CLUEDataset, CSVDataset, TextFileDataset
from framework.dataset.engine.schema import Schema
from framework.dataset.engine.shuffling import Shuffle
from framework.dataset.engine.standard_formats import TFRecordDataset
from framework.dataset.ir import Node
from framework.dataset.transforms.operation import operation_from_json

__all__ = ["compare", "deserialize", "serialize", "show"]

logger = logging.getLogger(__name__)

#: Arguments of datasets of several files.
_FILES = ("dataset_files", "num_samples", "num_shards", "shard_id", "num_parallel_workers")
_IMAGES = ("dataset_dir", "decode", "num_parallel_workers")
_SHUFFLES = (Shuffle.FALSE, Shuffle.FILES, Shuffle.GLOBAL, Shuffle.INFILE)

_SOURCES: dict[str, tuple[Callable[..., Dataset], tuple[str, ...]]] = {
    "MnistDataset": (MnistDataset, ("dataset_dir", "usage", "num_parallel_workers")),
    "FashionMnistDataset": (FashionMnistDataset, ("dataset_dir", "usage", "num_parallel_workers")),
    "KMnistDataset": (KMnistDataset, ("dataset_dir", "usage", "num_parallel_workers")),
    "Cifar10Dataset": (Cifar10Dataset, ("dataset_dir", "usage", "num_parallel_workers")),
    "Cifar100Dataset": (Cifar100Dataset, ("dataset_dir", "usage", "num_parallel_workers")),
    "TextFileDataset": (TextFileDataset, (*_FILES, "shuffle")),
    "CSVDataset": (CSVDataset, (*_FILES, "shuffle", "field_delim", "column_names")),
    "CLUEDataset": (CLUEDataset, (*_FILES, "shuffle", "task", "usage")),
    "TFRecordDataset": (
        TFRecordDataset,
        (*_FILES, "shuffle", "columns_list", "compression_type", "shard_equal_rows", "schema_file_path"),
    ),
    "CocoDataset": (CocoDataset, (*_IMAGES, "annotation_file", "task", "extra_metadata")),
    "VOCDataset": (VOCDataset, (*_IMAGES, "task", "usage", "class_indexing", "extra_metadata")),
    "CelebADataset": (CelebADataset, (*_IMAGES, "usage", "extensions")),
    "ManifestDataset": (
        ManifestDataset,
        ("dataset_file", "usage", "class_indexing", "decode", "num_parallel_workers"),
    ),
    "EMnistDataset": (EMnistDataset, ("dataset_dir", "name", "usage", "num_parallel_workers")),
    "QMnistDataset": (QMnistDataset, ("dataset_dir", "usage", "compat", "num_parallel_workers")),
    "ImageFolderDataset": (
        ImageFolderDataset,
        ("dataset_dir", "num_parallel_workers", "extensions", "class_indexing", "decode"),
    ),
}
_OPERATORS = {"Batch", "Concat", "Map", "Project", "Rename", "Repeat", "Shuffle", "Skip", "Take", "Zip"}
#: Operators whose JSON has no functions, or as in MindSpore no arguments at all.
_INCOMPLETE = {"BucketBatchByLength", "FlatMap", "RandomDataset", "SyncWait"}
_SAMPLERS = {
    "DistributedSampler": ("num_shards", "shard_id", "shuffle", "num_samples", "offset"),
    "PKSampler": ("num_val", "num_class", "shuffle", "num_samples"),
    "RandomSampler": ("replacement", "num_samples"),
    "SequentialSampler": ("start_index", "num_samples"),
    "SubsetRandomSampler": ("indices", "num_samples"),
    "SubsetSampler": ("indices", "num_samples"),
    "WeightedRandomSampler": ("weights", "num_samples", "replacement"),
}


def serialize(dataset: Dataset, json_filepath: str = "") -> dict[str, Any]:
    """A pipeline as MindSpore's JSON.

    Python functions are represented by their names; `deserialize` refuses them.

    Args:
        dataset: the last dataset of the pipeline.
        json_filepath: file to write the JSON to; empty for none.

    Returns:
        The JSON as a dictionary.
    """
    return dataset.to_json(json_filepath)


def deserialize(input_dict: Mapping[str, Any] | None = None, json_filepath: str | None = None) -> Dataset:
    """Create the pipeline that JSON describes.

    Args:
        input_dict: the result of `serialize`.
        json_filepath: the file that `serialize` wrote, in place of `input_dict`.

    Returns:
        The last dataset of the pipeline.

    Raises:
        ValueError: neither argument is given, or an operator, a sampler or a transform is unknown.
        NotImplementedError: a part of the pipeline is Python code of the user, which JSON cannot represent.
    """
    if json_filepath is not None:
        input_dict = json.loads(Path(json_filepath).read_text())
    if not input_dict:
        raise ValueError("deserialize: give input_dict or json_filepath")
    return Dataset(_node(input_dict, caller()))


def show(dataset: Dataset, indentation: int | None = 2) -> None:
    """Write a pipeline's JSON to the log, at level INFO.

    Args:
        dataset: the last dataset of the pipeline.
        indentation: number of spaces per level; None for one line.
    """
    logger.info("%s", json.dumps(dataset.to_json(), indent=indentation))


def compare(pipeline1: Dataset, pipeline2: Dataset) -> bool:
    """Whether two pipelines have the same JSON.

    Args:
        pipeline1: the last dataset of a pipeline.
        pipeline2: the last dataset of another pipeline.
    """
    return pipeline1.to_json() == pipeline2.to_json()


def _node(description: Mapping[str, Any], where: str) -> Node:
    op_type = description.get("op_type")
    if op_type in _SOURCES:
        return _source(str(op_type), description)
    if op_type == "GeneratorDataset":
        raise NotImplementedError(
            "GeneratorDataset reads from Python objects, which JSON cannot represent; create it again"
        )
    if op_type in _INCOMPLETE:
        raise NotImplementedError(f"JSON cannot represent the arguments of {op_type}; apply it again")
    if description.get("predicate") or description.get("per_batch_map") or description.get("batch_size") == 0:
        raise NotImplementedError(f"{op_type} calls a Python function, which JSON cannot represent; apply it again")
    if op_type not in _OPERATORS:
        raise ValueError(f"there is no operator {op_type!r}, only {', '.join(sorted({*_OPERATORS, *_SOURCES}))}")
    apart = {"op_type", "children", "operations", "sampler"}
    if op_type == "Concat":
        apart |= {"children_flag_and_nums", "children_sizes", "children_start_end_index"}
    return Node(
        str(op_type),
        tuple(_node(child, where) for child in description["children"]),
        {key: value for key, value in description.items() if key not in apart},
        operations=tuple(operation_from_json(operation) for operation in description.get("operations", ())),
        where=where,
    )


def _source(op_type: str, description: Mapping[str, Any]) -> Node:
    make, names = _SOURCES[op_type]
    arguments = {name: description[name] for name in names if name in description}
    for name in ("extensions", "class_indexing", "num_samples", "column_names", "columns_list"):
        if name in arguments:
            arguments[name] = arguments[name] or None
    if "shuffle" not in names:
        return make(**arguments, sampler=_sampler(description["sampler"])).node
    if op_type == "CLUEDataset":
        arguments["dataset_files"] = description["dataset_dir"]
    if op_type == "TFRecordDataset":
        arguments["schema"] = arguments.pop("schema_file_path", "") or _schema(description)
    if description.get("num_shards", 1) == 1:
        arguments.update(num_shards=None, shard_id=None)
    made = make(**{**arguments, "shuffle": _SHUFFLES[description["shuffle"]]})
    return made.use_sampler(_sampler(description["sampler"])).node if "sampler" in description else made.node


def _schema(description: Mapping[str, Any]) -> Schema | None:
    described = description.get("schema_json_string")
    if not described:
        return None
    schema = Schema()
    schema.from_json(json.loads(described) if isinstance(described, str) else described)
    return schema


def _sampler(description: Mapping[str, Any]) -> samplers.BuiltinSampler:
    name = description.get("sampler_name")
    if name not in _SAMPLERS:
        raise NotImplementedError(f"JSON cannot represent the sampler {name!r}, only {', '.join(_SAMPLERS)}")
    arguments = {key: description[key] for key in _SAMPLERS[name] if key in description}
    arguments["num_samples"] = arguments.get("num_samples") or None
    if name == "DistributedSampler" and "shuffle_mode" in description:
        arguments["shuffle"] = description["shuffle_mode"] != 0
    sampler: samplers.BuiltinSampler = getattr(samplers, name)(**arguments)
    if isinstance(sampler, samplers.RandomSampler):
        sampler.reshuffle_each_epoch = description.get("reshuffle_each_epoch", True)
        sampler.seed = description.get("seed")
    for child in description.get("child_sampler", ()):
        sampler.add_child(_sampler(child))
    return sampler
