"""Normalization as Cells: over the batch, within a sample, over neighbouring channels."""

from typing import TYPE_CHECKING

from framework.nn.layer.normalization import batch_norm, local_response, per_sample
from framework.nn.layer.normalization.batch_norm import *  # noqa: F403
from framework.nn.layer.normalization.local_response import *  # noqa: F403
from framework.nn.layer.normalization.per_sample import *  # noqa: F403

if not TYPE_CHECKING:  # Type checkers cannot read sums of names; without them, they see every import.
    __all__ = batch_norm.__all__ + local_response.__all__ + per_sample.__all__
