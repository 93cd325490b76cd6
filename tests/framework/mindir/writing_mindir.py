"""Writes small MindIR files in the form of MindSpore 2.10, for tests that need no file of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from summaries.schema.mind_ir_pb2 import Attribute, Graph, Model, Node, Primitive, TensorData, ValueInfo

TYPES = {np.dtype("float32"): 1, np.dtype("int32"): 6, np.dtype("int64"): 7, np.dtype("bool"): 9}
Constant: TypeAlias = "bool | int | float | str | tuple[int, ...] | NDArray[np.generic] | None"


def tensor(name: str, array: NDArray[np.generic]) -> TensorData:
    """A tensor with its elements."""
    return TensorData(name=name, dims=array.shape, data_type=TYPES[array.dtype], raw_data=array.tobytes())


def attribute(name: str, value: Constant) -> Attribute:
    """A value; None is NONE, and the text "U" a monad."""
    kinds = Attribute
    match value:
        case None:
            return Attribute(name=name, type=kinds.NONE)
        case "U":
            return Attribute(name=name, type=kinds.UMONAD)
        case bool():
            return Attribute(name=name, type=kinds.BOOL, i=int(value))
        case int():
            return Attribute(name=name, type=kinds.INT64, i=value)
        case float():
            return Attribute(name=name, type=kinds.FLOAT, f=value)
        case str():
            return Attribute(name=name, type=kinds.STRING, s=value.encode())
        case tuple():
            items = [Attribute(type=kinds.INT64, ints=[item]) for item in value]
            return Attribute(name=name, type=kinds.TUPLE, values=items)
    return Attribute(name=name, type=kinds.TENSORS, tensors=[tensor("value0", value)])


class File:
    """A model file that is written step by step.

    Args:
        name: the name of the main graph.
    """

    def __init__(self, name: str = "main") -> None:
        self.model = Model(ir_version="1.1", producer_name="MindSpore", little_endian=True, mind_ir_version=3)
        self.model.graph.name = name

    def graph(self, name: str) -> Graph:
        """A further graph."""
        return self.model.functions.add(name=name)

    def weight(self, name: str, array: NDArray[np.generic]) -> str:
        """A weight of the main graph; returns its full name."""
        made = tensor(f"{self.model.graph.name}:{name}", array)
        made.ref_key = name
        self.model.graph.parameter.append(made)
        return made.name

    def input(self, graph: Graph, name: str, dims: Sequence[int], dtype: str = "float32", ref: str = "") -> str:
        """An input; returns its full name."""
        full = f"{graph.name}:{name}"
        kind = TensorData(dims=dims, data_type=TYPES[np.dtype(dtype)], ref_key=ref)
        graph.input.append(ValueInfo(name=full, tensor=[kind]))
        return full

    def constant(self, graph: Graph, name: str, value: Constant) -> str:
        """A constant; returns its name."""
        graph.node.append(Node(op_type="Constant", name=name, output=[name], attribute=[attribute("value", value)]))
        return name

    def apply(
        self, graph: Graph, operator: str, inputs: Sequence[str], output: str, *, kind: int = 2,
        attributes: Mapping[str, Constant] | None = None,
    ) -> str:  # fmt: skip
        """An application of a primitive; returns the full name of its output."""
        reference = f"{operator}:{len(self.model.primitives)}"
        made = Primitive(name=reference, op_type=operator, prim_type=kind)  # type: ignore[arg-type]
        made.attribute.extend(attribute(name, value) for name, value in (attributes or {}).items())
        self.model.primitives.append(made)
        return self.call(graph, reference, inputs, output, f"Default/{operator}-op0")

    def call(self, graph: Graph, called: str, inputs: Sequence[str], output: str, domain: str = "") -> str:
        """A call of a graph or a value; returns the full name of its output."""
        full = f"{graph.name}:{output}"
        graph.node.append(Node(op_type=f"REF::{called}", name=full, domain=domain, input=inputs, output=[full]))
        return full

    def returns(self, graph: Graph, name: str) -> None:
        """Set the output of a graph."""
        graph.output.append(ValueInfo(name=name))

    def write(self, folder: Path) -> Path:
        """Write the file."""
        path = folder / "net.mindir"
        path.write_bytes(self.model.SerializeToString())
        return path


def a_loop() -> File:
    """While x.sum() < limit: if x[0] > 1: x = x + x else x = x * w; then x - 1. The graphs are those of MindSpore."""
    file = File()
    main, header, body, after = file.model.graph, file.graph("header"), file.graph("body"), file.graph("after")
    doubled, scaled = file.graph("doubled"), file.graph("scaled")
    w = file.weight("w", np.float32([1.5, 2.0, 2.5]))
    x, u = file.input(main, "x", [3]), file.constant(main, "u", "U")
    none, no = file.constant(main, "none", None), file.constant(main, "no", False)
    file.returns(main, file.call(main, "header", [w, x, u], "result"))

    def weight_and_x(graph: object) -> list[str]:
        return [file.input(graph, "w", [3], ref="w"), file.input(graph, "x", [3])]  # type: ignore[arg-type]

    w1, x1 = weight_and_x(header)
    file.input(header, "u", [])
    header.input[2].ClearField("tensor")
    header.input[2].attr_info.type = 23
    total = file.apply(header, "SumExt", [x1, none, no, none], "total")
    going = file.apply(header, "LessScalar", [total, file.constant(header, "limit", 20.0)], "going")
    ways = [
        file.apply(header, "Partial", ["body", w1, x1], "into", kind=1),
        file.apply(header, "Partial", ["after", x1], "out", kind=1),
    ]
    chosen = file.apply(header, "Switch", [going, *ways], "chosen", kind=1)
    file.returns(header, file.call(header, chosen, [], "next"))

    w2, x2 = weight_and_x(body)
    first = file.apply(body, "Slice", [x2, file.constant(body, "b", (0,)), file.constant(body, "s", (1,))], "first")
    scalar = file.apply(body, "Squeeze", [first, file.constant(body, "axis", (0,))], "scalar")
    large = file.apply(body, "GreaterScalar", [scalar, file.constant(body, "one", 1.0)], "large")
    ways = [
        file.apply(body, "Partial", ["doubled", x2], "then", kind=1),
        file.apply(body, "Partial", ["scaled", w2, x2], "else", kind=1),
    ]
    chosen = file.apply(body, "Switch", [large, *ways], "chosen", kind=1)
    new = file.call(body, chosen, [], "new")
    again = file.call(body, "header", [w2, new, "u"], "again")
    state = file.apply(body, "UpdateState", ["u", again], "state", kind=1)
    file.returns(body, file.apply(body, "Depend", [again, state], "end", kind=1))

    x3 = file.input(doubled, "x", [3])
    file.returns(doubled, file.apply(doubled, "Add", [x3, x3], "sum"))
    w4, x4 = weight_and_x(scaled)
    loaded = file.apply(scaled, "Load", [w4, "u"], "loaded", kind=1)
    file.returns(scaled, file.apply(scaled, "Mul", [x4, loaded], "product"))
    x5 = file.input(after, "x", [3])
    file.returns(after, file.apply(after, "SubScalar", [x5, file.constant(after, "two", 1), "one_more"], "less"))
    file.constant(after, "one_more", 1)
    return file
