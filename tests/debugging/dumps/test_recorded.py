"""Dumps that the real programs wrote, against counts by numpy alone. The folder is named by CASES_DUMPS."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from mindinsight.dumps import (
    DumpAnalyzer,
    TensorAllZeroCondition,
    TensorOverflowCondition,
    TensorTooLargeCondition,
    Watchpoint,
    find_fault,
)  # fmt: skip

ROOT = Path(__file__).resolve().parents[3]
CASES = Path(os.environ.get("CASES_DUMPS", ROOT.parent / "shared/data/dumps"))
FOLDERS = sorted(path for path in CASES.iterdir() if path.is_dir()) if CASES.is_dir() else []


def outputs(folder: Path) -> list[tuple[str, np.ndarray]]:
    """All output files of MindSpore, by numpy."""
    return [(path.name, np.load(path)) for path in sorted(folder.rglob("*.output.*.npy"))]


@pytest.mark.skipif(not FOLDERS, reason="CASES_DUMPS names no folder with recorded dumps")
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_recorded_dumps_are_read_as_numpy_counts_them(folder: Path) -> None:
    analyzer = DumpAnalyzer(folder)
    analyzer.dump.check()
    assert analyzer.damages == []
    assert analyzer.dump.nbytes == sum(
        path.stat().st_size for path in folder.rglob("*") if path.suffix in (".npy", ".pt")
    )
    arrays = outputs(folder)
    if not arrays:
        return
    tensors = list(analyzer.select_tensors(""))
    dumped = [tensor for tensor in tensors if tensor.value() is not None]
    assert len(dumped) == len(arrays)

    def hits(condition: object) -> int:
        return len(analyzer.check_watchpoints([Watchpoint(dumped, condition)]))

    bad = [name for name, array in arrays if not np.isfinite(array).all()]
    assert hits(TensorOverflowCondition()) == len(bad)
    assert hits(TensorAllZeroCondition(100)) == sum(not array.any() for _, array in arrays)
    large = sum(bool(np.max(array, initial=-1, where=np.isfinite(array)) > 1000) for _, array in arrays)
    assert hits(TensorTooLargeCondition(max_gt=1000)) == large
    fault = find_fault(analyzer.dump)
    assert (fault is not None) == bool(bad)
    if fault is not None:
        # The file that was written first among those that are not finite is the cause's.
        first = min(bad, key=lambda name: int(name.split(".")[-6]))
        assert fault.operator.replace("/", "_") in first
        assert fault.cause.producer.type == first.split(".")[0]
