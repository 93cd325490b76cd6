"""Settings of schemathesis for one dashboard: which values name something in it. Used by `test_description.py`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .filled import Filled

SHARE = 0.6
"""How often a value that names something is taken in the place of an arbitrary one."""


def written(filled: Filled, **general: Any) -> str:
    """Returns the text of `schemathesis.toml`.

    Args:
        filled: the dashboard.
        general: settings of the whole run, such as `seed`.
    """
    lines = [f"{name} = {json.dumps(value)}" for name, value in general.items()]
    operations = list(_operations(filled))
    for number, (_, parameters) in enumerate(operations):
        for name, values in parameters.items():
            lines += [f'[dictionaries."{_called(number, name)}"]', f"values = {json.dumps(list(values))}"]
    for number, (path, parameters) in enumerate(operations):
        lines += ["[[operations]]", f"include-path-regex = {json.dumps(path)}", "[operations.parameters]"]
        for name in parameters:
            binding = f'dictionary = "{_called(number, name)}", probability = {SHARE}'
            lines.append(f"{json.dumps(name)} = {{ {binding} }}")
    return "\n".join(lines) + "\n"


def _called(number: int, name: str) -> str:
    return f"{number}-{name}"


def _operations(filled: Filled) -> Iterator[tuple[str, Mapping[str, Sequence[int | str]]]]:
    """What names something below an address: values by parameter."""
    runs = [*map(str, filled.runs), ",".join(map(str, filled.runs))]
    recorded = {"query.first": [0, 1], "query.end": [1, 4], "query.index": [0, 1, 3], "query.store": [filled.store]}
    for kind, series in filled.series.items():
        several = [*map(str, series), ",".join(map(str, series[:3]))]
        if kind == "scalars":
            yield r"^/api/scalars/(raw)$", {"query.series": series}
            yield r"^/api/scalars/(points|buckets|counts|export)$", {"query.series": several, "query.rule": [">1"]}
            yield r"^/api/scalars/(tags|series)$", {"query.runs": runs}
            grouped = {"body.tag": ["loss"], "body.runs[*]": filled.runs, "body.groups[*].[*]": filled.runs}
            yield r"^/api/scalars/(groups|density|groupings)$", grouped
        else:
            one = {"query.series": series, "query.other_series": series, "query.runs": runs, **recorded}
            yield rf"^/api/{kind}/(?!heads|view)", one
    yield r"^/api/tensors/heads$", {"query.series": [str(number) for number in filled.series["tensors"]]}
    yield r"^/api/distributions/view$", {"query.of": [str(number) for number in filled.series["distributions"]]}
    yield r"^/api/graphs/(?!tags|sources)", {"query.graph": filled.graphs, "query.node": [0, 1, 5], "query.box": [""]}
    yield r"^/api/(graphs/(tags|sources)|runs/(details|edits|values)|lineage/compare)$", {"query.runs": runs}
    yield r"^/api/lineage/(importance|gap)$", {"query.target": ["metrics.accuracy", "last(loss)"]}
    yield r"^/api/runs/\{uid\}$", {"path.uid": filled.spare}
    yield r"^/api/runs/\{uid\}/", {"path.uid": [*filled.uids, *filled.spare]}
    yield r"^/api/runs/marks$", {"body.runs[*]": filled.uids}
    yield r"^/api/runs/trash(/restore|/purge)?$", {"body.runs[*]": filled.spare}
    yield r"^/api/views/", {"path.key": filled.views}
    yield r"^/api/exports/", {"path.uid": filled.exports}
    yield r"^/api/exports$", {"body.runs[*]": filled.runs}
    yield r"^/api/debugger/sessions/", {"path.key": [*filled.sessions], "path.number": ["1", "2", "3"]}
    yield r"^/api/debugger/steps$", {"query.run": filled.uids}
    numbers = list(filled.sessions.values())
    asked = {"query.series": numbers, "query.index": [1, 2, 3], "query.other_series": numbers}
    yield r"^/api/debugger/tensors/", {**asked, "query.other_index": [1, 2, 3], "query.store": [*filled.sessions]}
