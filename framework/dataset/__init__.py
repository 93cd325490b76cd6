"""Data pipelines, public as `ms.dataset`: sources, operators on rows, transforms, samplers and iterators.

The user's classes (`engine`) build an immutable description (`ir`), which can be written as JSON and to lineage files.
`runtime` builds the operators from it. Nothing here imports operators, Cells or the compiler.
"""

from framework.dataset import config, engine, mindrecord, text, transforms, vision
from framework.dataset.engine import (
    Cifar10Dataset,
    Cifar100Dataset,
    Dataset,
    DatasetCache,
    DictIterator,
    FashionMnistDataset,
    GeneratorDataset,
    ImageFolderDataset,
    KMnistDataset,
    MindDataset,
    MnistDataset,
    NumpySlicesDataset,
    PaddedDataset,
    Schema,
    Shuffle,
    TFRecordDataset,
    TupleIterator,
    compare,
    deserialize,
    serialize,
    show,
    zip,  # noqa: A004 - MindSpore's name
)
from framework.dataset.engine.samplers import (
    DistributedSampler,
    IterSampler,
    PKSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    SubsetSampler,
    WeightedRandomSampler,
)
from framework.dataset.ir import dataset_graph
from framework.dataset.runtime.batching import BatchInfo

__all__ = [
    "BatchInfo",
    "Cifar10Dataset",
    "Cifar100Dataset",
    "Dataset",
    "DatasetCache",
    "DictIterator",
    "DistributedSampler",
    "FashionMnistDataset",
    "GeneratorDataset",
    "ImageFolderDataset",
    "IterSampler",
    "KMnistDataset",
    "MindDataset",
    "MnistDataset",
    "NumpySlicesDataset",
    "PKSampler",
    "PaddedDataset",
    "RandomSampler",
    "Sampler",
    "Schema",
    "SequentialSampler",
    "Shuffle",
    "SubsetRandomSampler",
    "SubsetSampler",
    "TFRecordDataset",
    "TupleIterator",
    "WeightedRandomSampler",
    "compare",
    "config",
    "dataset_graph",
    "deserialize",
    "engine",
    "mindrecord",
    "serialize",
    "show",
    "text",
    "transforms",
    "vision",
    "zip",
]
