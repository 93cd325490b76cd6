"""Finds names of parameters, results and scalar tags whatever their case.

Used by the compiler, by `similar` and by lineage.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from mindinsight.runs.models import Run, Series
from mindinsight.runs.search.tree import (
    All,
    Among,
    AnyOf,
    Call,
    Comparison,
    Containing,
    Field,
    Flag,
    Like,
    Name,
    Not,
    Operand,
    Term,
)
from summaries.kinds import Kind


def respelled(term: Term, known: Collection[str] = ()) -> Term:
    """Returns a query with the names of its operands as the runs spell them.

    Args:
        term: the query.
        known: names that some run has as they are written.
    """
    found: dict[Operand, Operand] = {}

    def visit(one: Term) -> Term:
        match one:
            case All(terms):
                return All(tuple(map(visit, terms)))
            case AnyOf(terms):
                return AnyOf(tuple(map(visit, terms)))
            case Not(inner):
                return Not(visit(inner))
            case Flag():
                return one
            case Comparison() | Among() | Like() | Containing():
                if isinstance(one.left, Name) and one.left.name in known:
                    return one
                if one.left not in found:
                    found[one.left] = spelled(one.left)
                return replace(one, left=found[one.left])

    return visit(term)


def spelled(operand: Operand) -> Operand:
    """Returns the operand with its name as the runs spell it.

    A name that some run has as it is written stays. Otherwise it is the only name that differs from it in nothing but
    case, if there is one.
    """
    match operand:
        case Field():
            return operand
        case Call(tag=name):
            found = _spelling(name, ("metrics",), tags=True)
            return replace(operand, tag=found)
        case Name(name, source):
            columns = ("params", "metrics") if source == "any" else (f"{source}s",)
            return replace(operand, name=_spelling(name, columns, tags=source != "param"))


def _spelling(name: str, columns: tuple[str, ...], tags: bool) -> str:
    runs = Run.objects.filter(removed=Run.Removed.NO)
    series = Series.objects.filter(kind=Kind.SCALAR.value, count__gt=0, run__removed="").order_by()
    if tags and series.filter(tag=name).exists():
        return name
    if any(runs.filter(**{f"{column}__has_key": name}).exists() for column in columns):
        return name
    found: set[str] = set()
    for column in columns:
        found.update(_alike(name, (key for noted in runs.values_list(column, flat=True) for key in noted)))
    if tags:
        found.update(_alike(name, series.values_list("tag", flat=True).distinct()))
    return found.pop() if len(found) == 1 else name


def _alike(name: str, names: Iterable[str]) -> Iterator[str]:
    folded = name.casefold()
    return (other for other in names if other.casefold() == folded)
