"""The operators, sources and samplers that JSON can describe, with their parameters, for `loading` and the schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

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
from framework.dataset.engine.standard_formats import MindDataset, TFRecordDataset

__all__ = ["INCOMPLETE", "OPERATORS", "SAMPLERS", "SOURCES", "Operator"]

Schema = Mapping[str, Any]

#: Arguments of datasets of several files.
_FILES = ("dataset_files", "num_samples", "num_shards", "shard_id", "num_parallel_workers")
_IMAGES = ("dataset_dir", "decode", "num_parallel_workers")
_DIGITS = ("dataset_dir", "usage", "num_parallel_workers")

#: The classes of sources, and their arguments that are in JSON. GeneratorDataset is there, and cannot come back.
SOURCES: Final[Mapping[str, tuple[Callable[..., Dataset] | None, tuple[str, ...]]]] = {
    "GeneratorDataset": (None, ()),
    "RandomDataset": (None, ()),
    "MindDataset": (MindDataset, ("dataset_files", "columns_list", "num_parallel_workers")),
    "MnistDataset": (MnistDataset, _DIGITS),
    "FashionMnistDataset": (FashionMnistDataset, _DIGITS),
    "KMnistDataset": (KMnistDataset, _DIGITS),
    "Cifar10Dataset": (Cifar10Dataset, _DIGITS),
    "Cifar100Dataset": (Cifar100Dataset, _DIGITS),
    "TextFileDataset": (TextFileDataset, (*_FILES, "shuffle")),
    "CSVDataset": (CSVDataset, (*_FILES, "shuffle", "field_delim", "column_names", "column_defaults")),
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


@dataclass(frozen=True)
class Operator:
    """What the JSON of an operator has.

    Args:
        children: the least number of children; 1 is the only number, too.
        properties: JSON Schema of its parameters.
        required: parameters that have no default.
        defaults: values of parameters that are left out.
        workers: whether it has workers.
    """

    children: int = 1
    properties: Schema = field(default_factory=dict)
    required: tuple[str, ...] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    workers: bool = False


_NAMES: Final = {"type": "array", "items": {"type": "string", "minLength": 1}, "uniqueItems": True}
_SOME_NAMES: Final = {**_NAMES, "minItems": 1}
_COUNT: Final = {"type": "integer", "minimum": -1}
_FUNCTION: Final = {"$ref": "#/$defs/function"}
_BOTH: Final = {"input_columns": _NAMES, "output_columns": _NAMES}
_NO_NAMES: Final[Mapping[str, list[str]]] = {"input_columns": [], "output_columns": []}

OPERATORS: Final[Mapping[str, Operator]] = {
    "Batch": Operator(
        # MindSpore writes 0 where a function computes the size.
        properties={
            "batch_size": {"type": "integer", "minimum": 0},
            "drop_remainder": {"type": "boolean"},
            "pad_info": {"type": "object", "additionalProperties": {"type": "array", "minItems": 2, "maxItems": 2}},
            "per_batch_map": _FUNCTION,
            **_BOTH,
        },
        required=("batch_size",),
        defaults={"drop_remainder": False, **_NO_NAMES},
        workers=True,
    ),
    "BucketBatchByLength": Operator(),
    "Cache": Operator(
        properties={"folder": {"type": "string"}, "memory_mb": {"type": "integer", "minimum": 0}},
        defaults={"folder": "", "memory_mb": 0},
    ),
    "Concat": Operator(children=2),
    "Filter": Operator(
        properties={"predicate": _FUNCTION, "input_columns": _NAMES},
        required=("predicate",),
        defaults={"input_columns": []},
        workers=True,
    ),
    "FlatMap": Operator(),
    "Map": Operator(properties=_BOTH, required=("operations",), defaults={"callback": [], **_NO_NAMES}, workers=True),
    "Project": Operator(properties={"columns": _SOME_NAMES}, required=("columns",)),
    "Rename": Operator(
        properties={"input_columns": _SOME_NAMES, "output_columns": _SOME_NAMES},
        required=("input_columns", "output_columns"),
    ),
    "Repeat": Operator(properties={"count": {**_COUNT, "not": {"const": 0}}}, required=("count",)),
    "Shuffle": Operator(
        properties={"buffer_size": {"type": "integer", "minimum": 2}, "reset_each_epoch": {"type": "boolean"}},
        required=("buffer_size",),
        defaults={"reset_each_epoch": True},
    ),
    "Skip": Operator(properties={"count": {"type": "integer", "minimum": 0}}, required=("count",)),
    "SyncWait": Operator(),
    "Take": Operator(properties={"count": {**_COUNT, "not": {"const": 0}}}, required=("count",)),
    "Zip": Operator(children=2, workers=True),
}
#: Operators whose JSON has no functions, or as in MindSpore no arguments at all.
INCOMPLETE: Final = frozenset(("BucketBatchByLength", "FlatMap", "RandomDataset", "SyncWait"))

_WHOLE: Final = {"type": ["integer", "null"], "minimum": 0}
_FLAG: Final = {"type": "boolean"}
#: The samplers, and the JSON Schema of their arguments.
SAMPLERS: Final[Mapping[str, Schema]] = {
    "DistributedSampler": {
        "num_shards": {"type": "integer", "exclusiveMinimum": 0},
        "shard_id": {"type": "integer", "minimum": 0},
        "shuffle": _FLAG,
        "num_samples": _WHOLE,
        "offset": {"type": "integer", "minimum": -1},
    },
    "PKSampler": {
        "num_val": {"type": "integer", "exclusiveMinimum": 0},
        "num_class": _WHOLE,
        "shuffle": _FLAG,
        "num_samples": _WHOLE,
    },
    "RandomSampler": {"replacement": _FLAG, "num_samples": _WHOLE},
    "SequentialSampler": {"start_index": _WHOLE, "num_samples": _WHOLE},
    "SubsetRandomSampler": {"indices": {"type": "array", "items": {"type": "integer"}}, "num_samples": _WHOLE},
    "SubsetSampler": {"indices": {"type": "array", "items": {"type": "integer"}}, "num_samples": _WHOLE},
    "WeightedRandomSampler": {
        "weights": {"type": "array", "items": {"type": "number", "minimum": 0}},
        "num_samples": _WHOLE,
        "replacement": _FLAG,
    },
}
