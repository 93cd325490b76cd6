"""Rank correlation of parameters with the target, and of parameters with each other. Called by `study.py`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import chdtrc, stdtr
from scipy.stats import norm, rankdata, t

from mindinsight.lineage.importance.columns import Column, Floats

Z = float(norm.ppf(0.975))
_GROUPS = 7


@dataclass(frozen=True)
class Correlation:
    """Spearman's rank correlation with its 95 % interval."""

    rank: float
    low: float
    high: float


def spearman(left: Floats, right: Floats) -> Correlation | None:
    """Returns the rank correlation of runs with both values; None for fewer than four pairs or a constant column.

    The interval is Fisher's z with the standard error of Bonett, Wright, Sample size requirements for estimating
    Pearson, Kendall and Spearman correlations (Psychometrika 65, 2000): sqrt((1 + r²/2) / (n - 3)).
    """
    both = ~(np.isnan(left) | np.isnan(right))
    count = int(both.sum())
    if count < 4:
        return None
    ranks = rankdata(left[both]), rankdata(right[both])
    if any(rank.std() == 0 for rank in ranks):
        return None
    rank = float(np.clip(np.corrcoef(*ranks)[0, 1], -1, 1))
    if abs(rank) > 1 - 1e-12:
        return Correlation(rank, rank, rank) if count > 20 else Correlation(rank, *_whole(rank, count))
    error = Z * math.sqrt((1 + rank**2 / 2) / (count - 3))
    return Correlation(rank, math.tanh(math.atanh(rank) - error), math.tanh(math.atanh(rank) + error))


def _whole(rank: float, count: int) -> tuple[float, float]:
    """The interval of a perfect correlation of few pairs: that of a correlation whose p-value is 0.025."""
    quantile = float(t.ppf(0.975, count - 2))
    other = quantile / math.sqrt(count - 2 + quantile**2)
    return (other, 1.0) if rank > 0 else (-1.0, -other)


@dataclass(frozen=True)
class Association:
    """How well one column determines another, 0 to 1, and the probability of this by chance."""

    strength: float
    p: float


@dataclass(frozen=True)
class Compared:
    """A column prepared once for comparisons with many others.

    Attributes:
        ranks: (runs,) with mean 0 and length 1; None unless all runs have numbers.
        groups: (runs,) frequent categories, or ranges with equally many runs. Runs without a value are one group.
    """

    ranks: Floats | None
    groups: npt.NDArray[np.intp]


def compared(column: Column) -> Compared:
    """Prepares a column for comparisons."""
    ranks = rankdata(np.where(column.codes < 0, np.iinfo(np.int32).max, column.codes))
    if column.kind == "category" or column.distinct <= _GROUPS:
        groups = np.minimum(column.codes, _GROUPS - 1).astype(np.intp)
    else:
        groups = np.minimum((ranks - 1) * _GROUPS / max(1, column.set), _GROUPS - 1).astype(np.intp)
    groups = np.where(column.codes < 0, _GROUPS, groups)
    centred = ranks - ranks.mean()
    length = float(np.linalg.norm(centred))
    whole = column.kind != "category" and column.set == len(column.codes) and length > 0
    return Compared(centred / length if whole else None, groups)


def association(left: Compared, right: Compared) -> Association:
    """Returns the association of two columns: Spearman's for numbers, else Cramér's V of a few groups of each.

    The bias of V is corrected (Bergsma, A bias-correction for Cramér's V and Tschuprow's T, Journal of the Korean
        Statistical Society 42, 2013).
    """
    if left.ranks is not None and right.ranks is not None:
        strength, freedom = min(1.0, abs(float(left.ranks @ right.ranks))), len(left.ranks) - 2
        quantile = strength * math.sqrt(freedom / max(1e-15, 1 - strength**2))
        return Association(strength, float(2 * stdtr(freedom, -quantile)))
    size = _GROUPS + 1
    table = np.bincount(left.groups * size + right.groups, minlength=size * size).reshape(size, size)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    if min(table.shape) < 2:
        return Association(0.0, 1.0)
    count, (rows, columns) = table.sum(), table.shape
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / count
    statistic = float(np.sum((table - expected) ** 2 / expected))
    freedom = (rows - 1) * (columns - 1)
    spread = max(0.0, statistic / count - freedom / (count - 1))
    room = min(rows - (rows - 1) ** 2 / (count - 1), columns - (columns - 1) ** 2 / (count - 1)) - 1
    return Association(min(1.0, math.sqrt(spread / room)) if room > 0 else 0.0, float(chdtrc(freedom, statistic)))
