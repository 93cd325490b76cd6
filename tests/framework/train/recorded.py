"""What a run's directory holds, read with the reader that the dashboard uses."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from summaries import EventFileReader, FileKind, parse_name, read_record
from summaries.kinds import KINDS
from summaries.reading.parameters import read_lineage, read_pipeline
from summaries.schema.anf_ir_pb2 import GraphProto
from summaries.schema.summary_pb2 import Environment, Event


@dataclass
class Run:
    """A run's values by kind and tag, its graphs, and what its lineage files note."""

    values: dict[tuple[str, str], list[tuple[int, Any]]] = field(default_factory=lambda: defaultdict(list))
    graphs: list[GraphProto] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)
    pipeline: bytes | None = None
    environments: list[Environment] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)

    def tags(self) -> set[tuple[str, str]]:
        return set(self.values)

    def steps(self, kind: str, tag: str) -> list[int]:
        return [step for step, _ in self.values[kind, tag]]

    def scalars(self, tag: str) -> list[float]:
        return [value for _, value in self.values["scalar", tag]]


def read_run(directory: Path) -> Run:
    """Read every file of a run; none of them may be damaged."""
    run = Run()
    for path in sorted(directory.iterdir(), key=lambda path: path.name):
        name = parse_name(path.name)
        if name is None:
            continue
        run.files.append(path)
        if name.kind is FileKind.LINEAGE:
            found = read_lineage(path)
            assert not found.damages
            run.notes.update(found.params | found.metrics)
            run.pipeline = read_pipeline(path) or run.pipeline
        else:
            _read_values(run, path)
    return run


def _read_values(run: Run, path: Path) -> None:
    batch = EventFileReader(path).read(1 << 30)
    assert batch.complete and not batch.damages  # noqa: PT018
    for tag, (step, _, value) in zip(batch.tag.tolist(), batch.points.tolist(), strict=True):
        run.values["scalar", batch.tags[tag]].append((step, value))
    for tag, kind, place in zip(batch.place_tag, batch.place_kind, batch.places, strict=True):
        event = Event.FromString(read_record(path, int(place["offset"]), int(place["length"])))
        if KINDS[kind] == "graph":
            run.graphs.append(event.graph_def)
            continue
        if KINDS[kind] == "environment":
            run.environments.append(event.environment)
            continue
        if KINDS[kind] == "data_pipeline":
            continue
        name = batch.tags[tag]
        message = next(item for item in event.summary.value if item.tag == name)
        run.values[str(KINDS[kind]), name].append((event.step, message))
