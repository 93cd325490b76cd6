"""The content of values, independent of the format: the common form of the converters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from summaries.kinds import Kind


@dataclass(frozen=True, slots=True)
class Histogram:
    """Buckets, with the statistics of the elements.

    Attributes:
        left, width, count: float64, one entry for each bucket, from left to right.
        low, high, total: minimum, maximum and sum of the finite elements, if known.
        nan, pos_inf, neg_inf: numbers of elements that are in no bucket because they are not finite.
    """

    left: NDArray[np.float64]
    width: NDArray[np.float64]
    count: NDArray[np.float64]
    low: float | None = None
    high: float | None = None
    total: float | None = None
    nan: int = 0
    pos_inf: int = 0
    neg_inf: int = 0


@dataclass(frozen=True, slots=True)
class Image:
    """An encoded picture, mostly PNG."""

    width: int
    height: int
    channels: int
    encoded: bytes


@dataclass(frozen=True, slots=True)
class Tensor:
    """Numbers with the name of their type. `array` is float32 for bfloat16, which numpy does not have."""

    array: NDArray[Any]
    element: str


@dataclass(frozen=True, slots=True)
class Text:
    """A text, which may be Markdown."""

    content: str


Content = Histogram | Image | Tensor | Text

CONVERTIBLE = frozenset({Kind.HISTOGRAM, Kind.IMAGE, Kind.TENSOR, Kind.TEXT})
"""The kinds that become a `Content`. Scalars are plain numbers."""

PLURALS = {
    "histogram": "histograms",
    "image": "images",
    "tensor": "tensors",
    "text": "texts",
    "audio": "recordings",
    "graph": "graphs",
    "hparams": "records of hyper-parameters",
    "pr_curve": "precision-recall curves",
    "embedding": "embeddings",
    "mesh": "meshes",
    "loss_landscape": "loss landscapes",
    "environment": "descriptions of the environment",
    "profile": "profiles",
    "pass_graph": "graphs of compiler passes",
    "live_edit": "changed settings",
    "data_pipeline": "records of data pipelines",
    "session": "session marks",
    "scalar": "scalars",
    "other": "values of unknown kinds",
}
"""Readable plurals of the kinds."""


def plural(kind: str) -> str:
    """Returns the plural of a kind."""
    return PLURALS.get(kind, kind)


def png_channels(encoded: bytes) -> int:
    """Returns the number of channels in a PNG's header, or 3 for any other format."""
    if encoded[:8] != b"\x89PNG\r\n\x1a\n" or len(encoded) < 26:
        return 3
    return {0: 1, 2: 3, 3: 3, 4: 2, 6: 4}.get(encoded[25], 3)
