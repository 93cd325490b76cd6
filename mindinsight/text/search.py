"""Searches all texts of some runs for words, portion by portion. Called by `api.py`.

Texts are not indexed: each is read from its event file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict

from mindinsight.api.problems import Problem
from mindinsight.runs.models import Series
from mindinsight.runs.recorded import MAX_BYTES, as_dicts, event_file, places_of
from mindinsight.store import ColumnStore
from mindinsight.text.records import read_text
from summaries.kinds import Kind

MAX_HITS = 200
_PORTION = 1000
_BEFORE, _BEHIND = 48, 120


@dataclass(frozen=True)
class Position:
    """The place where a search continues: a series, and the index of a text."""

    series: int
    index: int


class Match(TypedDict):
    """The matches in a text: their `count`, and the first one at `at` in an excerpt."""

    excerpt: str
    at: int
    length: int
    count: int


class Hit(Match):
    """One text that contains the words."""

    run: int
    series: int
    tag: str
    index: int
    step: int


class Found(NamedTuple):
    """The result of one portion of a search.

    Attributes:
        hits: texts that contain the words, in order of series and index.
        texts: number of texts read.
        unreadable: number of unreadable texts.
        next: where the search continues; None at the end.
    """

    hits: list[Hit]
    texts: int
    unreadable: int
    next: Position | None


def search_texts(
    store: ColumnStore,
    words: str,
    runs: Sequence[int] | None,
    start: Position | None,
    max_bytes: int = MAX_BYTES,
) -> Found:
    """Searches texts until a maximum number of bytes of event files was read.

    Args:
        store: the store with the places.
        words: the words, ignoring case.
        runs: numbers of runs; None for all.
        start: the `next` of an earlier result.
        max_bytes: maximum number of bytes to read; at least one text is read.
    """
    pattern = re.compile(re.escape(words), re.IGNORECASE)
    hits: list[Hit] = []
    texts = unreadable = spent = 0
    for series, index, place in _places(store, runs, start):
        if texts and (spent + place["length"] > max_bytes or len(hits) >= MAX_HITS):
            return Found(hits, texts, unreadable, Position(series.pk, index))
        spent += place["length"]
        texts += 1
        try:
            cells = read_text(*event_file(series), place).cells
        except Problem:
            unreadable += 1
            continue
        match = _match(pattern, cells)
        if match is not None:
            hits.append(
                {
                    "run": series.run_id,
                    "series": series.pk,
                    "tag": series.tag,
                    "index": index,
                    "step": place["step"],
                    **match,
                }
            )
    return Found(hits, texts, unreadable, None)


def _places(
    store: ColumnStore, runs: Sequence[int] | None, start: Position | None
) -> Iterator[tuple[Series, int, dict[str, Any]]]:
    chosen = Series.objects.filter(kind=Kind.TEXT, count__gt=0, run__removed="").select_related("file")
    if runs is not None:
        chosen = chosen.filter(run_id__in=runs)
    if start is not None:
        chosen = chosen.filter(pk__gte=start.series)
    for series in chosen.order_by("pk"):
        first = start.index if start is not None and start.series == series.pk else 0
        while True:
            _, places = places_of(store, series, first, None, _PORTION)
            for index, place in enumerate(as_dicts(places), first):
                yield series, index, place
            first += len(places)
            if len(places) < _PORTION:
                break


def _match(pattern: re.Pattern[str], cells: Sequence[str]) -> Match | None:
    found: Match | None = None
    for cell in cells:
        for place in pattern.finditer(cell):
            if found is None:
                begin, end = place.span()
                start = max(0, begin - _BEFORE)
                excerpt = cell[start : end + _BEHIND]
                found = {"excerpt": excerpt, "at": begin - start, "length": end - begin, "count": 0}
            found["count"] += 1
    return found
