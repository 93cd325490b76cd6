"""Converts a `DatasetGraph` to a `Graph`: pipeline operations become operators, sources first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import orjson
from google.protobuf.message import DecodeError

from mindinsight.graphs.model import DATA, Graph, GraphBuilder, GraphError, NodeKind
from mindinsight.graphs.model.values import MOST_ELEMENTS, to_json
from summaries.schema.lineage_pb2 import DatasetGraph, Operation, OperationParameter

MOST_OPERATIONS = 100_000
"""Maximum number of operations in a pipeline."""


@dataclass(frozen=True, slots=True)
class PipelineOperation:
    """One operation of a pipeline.

    Attributes:
        key: unique name in the pipeline: `Map`, and `Map_2` for the second one.
        op: name of the operation.
        arguments: arguments by name, as JSON values. A `Map` also has `operations`, and a source has `sampler`.
        children: positions of the operations that it reads.
    """

    key: str
    op: str
    arguments: dict[str, Any]
    children: list[int]


def pipeline_operations(content: bytes | DatasetGraph) -> list[PipelineOperation]:
    """Returns the operations of a pipeline, each after those that it reads. The last one gives the batches.

    Args:
        content: a `DatasetGraph`, or its bytes.

    Raises:
        GraphError: the bytes are damaged or have no operations.
    """
    if isinstance(content, bytes):
        try:
            content = DatasetGraph.FromString(content)
        except (DecodeError, RecursionError) as error:
            raise GraphError("This is not an input pipeline: its bytes are cut off or damaged.") from error
    if not content.ListFields():
        raise GraphError("This input pipeline has no operations, so there is nothing to show.")
    used: Counter[str] = Counter()
    found: list[PipelineOperation] = []
    for operation, children in _from_sources(content):
        arguments = _attributes(operation)
        op = str(arguments.pop("op_type", "")) or "Operation"
        used[op] += 1
        found.append(PipelineOperation(op if used[op] == 1 else f"{op}_{used[op]}", op, arguments, children))
    return found


def pipeline_graph(content: bytes | DatasetGraph) -> Graph:
    """Returns a pipeline as a graph. Its edges have the direction of the samples.

    An operator's attributes are the operation's arguments. A `Map` also has `operations`, and a source has `sampler`.

    Args:
        content: a `DatasetGraph`, or its bytes.

    Raises:
        GraphError: the bytes are damaged or have no operations.
    """
    operations = pipeline_operations(content)
    builder = GraphBuilder("Input pipeline")
    for one in operations:
        builder.add(
            NodeKind.OPERATOR,
            one.key,
            one.op,
            [(operations[child].key, 0, DATA) for child in one.children],
            full_name=one.key,
            attributes=to_json(one.arguments) if one.arguments else "",
        )
    builder.add_output(operations[-1].key)
    return builder.finish()


def _from_sources(root: DatasetGraph) -> list[tuple[DatasetGraph, list[int]]]:
    """All operations with the numbers of their inputs, sources first."""
    found: list[tuple[DatasetGraph, list[int]]] = []
    waiting: list[tuple[DatasetGraph, list[int]]] = [(root, [])]
    while waiting:
        operation, children = waiting[-1]
        if len(children) < len(operation.children):
            waiting.append((operation.children[len(children)], []))
            continue
        waiting.pop()
        found.append((operation, children))
        if len(found) > MOST_OPERATIONS:
            raise GraphError(f"This input pipeline has more than {MOST_OPERATIONS} operations, which is too many.")
        if waiting:
            waiting[-1][1].append(len(found) - 1)
    return found


def _attributes(operation: DatasetGraph) -> dict[str, Any]:
    arguments = _arguments(operation.parameter)
    if operation.operations:
        arguments["operations"] = [_operation(part) for part in operation.operations[:MOST_ELEMENTS]]
    if operation.HasField("sampler"):
        arguments["sampler"] = _operation(operation.sampler)
    return arguments


def _operation(part: Operation) -> dict[str, Any]:
    arguments = _arguments(part.operationParam)
    if part.size:
        arguments["size"] = list(part.size[:MOST_ELEMENTS])
    if part.weights:
        arguments["weights"] = list(part.weights[:MOST_ELEMENTS])
    return arguments


def _arguments(parameter: OperationParameter) -> dict[str, Any]:
    arguments: dict[str, Any] = {name: _plain(text) for name, text in parameter.mapStr.items()}
    for name, texts in parameter.mapStrList.items():
        arguments[name] = [_plain(text) for text in texts.strValue[:MOST_ELEMENTS]]
    arguments.update(parameter.mapBool.items())
    arguments.update(parameter.mapInt.items())
    arguments.update(parameter.mapDouble.items())
    return arguments


def _plain(text: str) -> Any:
    """Arguments that are lists or objects, and texts in lists, are recorded as JSON. All other arguments are plain
    text.
    """
    if not text.startswith(('"', "[", "{")):
        return text
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
