"""Errors of MindRecord files with MindSpore's names, and the codes that its methods return."""

from __future__ import annotations

from typing import Final

__all__ = [
    "FAILED",
    "SUCCESS",
    "MRMAddIndexError",
    "MRMAddSchemaError",
    "MRMBuildSchemaError",
    "MRMCommitError",
    "MRMDefineCategoryError",
    "MRMDefineIndexError",
    "MRMFetchCandidateFieldsError",
    "MRMFetchDataError",
    "MRMGenerateIndexError",
    "MRMGetMetaError",
    "MRMIndexGeneratorError",
    "MRMInvalidHeaderSizeError",
    "MRMInvalidPageSizeError",
    "MRMInvalidSchemaError",
    "MRMOpenError",
    "MRMOpenForAppendError",
    "MRMReadCategoryInfoError",
    "MRMSetHeaderError",
    "MRMUnsupportedSchemaError",
    "MRMValidateDataError",
    "MRMWriteDatasetError",
    "MindRecordError",
    "ParamTypeError",
    "ParamValueError",
    "PathNotExistsError",
]

SUCCESS: Final = 0
FAILED: Final = 1


class MindRecordError(RuntimeError):
    """A MindRecord file, or a row to be written to one, is not valid."""


class MRMOpenError(MindRecordError):
    """A file cannot be opened, or is not a MindRecord file."""


class MRMOpenForAppendError(MRMOpenError):
    """A file cannot be opened to add rows."""


class MRMInvalidSchemaError(MindRecordError):
    """A schema is not valid."""


class MRMUnsupportedSchemaError(MRMInvalidSchemaError):
    """A schema has a type that is not known."""


class MRMBuildSchemaError(MRMInvalidSchemaError):
    """A schema cannot be made."""


class MRMAddSchemaError(MRMInvalidSchemaError):
    """A schema cannot be added."""


class MRMDefineIndexError(MindRecordError):
    """A field cannot be an index."""


class MRMAddIndexError(MRMDefineIndexError):
    """An index cannot be added."""


class MRMIndexGeneratorError(MindRecordError):
    """An index cannot be made from a file."""


class MRMGenerateIndexError(MRMIndexGeneratorError):
    """An index cannot be written."""


class MRMInvalidHeaderSizeError(MindRecordError):
    """A size of headers is not possible."""


class MRMInvalidPageSizeError(MindRecordError):
    """A size of pages is not possible."""


class MRMSetHeaderError(MindRecordError):
    """A header cannot be set."""


class MRMValidateDataError(MindRecordError):
    """A row does not fit the schema."""


class MRMWriteDatasetError(MindRecordError):
    """Rows cannot be written."""


class MRMCommitError(MindRecordError):
    """Files cannot be completed."""


class MRMFetchDataError(MindRecordError):
    """Rows cannot be read."""


class MRMGetMetaError(MindRecordError):
    """What a file says about itself cannot be read."""


class MRMDefineCategoryError(MindRecordError):
    """A field cannot be a category."""


class MRMReadCategoryInfoError(MindRecordError):
    """Categories cannot be read."""


class MRMFetchCandidateFieldsError(MindRecordError):
    """The fields that can be categories cannot be read."""


class ParamTypeError(MindRecordError, TypeError):
    """An argument has the wrong type."""


class ParamValueError(MindRecordError, ValueError):
    """An argument has an invalid value."""


class PathNotExistsError(MindRecordError):
    """A path does not exist."""
