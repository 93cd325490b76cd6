"""The names that a query may have meant: for each of its names that not all runs have, the others like it.

Called by the view for names of a query.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TypedDict

from mindinsight.runs.models import Run
from mindinsight.runs.search.names import counts, operand_text, quoted
from mindinsight.runs.search.parser import PlacedOperand, placed_operands
from mindinsight.runs.search.spelling import spelled
from mindinsight.runs.search.tree import Call, Name

MAX_OTHERS = 5


class OtherName(TypedDict):
    """Another name, the number of runs that have it, and the condition with this name."""

    name: str
    runs: int
    instead: str


class MeantName(TypedDict):
    """A name of a query, the number of runs that have it, and the place of its condition, in characters."""

    name: str
    runs: int
    position: int
    length: int
    others: list[OtherName]


def similar_names(query: str) -> list[MeantName]:
    """Returns the names of a query that no run has, or only some, if there are others like them.

    Raises:
        QueryError: the query is invalid.
    """
    placed = [one for one in placed_operands(query) if isinstance(one.operand, Call | Name)]
    if not placed:
        return []
    params, metrics, _ = counts()
    total = Run.objects.filter(removed=Run.Removed.NO).count()
    return list(_meant(query, placed, total, params, metrics))


def _meant(
    query: str, placed: list[PlacedOperand], total: int, params: Counter[str], metrics: Counter[str]
) -> Iterator[MeantName]:
    for one in placed:
        operand = spelled(one.operand)
        if isinstance(operand, Call):
            name, known = operand.tag, metrics
        elif isinstance(operand, Name):
            name = operand.name
            known = {"param": params, "metric": metrics, "any": params | metrics}[operand.source]
        else:
            continue
        if known[name] >= total:
            continue
        others = [other for other in known if other != name and _like(name, other)]
        others.sort(key=lambda other: (other.casefold() != name.casefold(), -known[other], other))
        if others:
            place, text = one.condition, query[one.place.position : one.place.position + one.place.length]
            after = query[one.place.position + one.place.length : place.position + place.length]
            rows: list[OtherName] = [
                {"name": other, "runs": known[other], "instead": _written(text, one, other, params, metrics) + after}
                for other in others[:MAX_OTHERS]
            ]
            yield {
                "name": name, "runs": known[name], "position": place.position, "length": place.length, "others": rows
            }  # fmt: skip


def _like(name: str, other: str) -> bool:
    """Whether one name is the other with more words, whatever the case."""
    words, more = (re.findall(r"[^\W_]+", text.casefold()) for text in (name, other))
    return bool(words and more) and (set(words) <= set(more) or set(more) <= set(words))


def _written(text: str, one: PlacedOperand, other: str, params: Counter[str], metrics: Counter[str]) -> str:
    """Returns the operand of a query with another name."""
    if isinstance(one.operand, Call):
        return f"{text.partition('(')[0].rstrip()}({quoted(other)})"
    source = one.operand.source if isinstance(one.operand, Name) else "any"
    if source != "any":
        return f"{source}:{quoted(other)}"
    return operand_text(other, "param" if other in params else "metric", other in params and other in metrics)
