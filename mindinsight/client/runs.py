"""Runs as a dashboard lists them, and a list of runs that a notebook shows as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, overload

from mindinsight.client.dataframes import require_pandas
from mindinsight.client.errors import unknown
from mindinsight.client.numbers import as_float, as_noted
from mindinsight.client.tables import html_table, text_table

# Number of rows that a notebook shows, and of columns each for metrics and parameters.
_SHOWN_ROWS = 60
_SHOWN_COLUMNS = 6


@dataclass(frozen=True, eq=False)
class Run:
    """One run, in its state at the time of the request.

    Attributes:
        name: path of its directory, relative to the dashboard's base directory.
        state: `running`, `finished`, `crashed` or `stalled`.
        params: recorded hyper-parameters, by name.
        metrics: results by name: the last value of each scalar tag, or a metric that the run recorded.
        tags: names of its tags by kind, such as `scalar` and `histogram`.
        id: the id in the dashboard's addresses.
        number: the dashboard's internal number.
        segments: the parts between restarts, in the dashboard's form.
        environment: `host`, `command_line`, `seed`, `packages`, `source`, `variables` and so on. None if the run
        recorded none or the environment was not requested.
    """

    name: str
    state: str
    params: Mapping[str, Any]
    metrics: Mapping[str, float]
    tags: Mapping[str, Sequence[str]] = field(repr=False)
    id: str = field(repr=False)
    number: int = field(repr=False)
    segments: Sequence[Mapping[str, Any]] = field(repr=False)
    environment: Mapping[str, Any] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Run:
        """Reads a row of the dashboard's answer."""
        return cls(
            name=row["name"],
            state=row["state"],
            params={name: as_noted(value) for name, value in row["params"].items()},
            metrics={name: as_float(value) for name, value in row["metrics"].items()},
            tags={kind: tuple(names) for kind, names in row["tags"].items()},
            id=row["id"],
            number=row["number"],
            segments=tuple(row["segments"]),
            environment=row.get("environment"),
        )


class Runs(Sequence[Run]):
    """Runs, newest first: a sequence that also accepts a run's name as index, and that a notebook shows as a table."""

    def __init__(self, runs: Iterable[Run]) -> None:
        self._runs = tuple(runs)

    def __len__(self) -> int:
        return len(self._runs)

    @overload
    def __getitem__(self, which: int | str) -> Run: ...
    @overload
    def __getitem__(self, which: slice) -> Runs: ...
    def __getitem__(self, which: int | str | slice) -> Run | Runs:
        if isinstance(which, slice):
            return Runs(self._runs[which])
        if isinstance(which, int):
            return self._runs[which]
        for run in self._runs:
            if run.name == which:
                return run
        raise unknown("run", which, (run.name for run in self._runs))

    def matching(self, pattern: str) -> Runs:
        """Returns the runs whose name matches a pattern: `*` matches any text (including `/`), `?` any character."""
        return Runs(run for run in self._runs if fnmatchcase(run.name, pattern))

    def to_pandas(self) -> Any:
        """Returns a `pandas.DataFrame` with one row per run: name, state, id, `params.NAME` and `metrics.NAME`.

        Raises:
            ClientError: pandas is not installed.
        """
        return require_pandas().DataFrame([_flat(run) for run in self._runs])

    def __repr__(self) -> str:
        return text_table(*self._table(), left_out=len(self) - _SHOWN_ROWS)

    def _repr_html_(self) -> str:
        """Called by notebooks."""
        return html_table(*self._table(), left_out=len(self) - _SHOWN_ROWS)

    def _table(self) -> tuple[list[str], list[list[Any]]]:
        """Returns the titles and rows of the table."""
        shown = self._runs[:_SHOWN_ROWS]
        metrics = _most_frequent(run.metrics for run in shown)
        params = _most_frequent(run.params for run in shown)
        rows = [
            [
                run.name,
                run.state,
                *(run.metrics.get(name, "") for name in metrics),
                *(run.params.get(name, "") for name in params),
            ]
            for run in shown
        ]
        return ["name", "state", *metrics, *params], rows


def _most_frequent(noted: Iterable[Mapping[str, Any]]) -> list[str]:
    """Returns the names that most runs have, up to the number of columns shown."""
    counts: dict[str, int] = {}
    for names in noted:
        for name in names:
            counts[name] = counts.get(name, 0) + 1
    return sorted(counts, key=lambda name: (-counts[name], name))[:_SHOWN_COLUMNS]


def _flat(run: Run) -> dict[str, Any]:
    return {
        "name": run.name,
        "state": run.state,
        "id": run.id,
        **{f"params.{name}": value for name, value in run.params.items()},
        **{f"metrics.{name}": value for name, value in run.metrics.items()},
    }
