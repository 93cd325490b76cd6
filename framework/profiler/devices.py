"""MindSpore's names for what a profiler measures. On the CPU they choose nothing; programs may give them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["AicoreMetrics", "ExportType", "ProfilerActivity", "ProfilerLevel", "_ExperimentalConfig"]


class ProfilerLevel(Enum):
    """How much of a device is measured."""

    LevelNone = "LevelNone"
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class ProfilerActivity(Enum):
    """The devices that are measured."""

    CPU = "CPU"
    NPU = "NPU"
    GPU = "GPU"


class AicoreMetrics(Enum):
    """Counters of Ascend's cores."""

    AiCoreNone = "None"
    ArithmeticUtilization = "ArithmeticUtilization"
    PipeUtilization = "PipeUtilization"
    Memory = "Memory"
    MemoryL0 = "MemoryL0"
    ResourceConflictRatio = "ResourceConflictRatio"
    MemoryUB = "MemoryUB"
    L2Cache = "L2Cache"
    MemoryAccess = "MemoryAccess"
    PipelineExecuteUtilization = "PipelineExecuteUtilization"


class ExportType(Enum):
    """Formats of Ascend's results."""

    Text = "text"
    Db = "db"


@dataclass(frozen=True)
class _ExperimentalConfig:
    """Settings of Ascend's profiler.

    Attributes:
        profiler_level, aic_metrics, l2_cache, mstx, data_simplification, export_type, mstx_domain_include,
            mstx_domain_exclude, sys_io, sys_interconnection, host_sys: as in MindSpore.
    """

    profiler_level: ProfilerLevel = ProfilerLevel.Level0
    aic_metrics: AicoreMetrics = AicoreMetrics.AiCoreNone
    l2_cache: bool = False
    mstx: bool = False
    data_simplification: bool = True
    export_type: object = None
    mstx_domain_include: object = None
    mstx_domain_exclude: object = None
    sys_io: bool = False
    sys_interconnection: bool = False
    host_sys: object = None
