"""`examine`: what an ONNX file has and what of it is not supported, without running anything. `mindinsight check` asks.

A file that is damaged or hostile is a `ModelError`; one that only needs more than there is gives a list.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import framework.onnx.operators  # noqa: F401, fills the table
from framework.ir.model_values import ModelError
from framework.onnx.limits import Limits
from framework.onnx.reader.file import opset_of, read_model
from framework.onnx.reader.structure import Order, bodies, check_structure
from framework.onnx.reader.tensors import type_name
from framework.onnx.translating import Translation
from framework.schema.onnx_pb2 import Function, Graph, Model, TensorData, ValueInfo

__all__ = ["Examined", "examine"]

_EXTERNAL = 1


@dataclass(frozen=True)
class Examined:
    """What a model file has.

    Attributes:
        form: the format, such as `ONNX, opset 18, by pytorch 2.15`.
        inputs: the inputs with element types and dimensions.
        outputs: the outputs, likewise.
        open_dimensions: the names of dimensions that may have any length; `?` for one without a name.
        operators: how often each operator occurs, in all graphs.
        weights: the number of weights.
        numbers: how many numbers they have in all.
        weight_bytes: their size.
        file_bytes: the size of the file, without weights in files beside it.
        missing: what is not supported, and why; empty if the model can be run.
    """

    form: str
    inputs: list[str]
    outputs: list[str]
    open_dimensions: list[str]
    operators: Counter[str]
    weights: int
    numbers: int
    weight_bytes: int
    file_bytes: int
    missing: list[str] = field(default_factory=list)


def examine(path: Path, limits: Limits | None = None) -> Examined:
    """Look at a model file in ONNX's format.

    Args:
        path: the file. It is not trusted.
        limits: bounds on what it may ask for.

    Raises:
        FileNotFoundError: there is no such file.
        ModelError: it is no sound ONNX model.
    """
    bounds = limits or Limits()
    missing: list[str] = []
    try:
        model = read_model(path, bounds)
        opsets = opset_of(model)
        order = check_structure(model, bounds)
        missing = Translation(model, order, opsets, path, bounds, None, refuse=False).problems
    except ModelError as error:
        raise ModelError(f"{path} cannot be loaded: {error}") from error
    weights = list(_weights(model.graph))
    sizes = [(_count(tensor), _size(tensor)) for tensor in weights]
    stored = {tensor.name for tensor in model.graph.initializer}
    inputs = [item for item in model.graph.input if item.name not in stored]
    producer = f"{model.producer_name} {model.producer_version}".strip()
    versions = ", ".join(f"{domain or 'opset'} {version}" for domain, version in sorted(opsets.items()))
    return Examined(
        form=f"ONNX, {versions}" + (f", by {producer}" if producer else ""),
        inputs=[_declared(item) for item in inputs],
        outputs=[_declared(item) for item in model.graph.output],
        open_dimensions=_open(inputs),
        operators=_operators(model, order),
        weights=len(weights),
        numbers=sum(count for count, _ in sizes),
        weight_bytes=sum(size for _, size in sizes),
        file_bytes=path.stat().st_size,
        missing=missing,
    )


def _weights(graph: Graph) -> list[TensorData]:
    found = list(graph.initializer)
    for node in graph.node:
        for body in bodies(node):
            found += _weights(body)
    return found


def _count(tensor: TensorData) -> int:
    count = 1
    for length in tensor.dims:
        count *= length
    return count


def _size(tensor: TensorData) -> int:
    if tensor.data_location == _EXTERNAL:
        lengths = [entry.value for entry in tensor.external_data if entry.key == "length"]
        return int(lengths[0]) if lengths and lengths[0].isdigit() else 0
    return len(tensor.raw_data) or tensor.ByteSize()


def _declared(info: ValueInfo) -> str:
    kind = info.type.WhichOneof("value")
    if kind != "tensor_type":
        return f"{info.name} {(kind or 'unknown').removesuffix('_type')}"
    tensor = info.type.tensor_type
    dims = "any shape"
    if tensor.HasField("shape"):
        dims = f"[{', '.join(_lengths(info))}]"
    return f"{info.name} {type_name(tensor.elem_type)} {dims}"


def _lengths(info: ValueInfo) -> list[str]:
    return [
        str(dim.dim_value) if dim.WhichOneof("value") == "dim_value" else dim.dim_param or "?"
        for dim in info.type.tensor_type.shape.dim
    ]


def _open(inputs: list[ValueInfo]) -> list[str]:
    return list(dict.fromkeys(length for item in inputs for length in _lengths(item) if not length.isdigit()))


def _operators(model: Model, order: Order) -> Counter[str]:
    """The operators of all graphs, and of each function of the model once."""
    found: Counter[str] = Counter()
    waiting: list[Graph | Function] = [model.graph, *model.functions]
    while waiting:
        for node in order.nodes(waiting.pop()):
            domain = "" if node.domain in ("", "ai.onnx") else f"{node.domain}."
            found[f"{domain}{node.op_type}"] += 1
            waiting.extend(bodies(node))
    return found
