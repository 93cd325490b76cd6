"""95 % intervals from one estimate of all runs and estimates of halves. Called by `study.py` and `effects.py`."""

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
    """Returns intervals for what may lie on both sides of its estimate.

    Args:
        whole: (n,) estimates from all runs.
        halves: (refits, n) estimates from halves.
    """
    error = _error(halves)
    return _intervals(whole, whole - error, whole + error)


def growing(whole: Floats, halves: Floats, unexplained: float) -> list[Interval]:
    """Returns intervals for shares of variance. A forest finds more of them with more runs.

    What the forest leaves unexplained is noise or what it has not found yet, and nobody can tell which (so the share is
    known up to a set only: Imbens, Manski, Confidence intervals for partially identified parameters, Econometrica 72,
    2004). A share may therefore be twice what chance alone allows, as far as the unexplained has room: the forest is
    trusted to have found half of it.

    Args:
        whole: (n,) shares from all runs.
        halves: (refits, n) shares from halves.
        unexplained: share of the variance that the forest does not explain.
    """
    # A share is at most all; of very few runs chance alone may say more.
    whole, error = np.minimum(whole, 1.0), _error(halves)
    high = whole + error
    hidden = np.clip(high, 0.0, max(0.0, unexplained))
    return _intervals(whole, whole - error, np.maximum(whole, np.minimum(1.0, high + hidden)))


def _error(halves: Floats) -> Floats:
    spread: Floats = halves.std(axis=0, ddof=1)
    return float(t.ppf(0.975, len(halves) - 1)) * spread


def _intervals(middle: Floats, low: Floats, high: Floats) -> list[Interval]:
    return [Interval(*row) for row in zip(middle.tolist(), low.tolist(), high.tolist(), strict=True)]
