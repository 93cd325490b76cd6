"""The user's classes: datasets and their methods, samplers and iterators. They build the nodes of the IR."""

from framework.dataset.engine.caching import DatasetCache
from framework.dataset.engine.datasets import Dataset, zip  # noqa: A004 - MindSpore's name
from framework.dataset.engine.describing.explaining import Explanation, explain
from framework.dataset.engine.images import (
    Cifar10Dataset,
    Cifar100Dataset,
    FashionMnistDataset,
    ImageFolderDataset,
    KMnistDataset,
    MnistDataset,
)
from framework.dataset.engine.iterators import DictIterator, TupleIterator
from framework.dataset.engine.published.annotated_images import CelebADataset, CocoDataset, ManifestDataset, VOCDataset
from framework.dataset.engine.published.digits import EMnistDataset, QMnistDataset, RandomDataset
from framework.dataset.engine.published.line_files import CLUEDataset, CSVDataset, TextFileDataset
from framework.dataset.engine.python_sources import GeneratorDataset, NumpySlicesDataset, PaddedDataset
from framework.dataset.engine.schema import Schema
from framework.dataset.engine.serializer_deserializer import compare, deserialize, serialize, show
from framework.dataset.engine.shuffling import Shuffle
from framework.dataset.engine.standard_formats import MindDataset, TFRecordDataset
from framework.dataset.runtime.flow.callbacks import DSCallback, WaitedDSCallback

__all__ = [
    "CLUEDataset",
    "CSVDataset",
    "CelebADataset",
    "Cifar10Dataset",
    "Cifar100Dataset",
    "CocoDataset",
    "DSCallback",
    "Dataset",
    "DatasetCache",
    "DictIterator",
    "EMnistDataset",
    "Explanation",
    "FashionMnistDataset",
    "GeneratorDataset",
    "ImageFolderDataset",
    "KMnistDataset",
    "ManifestDataset",
    "MindDataset",
    "MnistDataset",
    "NumpySlicesDataset",
    "PaddedDataset",
    "QMnistDataset",
    "RandomDataset",
    "Schema",
    "Shuffle",
    "TFRecordDataset",
    "TextFileDataset",
    "TupleIterator",
    "VOCDataset",
    "WaitedDSCallback",
    "compare",
    "deserialize",
    "explain",
    "serialize",
    "show",
    "zip",
]
