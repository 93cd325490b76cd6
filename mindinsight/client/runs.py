"""Runs as a dashboard lists them, and the list of them that a notebook shows as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, overload

from mindinsight.client.dataframes import require_pandas
from mindinsight.client.errors import unknown
from mindinsight.client.numbers import as_float, as_noted
from mindinsight.client.tables import html_table, text_table

# A notebook shows so many rows, and so many columns of metrics and of parameters each.
_SHOWN_ROWS = 60
_SHOWN_COLUMNS = 6


@dataclass(frozen=True, eq=False)
class Run:
    """One training, as it was when it was asked for.

    Attributes:
        name: path of its directory, relative to the dashboard's base directory.
        state: `running`, `finished`, `crashed` or `stalled`.
        params: hyper-parameters that it notes about itself, by name.
        metrics: results by name: the last value of each scalar tag, or what the run notes about itself.
        tags: names of its tags by kind, such as `scalar` and `histogram`.
        id: what the dashboard's addresses call it.
        number: what the dashboard itself calls it.
        segments: its stretches between restarts, as the dashboard tells them.
        environment: what it is made with (`host`, `command_line`, `seed`, `packages`, `source`, `variables`, ...); None
            where it notes nothing, or was not asked for it.
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
    """Runs, newest first: a sequence that also takes a run's name, and that a notebook shows as a table."""

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
        """Returns the runs whose name matches a pattern: `*` is any text (also with `/`), `?` any character."""
        return Runs(run for run in self._runs if fnmatchcase(run.name, pattern))

    def to_pandas(self) -> Any:
        """Returns a `pandas.DataFrame` with a row for each run: name, state, id, `params.NAME` and `metrics.NAME`.

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
        """Returns titles and rows of what is shown."""
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
    """Returns the names that most runs have, at most so many as are shown."""
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
