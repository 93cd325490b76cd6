"""`Client`: access to a dashboard for notebooks and scripts."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, overload

from mindinsight.client.connection import Connection
from mindinsight.client.curves import Curve, curves_frame, join
from mindinsight.client.dataframes import require_pandas
from mindinsight.client.errors import unknown
from mindinsight.client.frames import Points, decode_points
from mindinsight.client.histograms import Histogram, decode_histograms, thin
from mindinsight.client.lineage import LineageTable, decode_table
from mindinsight.client.runs import Run, Runs
from mindinsight.client.segments import pieces

Chosen = Run | str | Iterable[Run | str] | None
"""Selects runs: one run, a name pattern, several of these, or None for all."""

# An address has a maximum length. With more names than this, the client asks for all runs.
_NAMED_RUNS = 500
_NAMES_AT_ONCE = 10_000


class Client:
    """Reads from a running dashboard.

    Args:
        address: the dashboard's address. The link with `?token=` that `mindinsight start` prints works too.
        token: the dashboard's token. Default: the token in the address or in the environment variable
        `MINDINSIGHT_TOKEN`. A dashboard that listens only on this machine needs none. timeout: seconds to wait for data
        before giving up.

    Raises:
        ClientError: `address` is not an address.
    """

    def __init__(
        self, address: str = "http://127.0.0.1:8080", token: str | None = None, *, timeout: float = 60.0
    ) -> None:
        self._connection = Connection(address, token, timeout)

    def __repr__(self) -> str:
        return f"Client({self._connection.address!r})"

    def runs(self, pattern: str = "*", *, query: str | None = None, environment: bool = False) -> Runs:
        """Returns the runs whose name matches a pattern, newest first, with one request.

        Args:
            pattern: `*` matches any text (including `/`), `?` any character, `[ab]` one of these characters.
            query: a condition such as `lr < 0.01 and tag:seed`, in the query language of the runs page.
            environment: whether to fetch each run's environment too, some kilobytes per run.

        Raises:
            ClientError: the dashboard does not answer, or does not understand the query (its code is `bad_query`).
        """
        with self._answer_of("/api/runs/details", query=query, environment="true" if environment else None) as rows:
            return Runs(Run.of(row) for row in rows["runs"]).matching(pattern)

    def lineage(self, query: str | None = None, *, scalars: Iterable[str] = ()) -> LineageTable:
        """Returns the table of all runs and everything that they record, newest first. Archived runs are included.

        Args:
            query: a condition in the query language of the runs page.
            scalars: figures of scalar tags to add as columns, such as `last(loss)`.

        Raises:
            ClientError: the dashboard does not answer, or does not understand the query (its code is `bad_query`).
        """
        path = "/api/lineage/table"
        data = self._connection.get(path, query=query, shelf="all", scalars=",".join(scalars) or None)
        try:
            columns = decode_table(data)
            names = self._names_of(columns["number"].tolist())
        except (KeyError, TypeError, ValueError) as error:
            raise self._connection.misunderstood(path) from error
        return LineageTable(names, columns)

    def filter_summary_lineage(self, search_condition: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Returns the runs that match a condition, in the form of MindInsight's function of this name.

        Args:
            search_condition: `{"learning_rate": {"lt": 0.01}, "metric/Accuracy": {"ge": 0.9}, "sorted_name": "loss",
                "sorted_type": "descending", "limit": 10, "offset": 0}`. Operators are eq, lt, gt, le, ge, in, not_in;
                `offset` counts pages.

        Returns:
            A dict with `object`, a list with `summary_dir` and `model_lineage` of each run; `customized`, the existing
            metrics and user-defined names; and `count`, the number of runs that match the condition.

        Raises:
            ClientError: the condition is invalid (its code is `bad_parameter`).
        """
        with self._answer_of("/api/lineage/filter", condition=json.dumps(dict(search_condition or {}))) as body:
            return dict(body)

    def _names_of(self, numbers: Sequence[int]) -> list[str]:
        names: dict[int, str] = {}
        for offset in itertools.count(0, _NAMES_AT_ONCE):
            rows = self._connection.get_json("/api/runs", limit=_NAMES_AT_ONCE, offset=offset)["results"]
            names.update((row["number"], row["name"]) for row in rows)
            if len(rows) < _NAMES_AT_ONCE:
                break
        return [names.get(number, str(number)) for number in numbers]

    @overload
    def scalars(
        self,
        tag: str,
        runs: Chosen = None,
        pandas: Literal[False] = False,
        *,
        segment: int | None = None,
        superseded: bool = False,
    ) -> dict[str, Curve]: ...
    @overload
    def scalars(
        self,
        tag: str,
        runs: Chosen = None,
        *,
        pandas: Literal[True],
        segment: int | None = None,
        superseded: bool = False,
    ) -> Any: ...
    def scalars(
        self,
        tag: str,
        runs: Chosen = None,
        pandas: bool = False,
        *,
        segment: int | None = None,
        superseded: bool = False,
    ) -> Any:
        """Returns all points of a scalar tag, by the name of the run.

        After a restart the newest segment counts from its first step on, and older segments count before that step.

        Args:
            tag: the tag's name.
            runs: a run, a pattern for names, or several of these; all runs by default.
            pandas: return one `pandas.DataFrame` instead, with one row per point and the columns run, tag, segment,
            step, wall_time and value. segment: return only this segment, in full.
            superseded: also return points that a newer segment replaces. Steps may then decrease.

        Raises:
            ClientError: none of the runs has this tag, or the dashboard does not answer.
        """
        if pandas:
            require_pandas()
        chosen = self._choose(runs)
        curves = {
            run.name: join(run, tag, pieces(rows, run.segments, segment, superseded), self._points)
            for run, rows in self._series("scalars", "scalar tag", tag, chosen)
        }
        return curves_frame(curves.values()) if pandas else curves

    def histograms(
        self, tag: str, run: Run | str, at_most: int = 50, *, segment: int | None = None, superseded: bool = False
    ) -> list[Histogram]:
        """Returns histograms of a run in order of step, chosen evenly if there are more than `at_most`.

        A histogram that the dashboard cannot read any more (for instance because its file was deleted) is left out with
        a warning.

        Args:
            tag: the tag's name.
            run: the run or its name.
            at_most: maximum count, from 2 to 500.
            segment, superseded: as in `scalars`.

        Raises:
            ClientError: the run has no such histograms, or the dashboard does not answer.
        """
        one = run if isinstance(run, Run) else self.runs()[run]
        found: list[Histogram] = []
        for _, rows in self._series("distributions", "histogram tag", tag, [one]):
            for piece in pieces(rows, one.segments, segment, superseded):
                path = "/api/distributions/histograms"
                with self._answer_of(path, series=piece.series, at_most=at_most) as body:
                    all_of_piece = decode_histograms(body["histograms"], piece.segment)
                found += [histogram for histogram in all_of_piece if histogram.step < piece.before]
        return thin(found, at_most)

    def _choose(self, runs: Chosen) -> Sequence[Run]:
        """Returns the selected runs. Asks the dashboard if only names are given."""
        if isinstance(runs, Run):
            return [runs]
        wanted = [runs or "*"] if runs is None or isinstance(runs, str) else list(runs)
        known = self.runs() if any(isinstance(one, str) for one in wanted) else Runs(())
        found: dict[str, Run] = {}
        for one in wanted:
            found.update((run.name, run) for run in ([one] if isinstance(one, Run) else _named(known, one)))
        return list(found.values())

    def _series(self, app: str, what: str, tag: str, runs: Sequence[Run]) -> list[tuple[Run, list[Mapping[str, Any]]]]:
        """Returns the runs that have the tag, each with its series."""
        numbers = ",".join(str(run.number) for run in runs) if 0 < len(runs) <= _NAMED_RUNS else None
        with self._answer_of(f"/api/{app}/tags", runs=numbers) as body:
            groups = {group["name"]: group["series"] for group in body["tags"]}
            of_run: dict[int, list[Mapping[str, Any]]] = {}
            for row in groups.get(tag, ()):
                of_run.setdefault(row["run"], []).append(row)
        found = [(run, of_run[run.number]) for run in runs if run.number in of_run]
        if not found:
            raise unknown(what, tag, groups)
        return found

    def _points(self, series: int) -> Points:
        path = "/api/scalars/raw"
        data = self._connection.get(path, series=series, format="binary")
        try:
            return decode_points(data)
        except ValueError as error:
            raise self._connection.misunderstood(path) from error

    @contextmanager
    def _answer_of(self, path: str, **query: object) -> Iterator[Any]:
        """Yields the JSON at `path`. If something is missing in it, the caller gets a `ClientError`."""
        body = self._connection.get_json(path, **query)
        try:
            yield body
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise self._connection.misunderstood(path) from error


def _named(known: Runs, pattern: str) -> Sequence[Run]:
    """Returns the runs that match a pattern, or the run with exactly this name (which may contain brackets)."""
    return known.matching(pattern) or (known if pattern == "*" else [known[pattern]])
