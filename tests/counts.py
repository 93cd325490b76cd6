"""How many cases tests run: a choice by default, all of them in `make test-long`. For parametrised tests."""

from __future__ import annotations

import itertools
import os
from collections.abc import Collection, Sequence
from typing import Any, Final

#: Whether this is `make test-long`.
LONG: Final = os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long"


def pairwise(*arguments: Collection[Any]) -> Sequence[tuple[Any, ...]]:
    """The cases of a test with several arguments: each two values of two arguments meet in at least one case.

    A fault that depends on three arguments at once is found in the long run, which has the whole product.

    Args:
        arguments: the values of each argument.

    Returns:
        Cases for `pytest.mark.parametrize`, in the order of the product.
    """
    values = [list(of_one) for of_one in arguments]
    product = list(itertools.product(*(range(len(of_one)) for of_one in values)))
    chosen = product if LONG else _covering(product)
    return [tuple(of_one[at] for of_one, at in zip(values, case, strict=True)) for case in chosen]


def _covering(product: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Few cases that have all pairs: each next one is the first with the most pairs that are still missing."""
    pairs = {case: set(itertools.combinations(enumerate(case), 2)) for case in product}
    missing = set().union(*pairs.values())
    chosen = set()
    while missing:
        best = max(product, key=lambda case: len(pairs[case] & missing))
        chosen.add(best)
        missing -= pairs[best]
    return sorted(chosen)
