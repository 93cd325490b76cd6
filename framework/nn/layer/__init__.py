"""Layers of networks, one module or folder per family. Users import them from `nn` or, as in MindSpore, `nn.layer`."""

from typing import TYPE_CHECKING

from framework.nn.layer import (
    activation,
    attention,
    basic,
    comparison,
    conv,
    fused,
    image,
    math,
    measures,
    normalization,
    padding,
    pooling,
    recurrent,
    transformer,
)

# Each family lists its public names itself.
from framework.nn.layer.activation import *  # noqa: F403
from framework.nn.layer.attention import *  # noqa: F403
from framework.nn.layer.basic import *  # noqa: F403
from framework.nn.layer.comparison import *  # noqa: F403
from framework.nn.layer.conv import *  # noqa: F403
from framework.nn.layer.fused import *  # noqa: F403
from framework.nn.layer.image import *  # noqa: F403
from framework.nn.layer.math import *  # noqa: F403
from framework.nn.layer.measures import *  # noqa: F403
from framework.nn.layer.normalization import *  # noqa: F403
from framework.nn.layer.padding import *  # noqa: F403
from framework.nn.layer.pooling import *  # noqa: F403
from framework.nn.layer.recurrent import *  # noqa: F403
from framework.nn.layer.transformer import *  # noqa: F403

if not TYPE_CHECKING:  # Type checkers cannot read sums of names; without them, they see every import.
    __all__ = activation.__all__ + attention.__all__ + basic.__all__ + comparison.__all__
    __all__ += conv.__all__ + fused.__all__ + image.__all__ + math.__all__
    __all__ += measures.__all__ + normalization.__all__ + padding.__all__ + pooling.__all__
    __all__ += recurrent.__all__ + transformer.__all__
