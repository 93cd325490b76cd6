"""Where the time of a training goes: a measurement of each operator, in both modes. Users call it as `ms.Profiler`."""

from framework.profiler.profile import OperatorTime, Profile, Span
from framework.profiler.profiler import Profiler
from framework.profiler.work import bytes_of, flops_of

__all__ = ["OperatorTime", "Profile", "Profiler", "Span", "bytes_of", "flops_of"]
