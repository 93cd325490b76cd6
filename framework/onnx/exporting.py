"""`export_onnx`: writes a network as an ONNX model. `ms.export` and `mindinsight convert` call it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from google.protobuf.message import EncodeError

import framework.onnx.forms  # noqa: F401, fills the table
from framework.common.replacing import replacing
from framework.engine.call.compiled import Compiled
from framework.ir.abstract import AbstractTensor
from framework.ir.anf import FuncGraph, Node
from framework.ir.model_values import ModelError
from framework.onnx.forms.form_table import Application, tensor_type
from framework.onnx.reader.structure import listing
from framework.onnx.writer.nodes import UnwritableError, declare, tensor_message
from framework.onnx.writer.program_writer import ProgramWriter
from framework.onnx.writer.unused import drop_unused, renamed
from framework.onnx.writer.written_values import Names, flat, flat_types, shaped
from framework.schema.onnx_pb2 import Graph, Model, TensorData

__all__ = ["LARGEST", "NEWEST_WRITTEN", "OLDEST_WRITTEN", "export_onnx", "model_of"]

OLDEST_WRITTEN: Final = 13
NEWEST_WRITTEN: Final = 24
LARGEST: Final = 1_800_000_000
"""Bytes of weights above which they go to a file beside the model."""
SUFFIX: Final = ".onnx"
_IR_VERSIONS: Final = {13: 7, 14: 7, 15: 8, 16: 8, 17: 8, 18: 8, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11, 24: 12}
"""The version of the file format that came with an opset."""
_EXTERNAL: Final = 1
_ALIGNED: Final = 4096


def export_onnx(
    net: Callable[..., Any], *inputs: Any, file_name: str | Path, opset: int = 20, external_above: int = LARGEST
) -> Path:
    """Write a network to a file in ONNX's format, whole or not at all.

    Weights keep their names. Those that the program changes, as a training step does, are inputs with a default, and
    outputs `NAME.new` with their new values. Above `external_above` bytes, all weights go to `NAME.onnx.data`.

    Args:
        net: a Cell or a function.
        inputs: its arguments, as for `export`. An open dimension gets a name.
        file_name: the file; `.onnx` is appended if it is missing.
        opset: the version of ONNX's operators, 13 to 24.
        external_above: bytes of weights above which they go to a file of their own.

    Returns:
        The path of the model.

    Raises:
        ModelError: something has no form in this opset; the message lists all of it with the user's lines.
        ValueError: the opset is not written.
        OSError: a file cannot be written.
    """
    path = Path(file_name)
    if path.suffix != SUFFIX:
        path = path.with_name(path.name + SUFFIX)
    root = Compiled(net).compile(*inputs).root
    try:
        model = model_of(root, opset)
    except ModelError as error:
        raise ModelError(f"{path.name} cannot be written: {error}") from error
    weights = model.graph.initializer
    if sum(len(tensor.raw_data) for tensor in weights) > external_above:
        _write_beside(path.with_name(f"{path.name}.data"), list(weights))
    try:
        content = model.SerializeToString(deterministic=True)
    except (EncodeError, ValueError) as error:
        raise ModelError(f"{path.name} cannot be written: {error}") from error
    with replacing(path) as file:
        file.write(content)
    return path


def model_of(root: FuncGraph, opset: int = 20) -> Model:
    """A program as a model.

    Args:
        root: the program after inference, which stays as it is.
        opset: the version of ONNX's operators.

    Raises:
        ModelError: something has no form in this opset; the message lists all of it.
        ValueError: the opset is not written.
    """
    if not OLDEST_WRITTEN <= opset <= NEWEST_WRITTEN:
        raise ValueError(f"opset={opset} is not written: pass one from {OLDEST_WRITTEN} to {NEWEST_WRITTEN}")
    model = Model(ir_version=_IR_VERSIONS[opset], producer_name="mindinsight")
    model.opset_import.add(version=opset)
    try:
        _Export(root, opset, model.graph).write()
    except UnwritableError as error:
        raise ModelError(str(error)) from error
    return model


class _Export:
    """The export of one program into a graph of the format."""

    def __init__(self, root: FuncGraph, opset: int, graph: Graph) -> None:
        self.root, self.graph = root, graph
        self.program = ProgramWriter(root, opset)
        self.names: Names = {}

    def write(self) -> None:
        """Write the program."""
        graph = self.graph
        graph.name = self.root.name
        self._declare_inputs()
        self.program.start(self.names)
        self.program.body(self.root, self.names)
        results = self._results() if not self.program.problems else []
        if self.program.problems:
            raise ModelError(listing("it has what ONNX has not", list(self.program.problems)))
        writer = self.program.writer
        nodes = [*writer.constants.nodes, *writer.block.nodes]
        wanted = [name for name, _, _ in results]
        graph.node.extend(drop_unused(nodes, wanted))
        titles = {name: title for name, title, _ in results if title}
        renamed(graph.node, titles)
        for name, title, kind in results:
            declare(graph.output.add(), title or name, kind.dtype, kind.shape)

    def _declare_inputs(self) -> None:
        graph, writer = self.graph, self.program.writer
        given = [parameter for parameter in self.root.parameters if parameter.default is None]
        opened = [item for item in given if any(None in kind.shape for kind in flat_types(_type_of(item)))]
        for parameter in self.root.parameters:
            kind = _type_of(parameter)
            if parameter.default is not None:
                name = self.names[parameter] = writer.name(parameter.default.name)
                graph.initializer.append(tensor_message(parameter.default.asnumpy(), name))
                continue
            names = []
            for number, item in enumerate(flat_types(kind)):
                name = writer.name(parameter.name if item is kind else f"{parameter.name}_{number}")
                open_names = [
                    "batch" if len(opened) == 1 and place == 0 and item is kind else f"{name}_dim_{place}"
                    for place, length in enumerate(item.shape)
                    if length is None
                ]
                declare(graph.input.add(), name, item.dtype, item.shape, open_names)
                names.append(name)
            self.names[parameter] = shaped(kind, iter(names))

    def _results(self) -> list[tuple[str, str, AbstractTensor]]:
        """The outputs: the name that was written, the name that the model gives it, the type."""
        program, root = self.program, self.root
        if root.output.abstract is None:
            raise UnwritableError("the type of its result is unknown")
        program.writer.label = ""
        application = Application(program.writer, None, [], [], root.output.abstract)
        values = flat(program.read(root.output, self.names), root.output.abstract)
        found: list[tuple[str, str, AbstractTensor]] = []
        for number, (written, abstract) in enumerate(values):
            title = program.writer.name("output" if len(values) == 1 else f"output_{number}")
            found.append((application.tensor(written, abstract), title, tensor_type(abstract)))
        for weight, name in program.current.items():
            kind = tensor_type(weight.abstract)
            declare(self.graph.input.add(), str(self.names[weight]), kind.dtype, kind.shape)
            found.append((name, program.writer.name(f"{self.names[weight]}.new"), kind))
        return list(self._own(found))

    def _own(self, found: list[tuple[str, str, AbstractTensor]]) -> Iterator[tuple[str, str, AbstractTensor]]:
        """A node behind each output that is an input, a weight, a constant or another output."""
        taken: set[str] = set()
        made = {name for node in self.program.writer.block.nodes for name in node.output}
        for name, title, kind in found:
            if name in taken or name not in made:
                name = self.program.writer.emit("Identity", [name])[0]
            taken.add(name)
            yield name, title, kind


def _type_of(parameter: Node) -> Any:
    if parameter.abstract is None:
        raise UnwritableError(f"the type of {parameter.name} is unknown")
    return parameter.abstract


def _write_beside(path: Path, weights: list[TensorData]) -> None:
    """Move the elements of weights to a file beside the model."""
    with replacing(path) as file:
        offset = 0
        for tensor in weights:
            content = tensor.raw_data
            gap = -offset % _ALIGNED
            file.write(b"\0" * gap + content)
            offset += gap
            tensor.ClearField("raw_data")
            tensor.data_location = _EXTERNAL
            entries = {"location": path.name, "offset": str(offset), "length": str(len(content))}
            for key, value in entries.items():
                tensor.external_data.add(key=key, value=value)
            offset += len(content)
