"""95 % intervals from an estimate on all runs and estimates on halves. Called by `study.py` and `effects.py`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import t

from mindinsight.lineage.importance.columns import Floats


@dataclass(frozen=True)
class Interval:
    """An estimate with the ends of its 95 % interval."""

    middle: float
    low: float
    high: float


def around(whole: Floats, halves: Floats) -> list[Interval]:
    """Returns intervals for values that may be above or below their estimates.

    Args:
        whole: (n,) estimates from all runs.
        halves: (refits, n) estimates from halves.
    """
    error = _error(halves)
    return _intervals(whole, whole - error, whole + error)


def growing(whole: Floats, halves: Floats, unexplained: float) -> list[Interval]:
    """Returns intervals for shares of variance. A forest finds more of them with more runs.

    The variance that the forest does not explain is either noise or not found yet, and the data cannot tell which (so
    the share is only known up to a set: Imbens, Manski, Confidence intervals for partially identified parameters,
    Econometrica 72, 2004). A share may therefore be up to twice the estimate's upper bound, limited by the unexplained
    variance: the forest is assumed to have found at least half of it.

    Args:
        whole: (n,) shares from all runs.
        halves: (refits, n) shares from halves.
        unexplained: share of the variance that the forest does not explain.
    """
    # A share is at most 1. With very few runs the random variation may give more.
    whole, error = np.minimum(whole, 1.0), _error(halves)
    high = whole + error
    hidden = np.clip(high, 0.0, max(0.0, unexplained))
    return _intervals(whole, whole - error, np.maximum(whole, np.minimum(1.0, high + hidden)))


def _error(halves: Floats) -> Floats:
    spread: Floats = halves.std(axis=0, ddof=1)
    return float(t.ppf(0.975, len(halves) - 1)) * spread


def _intervals(middle: Floats, low: Floats, high: Floats) -> list[Interval]:
    return [Interval(*row) for row in zip(middle.tolist(), low.tolist(), high.tolist(), strict=True)]
