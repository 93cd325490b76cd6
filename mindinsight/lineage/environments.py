"""The inputs of runs besides their parameters: data pipeline and environment. Used by comparisons of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mindinsight.lineage.pipelines import pipeline_facts
from mindinsight.runs.details import RunDetails
from mindinsight.runs.models import RunEnvironment


def pipelines_of(runs: Sequence[RunDetails]) -> list[Mapping[str, Any]]:
    """Returns the arguments of each run's input pipeline by `OPERATION.ARGUMENT`, in the order of the runs."""
    facts = pipeline_facts([run["number"] for run in runs])
    return [facts.get(run["number"], {}) for run in runs]


def environments_of(runs: Sequence[RunDetails]) -> list[Mapping[str, Any]]:
    """Returns the recorded environment of each run, in the order of the runs.

    Names in groups are joined by a dot: `packages.numpy`, `source.revision`, `variables.RANK`.
    """
    numbers = [run["number"] for run in runs]
    contents = dict(RunEnvironment.objects.filter(pk__in=numbers).values_list("pk", "content"))
    return [_flat(contents.get(number, {})) for number in numbers]


def _flat(content: Mapping[str, Any]) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    for name, value in content.items():
        if isinstance(value, dict):
            facts.update({f"{name}.{inner}": item for inner, item in value.items() if item is not None})
        elif name == "devices":
            facts[name] = [" ".join(str(part) for part in (one["kind"], one["name"])) for one in value]
        elif name == "command_line":
            facts[name] = " ".join(value)
        else:
            facts[name] = value
    return facts
