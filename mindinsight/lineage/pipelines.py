"""Compares the input pipelines of runs: the distinct pipelines, and the arguments in which they differ.

Called by `api/pipelines.py` and by comparisons of runs.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import Any, TypedDict

from mindinsight.api.json_numbers import json_number
from mindinsight.graphs.model import GraphError
from mindinsight.graphs.pipeline import PipelineOperation, pipeline_operations
from mindinsight.graphs.sources.finding import dataset_address
from mindinsight.graphs.sources.pipelines import newest_pipelines
from mindinsight.runs.models import Run

MOST_PIPELINES = 500
"""Maximum number of distinct pipelines. Those with the most runs are shown."""
MOST_OPERATIONS = 1_000
"""Maximum number of operations of a pipeline. Longer ones are only shown on the graph page."""
_REMEMBERED = 2_000


class Operation(TypedDict):
    """One operation. `depth` counts the operations after it."""

    key: str
    op: str
    depth: int
    arguments: dict[str, Any]
    children: list[int]


class PipelineRow(TypedDict):
    """One pipeline and its runs."""

    id: str
    graph: str
    runs: list[int]
    line: bool
    operations: list[Operation]


class Column(TypedDict):
    """One argument of an operation. The operation itself has no argument, if only some pipelines have it."""

    key: str
    op: str
    argument: str | None
    differs: bool


class Pipelines(TypedDict):
    """All pipelines of some runs."""

    pipelines: list[PipelineRow]
    columns: list[Column]
    without: list[int]
    left_out: int


def compare_pipelines(runs: Collection[int]) -> Pipelines:
    """Returns the pipelines of runs. Those with the most runs come first.

    Args:
        runs: numbers of runs, in display order.
    """
    by_content: dict[bytes, list[int]] = defaultdict(list)
    found = newest_pipelines(runs)
    without: list[int] = []
    for run in runs:
        content = found[run].content if run in found else b""
        if content and _told(content):
            by_content[content].append(run)
        else:
            without.append(run)
    ordered = sorted(by_content.items(), key=lambda item: -len(item[1]))
    first_runs = [its_runs[0] for _, its_runs in ordered[:MOST_PIPELINES]]
    names = dict(Run.objects.filter(pk__in=first_runs).values_list("pk", "name"))
    shown: list[PipelineRow] = []
    for content, its_runs in ordered[:MOST_PIPELINES]:
        operations = _told(content)
        line = all(len(operation["children"]) <= 1 for operation in operations)
        shown.append(
            {
                "id": hashlib.sha256(content).hexdigest()[:16],
                "graph": dataset_address(names[its_runs[0]]),
                "runs": its_runs,
                "line": line,
                "operations": list(operations),
            }
        )
    left_out = len(ordered) - len(shown)
    return {"pipelines": shown, "columns": _columns(shown), "without": without, "left_out": left_out}


def pipeline_facts(runs: Collection[int]) -> dict[int, dict[str, Any]]:
    """Returns the arguments of runs' pipelines by run and `OPERATION.ARGUMENT`.

    An operation without arguments is true.
    """
    facts: dict[int, dict[str, Any]] = {}
    for run, pipeline in newest_pipelines(runs).items():
        facts[run] = {}
        for one in _told(pipeline.content):
            arguments = one["arguments"]
            facts[run].update(
                {f"{one['key']}.{name}": value for name, value in arguments.items()} or {one["key"]: True}
            )
    return facts


@lru_cache(maxsize=_REMEMBERED)
def _told(content: bytes) -> tuple[Operation, ...]:
    """The operations of a pipeline, or none if it cannot be read."""
    try:
        operations = pipeline_operations(content)
    except GraphError:
        return ()
    if len(operations) > MOST_OPERATIONS:
        return ()
    depths = _depths(operations)
    return tuple(
        {
            "key": one.key,
            "op": one.op,
            "depth": depth,
            "arguments": dict(_flat(one.arguments)),
            "children": one.children,
        }
        for one, depth in zip(operations, depths, strict=True)
    )


def _depths(operations: list[PipelineOperation]) -> list[int]:
    depths = [0] * len(operations)
    for place in range(len(operations) - 1, -1, -1):
        for child in operations[place].children:
            depths[child] = depths[place] + 1
    return depths


def _flat(arguments: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Arguments by name. The arguments of a sampler are separate, because runs may differ in one of them."""
    for name in sorted(arguments):
        value = arguments[name]
        if name == "sampler" and isinstance(value, dict):
            for inner in sorted(value):
                yield f"sampler.{inner}", _json(value[inner])
        else:
            yield name, _json(value)


def _json(value: Any) -> Any:
    if isinstance(value, float):
        return json_number(value)
    if isinstance(value, list):
        return [_json(item) for item in value]
    return {name: _json(item) for name, item in value.items()} if isinstance(value, dict) else value


def _columns(pipelines: list[PipelineRow]) -> list[Column]:
    """All arguments of all operations, in the order of the pipelines."""
    operations: list[tuple[str, str]] = []
    arguments: dict[str, dict[str, None]] = {}
    for pipeline in pipelines:
        place = 0
        for one in pipeline["operations"]:
            named = (one["key"], one["op"])
            if named in operations:
                place = operations.index(named) + 1
            else:
                operations.insert(place, named)
                place += 1
            arguments.setdefault(one["key"], {}).update(dict.fromkeys(one["arguments"]))
    by_key = [{one["key"]: one["arguments"] for one in pipeline["operations"]} for pipeline in pipelines]
    columns: list[Column] = []
    for key, op in operations:
        there = [key in known for known in by_key]
        if not all(there) or not arguments[key]:
            columns.append({"key": key, "op": op, "argument": None, "differs": not all(there)})
        for name in sorted(arguments[key]):
            # Only pipelines with the operation count: one row says that others lack it.
            values = (_value(known[key], name) for known in by_key if key in known)
            columns.append({"key": key, "op": op, "argument": name, "differs": _differ(values)})
    return columns


def _value(arguments: dict[str, Any], name: str) -> tuple[bool, Any]:
    return name in arguments, arguments.get(name)


def _differ(values: Iterable[tuple[bool, Any]]) -> bool:
    kept = list(values)
    # Compared as text, because 1 and True are equal in Python.
    return any(repr(value) != repr(kept[0]) for value in kept)
