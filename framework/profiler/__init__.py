"""The profiler: measures each operator of a training, in both modes. Users call it as `ms.Profiler`."""

from framework.profiler.profile import OperatorTime, Profile, Span
from framework.profiler.profiler import Profiler
from framework.profiler.work import bytes_of, flops_of

__all__ = ["OperatorTime", "Profile", "Profiler", "Span", "bytes_of", "flops_of"]
