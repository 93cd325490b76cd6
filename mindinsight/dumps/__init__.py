"""Looks into dumps of MindSpore and msprobe, with the names of MindInsight 2.3.1: `DumpAnalyzer("dump")`.

A thin face of `debugging.dumps`. Imports neither Django nor the training core.
"""

from debugging.dumps import Damage, DumpAnalyzer, DumpError, Fault, find_fault, open_dump
from debugging.dumps.dump import Dump, Rank
from debugging.dumps.tensors import DebuggerTensor, Node
from debugging.dumps.watching import (
    ConditionBase,
    OperatorOverflowCondition,
    TensorAllZeroCondition,
    TensorChangeAboveThresholdCondition,
    TensorChangeBelowThresholdCondition,
    TensorOverflowCondition,
    TensorRangeCondition,
    TensorTooLargeCondition,
    TensorTooSmallCondition,
    TensorUnchangedCondition,
    Watchpoint,
    WatchpointHit,
)

__all__ = [
    "ConditionBase",
    "Damage",
    "DebuggerTensor",
    "Dump",
    "DumpAnalyzer",
    "DumpError",
    "Fault",
    "Node",
    "OperatorOverflowCondition",
    "Rank",
    "TensorAllZeroCondition",
    "TensorChangeAboveThresholdCondition",
    "TensorChangeBelowThresholdCondition",
    "TensorOverflowCondition",
    "TensorRangeCondition",
    "TensorTooLargeCondition",
    "TensorTooSmallCondition",
    "TensorUnchangedCondition",
    "Watchpoint",
    "WatchpointHit",
    "find_fault",
    "open_dump",
]
