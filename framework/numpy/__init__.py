"""MindSpore's `numpy`: numpy's functions on tensors, in both modes and with gradients.

They are compositions of the operators of `framework.ops`, and may import nothing above them.
"""

from framework.numpy import (
    array_creations,
    array_ops,
    borders,
    choosing,
    counting_and_sets,
    dtypes,
    logic_ops,
    math_ops,
    multiplying,
    polynomials,
    reductions,
)
from framework.numpy.array_creations import *  # noqa: F403
from framework.numpy.array_ops import *  # noqa: F403
from framework.numpy.borders import *  # noqa: F403
from framework.numpy.choosing import *  # noqa: F403
from framework.numpy.counting_and_sets import *  # noqa: F403
from framework.numpy.dtypes import *  # noqa: F403
from framework.numpy.logic_ops import *  # noqa: F403
from framework.numpy.math_ops import *  # noqa: F403
from framework.numpy.multiplying import *  # noqa: F403
from framework.numpy.polynomials import *  # noqa: F403
from framework.numpy.reductions import *  # noqa: F403

__all__ = array_creations.__all__ + array_ops.__all__ + borders.__all__ + choosing.__all__
__all__ += counting_and_sets.__all__ + dtypes.__all__ + logic_ops.__all__ + math_ops.__all__
__all__ += polynomials.__all__ + multiplying.__all__ + reductions.__all__
