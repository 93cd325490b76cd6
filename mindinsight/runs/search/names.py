"""Names that can continue a query, and the number of runs that have each. Called by the view for completion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, TypedDict

from django.db.models import Count

from mindinsight.runs.models import Run, RunMarks, Series
from mindinsight.runs.search.tokens import KEYWORDS, Type, tokenize
from mindinsight.runs.search.vocabulary import FIELDS, FUNCTIONS
from summaries.kinds import Kind

NameKind = Literal["field", "function", "param", "metric", "tag"]


class NameRow(TypedDict):
    """A name, its kind, its form in a query, and the number of runs that have it (null if that does not apply)."""

    name: str
    kind: NameKind
    written: str
    runs: int | None


def complete(prefix: str, limit: int) -> list[NameRow]:
    """Returns names that begin with `prefix` or contain it, ignoring case.

    Args:
        prefix: the typed text.
        limit: maximum number of names.

    Returns:
        Names that begin with it come first. Fields and functions come before names of runs, which are sorted by
        frequency.
    """
    typed = prefix.casefold()
    found = [row for row in _all_names() if typed in row["name"].casefold()]
    found.sort(key=lambda row: not row["name"].casefold().startswith(typed))
    return found[:limit]


def _all_names() -> Iterator[NameRow]:
    for field in FIELDS:
        yield {"name": field, "kind": "field", "written": field, "runs": None}
    for function in FUNCTIONS:
        yield {"name": function, "kind": "function", "written": f"{function}(", "runs": None}
    params, metrics, tags = counts()
    for name, runs in _most_frequent(params):
        yield {"name": name, "kind": "param", "written": operand_text(name, "param", name in metrics), "runs": runs}
    for name, runs in _most_frequent(metrics):
        yield {"name": name, "kind": "metric", "written": operand_text(name, "metric", name in params), "runs": runs}
    for name, runs in _most_frequent(tags):
        yield {"name": name, "kind": "tag", "written": f"tag:{quoted(name)}", "runs": runs}


def counts() -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Counts the runs that have each parameter, metric and tag, with three database queries."""
    params, noted = Counter[str](), Counter[str]()
    runs: set[str] = set()
    for name, its_params, its_metrics in Run.objects.filter(removed="").values_list("name", "params", "metrics"):
        params.update(its_params.keys())
        noted.update(its_metrics.keys())
        runs.add(name)
    series = Series.objects.filter(kind=Kind.SCALAR.value, count__gt=0, run__removed="").order_by()
    counted = series.values_list("tag").annotate(runs=Count("run", distinct=True))
    metrics = Counter(dict(counted))
    # Runs that record a result mostly have no tag with its name. If they do, the larger count is the closest.
    for name, count in noted.items():
        metrics[name] = max(metrics[name], count)
    marks = RunMarks.objects.exclude(tags=[]).values_list("run", "tags")
    return params, metrics, Counter(_tags_of(marks, runs))


def _tags_of(marks: Iterable[tuple[str, list[str]]], runs: set[str]) -> Iterator[str]:
    for run, tags in marks:
        if run in runs:
            yield from tags


def _most_frequent(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def operand_text(name: str, source: str, ambiguous: bool) -> str:
    """Returns an unambiguous form of a parameter or metric in a query."""
    return f"{source}:{quoted(name)}" if ambiguous else quoted(name, *FIELDS, "param", "metric")


def quoted(name: str, *reserved: str) -> str:
    """Returns a name in the form of a query: in quotes if it would be parsed as something else."""
    if name not in reserved and name.lower() not in KEYWORDS and _is_word(name):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _is_word(name: str) -> bool:
    try:
        first, *rest = tokenize(name)
    except ValueError:
        return False
    return first.type is Type.WORD and first.text == name and len(rest) == 1
