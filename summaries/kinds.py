"""Kinds of recorded values, such as scalar, histogram or image.

The reader gives every value its kind; the dashboard stores the kind of each series.
"""

from enum import StrEnum


class Kind(StrEnum):
    """The kind of a value, and of the series of one tag."""

    SCALAR = "scalar"
    HISTOGRAM = "histogram"
    IMAGE = "image"
    TENSOR = "tensor"
    TEXT = "text"
    AUDIO = "audio"
    GRAPH = "graph"
    HPARAMS = "hparams"
    PR_CURVE = "pr_curve"
    EMBEDDING = "embedding"
    MESH = "mesh"
    LOSS_LANDSCAPE = "loss_landscape"
    ENVIRONMENT = "environment"
    PROFILE = "profile"
    PASS_GRAPH = "pass_graph"  # noqa: S105
    LIVE_EDIT = "live_edit"
    SESSION = "session"
    OTHER = "other"
    DATA_PIPELINE = "data_pipeline"


KINDS = tuple(Kind)
"""All kinds. Columns store the index of a kind, so new kinds are added at the end."""

KIND_INDEX = {kind: index for index, kind in enumerate(KINDS)}
"""The index of each kind in `KINDS`."""
