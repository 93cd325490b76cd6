"""Converters of other formats to MindRecord files, with MindSpore's names, fields and indexes."""

from framework.dataset.mindrecord.converters.cifar import Cifar10ToMR, Cifar100ToMR
from framework.dataset.mindrecord.converters.imagenet import ImageNetToMR
from framework.dataset.mindrecord.converters.mnist import MnistToMR
from framework.dataset.mindrecord.converters.table import CsvToMR
from framework.dataset.mindrecord.converters.tfrecord import TFRecordToMR

__all__ = ["Cifar10ToMR", "Cifar100ToMR", "CsvToMR", "ImageNetToMR", "MnistToMR", "TFRecordToMR"]
