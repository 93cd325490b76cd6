"""Statistics of dumped values in the form of `statistic.csv`, for dumps without one. `analyzer.py` calls it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from debugging.dumps.dump import Dump, Iteration
from debugging.dumps.tables import StatisticRow
from debugging.tensors.statistics import statistics_of

__all__ = ["measured_rows"]


def measured_rows(dump: Dump, iteration: Iteration) -> Iterator[StatisticRow]:
    """The statistics of all tensors of an iteration that can be read. Means and extremes are of finite elements."""
    for file in iteration.files.values():
        array = dump.values(iteration, file)
        if array is None or array.dtype.kind not in "fiubV":
            continue
        found = statistics_of(array)
        signs = np.signbit(array.astype(np.float32)) & (array == 0) if array.dtype.kind in "fV" else np.zeros(1, bool)
        negative_zeros = int(signs.sum())
        yield StatisticRow(
            file.type, file.node, "input" if file.is_input else "output", file.slot,
            time_stamp=file.time, data_size=array.nbytes, data_type=file.dtype or str(array.dtype),
            shape=str(array.shape), max_value=found.max, min_value=found.min, avg_value=found.mean,
            l2_value=found.l2, count=int(found.count), negative_zero_count=negative_zeros,
            positive_zero_count=int(found.zeros) - negative_zeros, nan_count=int(found.nans),
            negative_inf_count=int(found.neg_infs), positive_inf_count=int(found.pos_infs),
            zero_count=int(found.zeros),
        )  # fmt: skip
