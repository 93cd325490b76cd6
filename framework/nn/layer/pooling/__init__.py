"""Pooling and unpooling as Cells."""

from typing import TYPE_CHECKING

from framework.nn.layer.pooling import fractional, lp_pool, pool_1d_2d, pool_3d, unpooling
from framework.nn.layer.pooling.fractional import *  # noqa: F403
from framework.nn.layer.pooling.lp_pool import *  # noqa: F403
from framework.nn.layer.pooling.pool_1d_2d import *  # noqa: F403
from framework.nn.layer.pooling.pool_3d import *  # noqa: F403
from framework.nn.layer.pooling.unpooling import *  # noqa: F403

if not TYPE_CHECKING:  # Type checkers cannot read sums of names; without them, they see every import.
    __all__ = fractional.__all__ + lp_pool.__all__ + pool_1d_2d.__all__ + pool_3d.__all__
    __all__ += unpooling.__all__
