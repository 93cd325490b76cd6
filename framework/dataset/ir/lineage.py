"""A pipeline as the dataset graph of lineage files, in the form of MindSpore's `SummaryCollector`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from framework.dataset.ir.nodes import Node
from framework.dataset.ir.to_json import pipeline_json
from summaries.schema.lineage_pb2 import DatasetGraph, Operation, OperationParameter

__all__ = ["dataset_graph"]

_INT32 = range(-(1 << 31), 1 << 31)


def dataset_graph(node: Node) -> DatasetGraph:
    """The message of a pipeline: children are nested, parameters grouped by type, transforms and sampler separate."""
    return _packed(pipeline_json(node), DatasetGraph())


def _packed(pipeline: Mapping[str, Any], message: DatasetGraph) -> DatasetGraph:
    for child in pipeline["children"]:
        _packed(child, message.children.add())
    for key, value in pipeline.items():
        if key == "operations":
            for operation in value:
                _pack_operation(operation, message.operations.add())
        elif key == "sampler":
            _pack_operation(value, message.sampler)
        elif key != "children":
            _pack_parameter(key, value, message.parameter)
    return message


def _pack_operation(operation: Mapping[str, Any], message: Operation) -> None:
    """Pack a transform or a sampler; integers of a list go to `size`, other numbers to `weights`."""
    for key, value in operation.items():
        if key == "child_sampler":
            _pack_parameter(key, json.dumps(value), message.operationParam)
        elif isinstance(value, list) and all(isinstance(item, int) for item in value):
            message.size.extend(value)
        elif isinstance(value, list):
            message.weights.extend(value)
        else:
            _pack_parameter(key, value, message.operationParam)


def _pack_parameter(key: str, value: Any, message: OperationParameter) -> None:
    if isinstance(value, str):
        message.mapStr[key] = value
    elif isinstance(value, bool):
        message.mapBool[key] = value
    elif isinstance(value, int) and value in _INT32:
        message.mapInt[key] = value
    elif isinstance(value, float):
        message.mapDouble[key] = value
    elif isinstance(value, list | tuple):
        if value:
            message.mapStrList[key].strValue.extend("" if item is None else json.dumps(item) for item in value)
    elif isinstance(value, Mapping):
        message.mapStr[key] = json.dumps(value)
    else:
        message.mapStr[key] = str(value)
