"""The profiler: captures what a training does, or measures each operator alone. Users call it as `ms.Profiler`.

Read in this order: `profiler` (the interface), `capture` (writing), `record` (reading), `timeline` (what it means),
`trace_file` and `results` (what people open). `isolated` is the other mode.
"""

from framework.profiler.devices import (
    AicoreMetrics,
    ExportType,
    ProfilerActivity,
    ProfilerLevel,
    _ExperimentalConfig,
)
from framework.profiler.profiler import Profiler, analyse, profile, tensorboard_trace_handler
from framework.profiler.scheduling import ProfilerAction, schedule
from framework.profiler.sums import OperatorTime, Profile, Span
from framework.profiler.work import bytes_of, flops_of

__all__ = [
    "AicoreMetrics",
    "ExportType",
    "OperatorTime",
    "Profile",
    "Profiler",
    "ProfilerAction",
    "ProfilerActivity",
    "ProfilerLevel",
    "Span",
    "_ExperimentalConfig",
    "analyse",
    "bytes_of",
    "flops_of",
    "profile",
    "schedule",
    "tensorboard_trace_handler",
]
