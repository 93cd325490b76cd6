"""The BLEU score of translations (Papineni et al. 2002)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from framework.common.validator import check_bool, check_type
from framework.nn.metrics.metric import Metric, rearrange_inputs

__all__ = ["BleuScore"]


class BleuScore(Metric):
    """The geometric mean of n-gram precisions, with a penalty for short translations.

    Args:
        n_gram: largest n, from 1 to 4.
        smooth: add 1 to the counts of each precision (Lin and Och 2004).

    Example:
        >>> metric = nn.BleuScore(2)
        >>> metric.update([["a", "b", "c"]], [[["a", "b", "d"]]])
        >>> print(round(metric.eval(), 3))
        0.577

    """

    def __init__(self, n_gram: int = 4, smooth: bool = False) -> None:
        check_type("BleuScore: n_gram", n_gram, int)
        check_bool(smooth, "BleuScore: smooth")
        if not 1 <= n_gram <= 4:
            raise ValueError(f"BleuScore: n_gram must lie between 1 and 4, not {n_gram}")
        self.n_gram, self.smooth = n_gram, smooth
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._found = np.zeros(self.n_gram)
        self._all = np.zeros(self.n_gram)
        self._length = 0
        self._reference_length = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add translations, each a list of words, and a list of references for each."""
        if len(inputs) != 2 or len(inputs[0]) != len(inputs[1]):
            raise ValueError("BleuScore: update takes translations and a list of references for each of them")
        for words, references in zip(*inputs, strict=True):
            self._length += len(words)
            self._reference_length += min((abs(len(item) - len(words)), len(item)) for item in references)[1]
            groups = _groups(words, self.n_gram)
            reference_groups: Counter[tuple[str, ...]] = Counter()
            for reference in references:
                reference_groups |= _groups(reference, self.n_gram)
            for group, count in (groups & reference_groups).items():
                self._found[len(group) - 1] += count
            for group, count in groups.items():
                self._all[len(group) - 1] += count

    def eval(self) -> float:
        """The score, from 0 to 1.

        Raises:
            RuntimeError: no translation was added.

        """
        if not self._length:
            raise self._nothing()
        more = 1 if self.smooth else 0
        if not (self._found + more).all() or not (self._all + more).all():
            return 0.0
        mean = float(np.log((self._found + more) / (self._all + more)).mean())
        return min(1.0, math.exp(1 - self._reference_length / self._length)) * math.exp(mean)


def _groups(words: Sequence[str], longest: int) -> Counter[tuple[str, ...]]:
    sizes = range(1, longest + 1)
    return Counter(tuple(words[start : start + size]) for size in sizes for start in range(len(words) - size + 1))
