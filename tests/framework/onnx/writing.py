"""Writes small ONNX models by the messages of the schema, for tests that need no other file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from framework.schema.onnx_pb2 import Attribute, Graph, Model, Node, TensorData

TYPES = {np.dtype("float32"): 1, np.dtype("int64"): 7, np.dtype("bool"): 9, np.dtype("float64"): 11}


def tensor(name: str, array: np.ndarray[Any, Any]) -> TensorData:
    """A tensor of a file."""
    return TensorData(name=name, dims=array.shape, data_type=TYPES[array.dtype], raw_data=array.tobytes())


def node(kind: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any) -> Node:
    """A node with attributes."""
    made = Node(op_type=kind, input=inputs, output=outputs, name=f"the_{outputs[0]}")
    for name, value in attributes.items():
        attribute = made.attribute.add(name=name)
        match value:
            case int():
                attribute.type, attribute.i = Attribute.INT, value
            case float():
                attribute.type, attribute.f = Attribute.FLOAT, value
            case str():
                attribute.type, attribute.s = Attribute.STRING, value.encode()
            case Graph():
                attribute.type = Attribute.GRAPH
                attribute.g.CopyFrom(value)
            case np.ndarray():
                attribute.type = Attribute.TENSOR
                attribute.t.CopyFrom(tensor("", value))
            case _:
                attribute.type = Attribute.INTS
                attribute.ints.extend(value)
    return made


def graph(
    nodes: Sequence[Node],
    inputs: Mapping[str, tuple[int, Sequence[int | str]]],
    outputs: Sequence[str],
    weights: Mapping[str, np.ndarray[Any, Any]] | None = None,
) -> Graph:
    """A graph. An input has the number of its element type and its dimensions."""
    made = Graph(name="tested", node=nodes)
    for name, (kind, dims) in inputs.items():
        info = made.input.add(name=name)
        info.type.tensor_type.elem_type = kind
        info.type.tensor_type.shape.SetInParent()
        for dim in dims:
            place = info.type.tensor_type.shape.dim.add()
            if isinstance(dim, int):
                place.dim_value = dim
            else:
                place.dim_param = dim
    for name in outputs:
        made.output.add(name=name)
    for name, array in (weights or {}).items():
        made.initializer.append(tensor(name, array))
    return made


def written(folder: Path, content: Graph, opset: int = 18) -> Path:
    """The file of a model."""
    model = Model(ir_version=8, graph=content)
    model.opset_import.add(version=opset)
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    return path
