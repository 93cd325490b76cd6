"""Errors of MindRecord files with MindSpore's names, and the codes that its methods return."""

from __future__ import annotations

from typing import Final

__all__ = [
    "FAILED",
    "SUCCESS",
    "DbConnectionError",
    "MRMAddIndexError",
    "MRMAddSchemaError",
    "MRMBuildSchemaError",
    "MRMCloseError",
    "MRMCommitError",
    "MRMDefineBlobError",
    "MRMDefineCategoryError",
    "MRMDefineIndexError",
    "MRMFetchCandidateFieldsError",
    "MRMFetchDataError",
    "MRMFinishError",
    "MRMGenerateIndexError",
    "MRMGetMetaError",
    "MRMIndexGeneratorError",
    "MRMInitSegmentError",
    "MRMInvalidHeaderSizeError",
    "MRMInvalidPageSizeError",
    "MRMInvalidSchemaError",
    "MRMLaunchError",
    "MRMOpenError",
    "MRMOpenForAppendError",
    "MRMReadCategoryInfoError",
    "MRMSetHeaderError",
    "MRMUnsupportedSchemaError",
    "MRMValidateDataError",
    "MRMWriteDatasetError",
    "MindRecordError",
    "MindRecordException",
    "ParamMissError",
    "ParamTypeError",
    "ParamValueError",
    "PathNotExistsError",
    "UnknownError",
]

SUCCESS: Final = 0
FAILED: Final = 1


class MindRecordError(RuntimeError):
    """A MindRecord file, or a row to be written to one, is not valid."""


#: MindSpore's name.
MindRecordException = MindRecordError


class UnknownError(MindRecordError):
    """An error without another name."""


class ParamTypeError(MindRecordError, TypeError):
    """An argument has the wrong type."""


class ParamValueError(MindRecordError, ValueError):
    """An argument has an invalid value."""


class ParamMissError(MindRecordError):
    """An argument is missing."""


class PathNotExistsError(MindRecordError):
    """A path does not exist."""


class DbConnectionError(MindRecordError):
    """An index cannot be opened."""


class MRMOpenError(MindRecordError):
    """A file cannot be opened, or is not a MindRecord file."""


class MRMOpenForAppendError(MRMOpenError):
    """A file cannot be opened to add rows."""


class MRMInvalidHeaderSizeError(ParamValueError):
    """A size of headers is not possible."""


class MRMInvalidPageSizeError(ParamValueError):
    """A size of pages is not possible."""


class MRMSetHeaderError(MindRecordError):
    """A header cannot be set."""


class MRMWriteDatasetError(MindRecordError):
    """Rows cannot be written."""


class MRMCommitError(MindRecordError):
    """Files cannot be completed."""


class MRMLaunchError(MindRecordError):
    """Reading cannot begin."""


class MRMFinishError(MindRecordError):
    """Reading cannot end."""


class MRMCloseError(MindRecordError):
    """Files are closed already, or cannot be closed."""


class MRMInvalidSchemaError(MindRecordError):
    """A schema is not valid."""


class MRMUnsupportedSchemaError(MRMInvalidSchemaError):
    """A schema has a type that is not known."""


class MRMAddSchemaError(MRMInvalidSchemaError):
    """A schema cannot be added."""


class MRMBuildSchemaError(MRMInvalidSchemaError):
    """A schema cannot be made."""


class MRMDefineIndexError(MindRecordError):
    """A field cannot be an index."""


class MRMAddIndexError(MRMDefineIndexError):
    """An index cannot be added."""


class MRMDefineBlobError(MindRecordError):
    """A field cannot be in the blob part of rows."""


class MRMValidateDataError(MindRecordError):
    """A row does not fit the schema."""


class MRMGetMetaError(MindRecordError):
    """What a file says about itself cannot be read."""


class MRMIndexGeneratorError(MindRecordError):
    """An index cannot be made from a file."""


class MRMGenerateIndexError(MRMIndexGeneratorError):
    """An index cannot be written."""


class MRMInitSegmentError(MindRecordError):
    """Pages of categories cannot be read."""


class MRMFetchCandidateFieldsError(MindRecordError):
    """The fields that can be categories cannot be read."""


class MRMDefineCategoryError(MindRecordError):
    """A field cannot be a category."""


class MRMReadCategoryInfoError(MindRecordError):
    """Categories cannot be read."""


class MRMFetchDataError(MindRecordError):
    """Rows cannot be read."""
