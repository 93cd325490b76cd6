"""The columns that tell runs apart: the score by which they are judged, and the parameters in which they differ.

Called by the view of a table's standard columns.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import orjson
from django.db.models import Count, F, TextField
from django.db.models.functions import Cast

from mindinsight.runs.models import Series
from mindinsight.runs.queries import Wanted, matching
from mindinsight.runs.search.names import operand_text, quoted
from mindinsight.runs.search.vocabulary import best_of
from summaries.kinds import Kind

MAX_PARAMETERS = 3
# A longer text does not fit into a column.
_LONG = 24
_USUAL = tuple(
    re.compile(pattern)
    for pattern in (
        r"(initial_?|base_?)?(learning_?rate|lr)(_?init(ial)?)?", r"opt(im(izer)?)?", r"(train_?)?batch(_?size)?",
        r"(net(work)?|model|arch(itecture)?)", r"weight_?decay|wd|l2", r"momentum", r"drop_?out(_?rate)?",
        r"loss(_?function)?", r"seed",
    )
)  # fmt: skip
"""What people change most, in this order."""


def telling_columns(wanted: Wanted) -> tuple[str | None, list[str]]:
    """Returns the best score of the runs that match, if they have one, and the parameters that differ between them.

    Both in the form of a query. The score is the figure named like an accuracy that most runs have. Of the parameters
    those come first that people change most, then those that most runs have; texts that are long or differ from run to
    run come last. Of parameters with the same values in all runs the first is taken.
    """
    texts = {f"{name}_text": Cast(F(name), TextField()) for name in ("params", "metrics")}
    rows = list(matching(wanted=wanted).order_by().annotate(**texts).values_list("pk", *texts))
    params = [orjson.loads(row[1]) for row in rows]
    metrics = [orjson.loads(row[2]) for row in rows]
    counts = _counts(wanted, metrics)
    scores = [name for name in counts if best_of(name) == "max"]
    best = min(scores, key=lambda name: (-counts[name], len(name), name), default=None)
    differing = [operand_text(name, "param", name in counts) for name in _differing(params)[:MAX_PARAMETERS]]
    return None if best is None else f"max({quoted(best)})", differing


def _counts(wanted: Wanted, metrics: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """Counts the runs that have each scalar tag or result."""
    runs = matching(wanted=wanted).order_by().values("pk")
    series = Series.objects.filter(kind=Kind.SCALAR.value, count__gt=0, run__in=runs).order_by()
    counts: Counter[str] = Counter(dict(series.values_list("tag").annotate(runs=Count("run", distinct=True))))
    return counts | Counter(name for one in metrics for name in one)


def _differing(params: list[Mapping[str, Any]]) -> list[str]:
    """Returns the names of parameters with at least two values, the most telling first."""
    values: dict[str, dict[int, Any]] = defaultdict(dict)
    for run, one in enumerate(params):
        for name, value in one.items():
            if isinstance(value, (int, float, str)):
                values[name][run] = value
    ranked = []
    for name, found in values.items():
        different = {(isinstance(value, str), value) for value in found.values()}
        if len(different) < 2:
            continue
        texts = [value for value in found.values() if isinstance(value, str)]
        own = len(texts) > 2 and len(different) == len(found)
        ranked.append((own or max(map(len, texts), default=0) > _LONG, _usual(name), -len(found), name))
    taken: dict[str, dict[int, Any]] = {}
    for *_, name in sorted(ranked):
        if not any(_says_the_same(values[name], other) for other in taken.values()):
            taken[name] = values[name]
    return list(taken)


def _says_the_same(values: Mapping[int, Any], other: Mapping[int, Any]) -> bool:
    """Whether the values by run of a parameter are those of another one, wherever a run has the first."""
    return all(run in other and other[run] == value for run, value in values.items())


def _usual(name: str) -> int:
    """The place of a name among those that people change most."""
    last = re.split(r"[./]", name.lower())[-1]
    return next((place for place, pattern in enumerate(_USUAL) if pattern.fullmatch(last)), len(_USUAL))
