"""MindRecord, public as `ms.mindrecord`: files of rows with a schema and an index, and their writer.

The format is MindSpore's version 3.0, so files go both ways. `schema` says how a row becomes bytes, `packing` how its
parts do, `shards` where the bytes lie, `writer` and `reader` are what users call. `ds.MindDataset` reads through
`shards`.
"""

from framework.dataset.mindrecord.reader import FileReader
from framework.dataset.mindrecord.refusals import (
    FAILED,
    SUCCESS,
    MindRecordError,
    MRMDefineIndexError,
    MRMInvalidSchemaError,
    MRMOpenError,
    ParamTypeError,
    ParamValueError,
)
from framework.dataset.mindrecord.writer import FileWriter

__all__ = [
    "FAILED",
    "SUCCESS",
    "FileReader",
    "FileWriter",
    "MRMDefineIndexError",
    "MRMInvalidSchemaError",
    "MRMOpenError",
    "MindRecordError",
    "ParamTypeError",
    "ParamValueError",
]
