"""Errors of MindRecord files with MindSpore's names, and the codes that its methods return."""

from __future__ import annotations

from typing import Final

__all__ = [
    "FAILED",
    "SUCCESS",
    "MRMDefineIndexError",
    "MRMInvalidSchemaError",
    "MRMOpenError",
    "MindRecordError",
    "ParamTypeError",
    "ParamValueError",
]

SUCCESS: Final = 0
FAILED: Final = 1


class MindRecordError(RuntimeError):
    """A MindRecord file, or a row to be written to one, is not valid."""


class MRMOpenError(MindRecordError):
    """A file cannot be opened, or is not a MindRecord file."""


class MRMInvalidSchemaError(MindRecordError):
    """A schema is not valid."""


class MRMDefineIndexError(MindRecordError):
    """A field cannot be an index."""


class ParamTypeError(MindRecordError, TypeError):
    """An argument has the wrong type."""


class ParamValueError(MindRecordError, ValueError):
    """An argument has an invalid value."""
