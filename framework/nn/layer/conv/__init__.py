"""Convolutions and transposed convolutions as Cells."""

from typing import TYPE_CHECKING

from framework.nn.layer.conv import conv_1d_2d, conv_3d
from framework.nn.layer.conv.conv_1d_2d import *  # noqa: F403
from framework.nn.layer.conv.conv_3d import *  # noqa: F403

if not TYPE_CHECKING:  # Type checkers cannot read sums of names; without them, they see every import.
    __all__ = conv_1d_2d.__all__ + conv_3d.__all__
