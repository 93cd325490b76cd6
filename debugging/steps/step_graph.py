"""The graph of one observed step, as the dashboard reads it: all that was reported of the step in one graph.

Adapters of frameworks without a compiled graph record it into their run.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from debugging.contract import Debuggee
from debugging.executions import Execution
from debugging.tensors.recording import flat
from summaries.schema.anf_ir_pb2 import DataType, GraphProto, NodeProto, TypeProto

__all__ = ["GraphRecorder"]

_TYPES = {
    "bool": "DT_BOOL", "int8": "DT_INT8", "int16": "DT_INT16", "int32": "DT_INT32", "int64": "DT_INT64",
    "uint8": "DT_UINT8", "float16": "DT_FLOAT16", "float32": "DT_FLOAT32", "float64": "DT_FLOAT64",
}  # fmt: skip
_LONGEST_VALUE = 200


class GraphRecorder:
    """Records the graph of a step.

    Args:
        training: whose step it is.

    Attributes:
        message: the graph.
        is_done: whether the step has been recorded.
    """

    def __init__(self, training: Debuggee) -> None:
        self._training = training
        self.message = GraphProto(name="step")
        self.is_done = False
        #: Names of the nodes by their arrays, which live as long as this.
        self._names: dict[int, str] = {}
        self._held: list[Any] = []

    @contextlib.contextmanager
    def recording(self, inputs: Sequence[Any]) -> Iterator[None]:
        """A context around the step.

        Args:
            inputs: what the model is called with.
        """
        for weight in self._training.weights():
            self._parameter(weight.name, weight.array)
        for place, item in enumerate(inputs):
            array = self._training.array_of(item)
            if array is not None:
                self._parameter(f"input{place}", array)
        with self._training.watching(self._add):
            yield
        self._held.clear()
        self._names.clear()
        self._leave_out_counters()
        self.is_done = True

    def _leave_out_counters(self) -> None:
        """Leave out operators that only count calls or steps: single numbers that nothing in the step reads."""
        message = self.message
        read = {item.name for node in message.node for item in node.input}
        made = {node.name for node in message.node}
        kept = [node for node in message.node if not _counts(node, read, made)]
        if len(kept) == len(message.node):
            return
        del message.node[:]
        message.node.extend(kept)
        needed = {item.name for node in kept for item in node.input}
        for constant in [item for item in message.const_vals if item.key in read - needed]:
            message.const_vals.remove(constant)
        for parameter in [item for item in message.parameters if item.name in read - needed]:
            message.parameters.remove(parameter)

    def _parameter(self, name: str, array: Any) -> None:
        parameter = self.message.parameters.add(name=name)
        parameter.type.CopyFrom(_type_of(array))
        self._name(array, name)

    def _add(self, execution: Execution) -> None:
        number = str(len(self.message.node) + 1)
        scope = execution.full_name.rpartition("/")[0]
        node = self.message.node.add(
            name=number, op_type=execution.primitive.name, scope=scope, full_name=execution.full_name
        )
        for item in flat(execution.inputs):
            if (array := self._training.array_of(item)) is not None:
                self._read(node, array)
        arrays = map(self._training.array_of, flat((execution.outputs,)))
        outputs = [array for array in arrays if array is not None]
        if len(outputs) == 1:
            node.output_type.CopyFrom(_type_of(outputs[0]))
        elif outputs:
            node.output_type.data_type = DataType.DT_TUPLE
            node.output_type.sequence_type.elem_types.extend(map(_type_of, outputs))
        for name, value in execution.primitive.attrs.items():
            attribute = node.attribute.add(name=name)
            attribute.value.str_val = str(value)[:_LONGEST_VALUE]
        for array in outputs:
            self._name(array, number)

    def _read(self, node: NodeProto, array: Any) -> None:
        name = self._names.get(id(array))
        if name is None:
            # A tensor that no observed operator has made: a constant, or the user's data.
            name = f"cst{len(self.message.const_vals) + 1}"
            constant = self.message.const_vals.add(key=name)
            constant.value.tensor_val.dims.extend(array.shape)
            constant.value.tensor_val.data_type = _type_of(array).tensor_type.elem_type
            self._name(array, name)
        node.input.add(name=name)

    def _name(self, array: Any, name: str) -> None:
        self._names[id(array)] = name
        self._held.append(array)


def _counts(node: NodeProto, read: set[str], made: set[str]) -> bool:
    """Whether an operator counts in a number of its own."""
    shape = node.output_type.tensor_type.shape
    is_number = node.output_type.data_type == DataType.DT_TENSOR and not shape.dim
    own = node.op_type.endswith("_") and len(node.input) == 1 and node.input[0].name not in made
    return is_number and own and node.name not in read


def _type_of(array: Any) -> TypeProto:
    made = TypeProto(data_type=DataType.DT_TENSOR)
    kind = _TYPES.get(str(array.dtype), "DT_FLOAT32")
    made.tensor_type.elem_type = DataType.Value(kind)
    for length in array.shape:
        made.tensor_type.shape.dim.add(size=length)
    return made
