"""Model files: `export` writes a network's program with its parameters; `load` reads it without the Python source."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from google.protobuf.message import DecodeError, EncodeError

from framework.common.replacing import replacing
from framework.engine.call.compiled import Compiled
from framework.ir.anf import FuncGraph
from framework.ir.model_proto import from_message, to_message
from framework.ir.model_values import ModelError
from framework.ops import operations
from framework.ops.primitive import Primitive
from framework.schema.model_pb2 import ModelFile, Program

__all__ = ["ModelError", "export", "load", "set_writer"]

Writer = Callable[..., Path]
"""Writes a network in another format: from the network, its inputs, `file_name=` and `opset=`."""
_WRITERS: Final[dict[str, Writer]] = {}

SUFFIX = ".mindir"
FORMAT, VERSION = "framework model", 1
MOST_BYTES = (2 << 30) - 1
"""Limit of a protobuf message in bytes: less than 2 GiB."""


def export(
    net: Callable[..., Any],
    *inputs: Any,
    file_name: str | Path,
    file_format: str = "MINDIR",
    opset: int = 20,
    **options: Any,
) -> Path:
    """Write the program of a network, with its parameters and constants, to a file.

    The file is written whole or not at all.

    The program is that of graph mode after its passes, in the phase that the network is in: call `net.set_train(False)`
    before. The file keeps names and lines of the source for messages, but no Python code.

    Args:
        net: a Cell or a function.
        inputs: arguments of `net`. Only the shapes and element types of tensors count: with `Tensor(shape=[None, 3],
            dtype=ms.float32)` the first dimension may have any length. All other arguments become part of the program.
        file_name: the file; the format's suffix, such as `.mindir`, is appended if it is missing.
        file_format: `MINDIR`, or `ONNX` for other frameworks and runtimes. `export_onnx` in `framework.onnx.exporting`
            says what an ONNX model has.
        opset: the version of ONNX's operators, 13 to 24; only with `ONNX`.
        options: options of MindSpore, accepted for compatibility; they have no effect.

    Returns:
        The path of the file.

    Raises:
        ModelError: the program contains something that cannot be stored, or is too large; the message names it with its
            line.
        ValueError: another format is asked for.
        OSError: the file cannot be written.
    """
    if file_format in _WRITERS:
        return _WRITERS[file_format](net, *inputs, file_name=file_name, opset=opset)
    if file_format != "MINDIR":
        formats = " or ".join(["MINDIR", *_WRITERS])
        raise ValueError(f"a network can be exported as {formats}, not as {file_format}: pass one of these")
    path = Path(file_name)
    if path.suffix != SUFFIX:
        path = path.with_name(path.name + SUFFIX)
    message = to_message(Compiled(net).compile(*inputs).root)
    if message.ByteSize() > MOST_BYTES - 1024:
        raise ModelError(
            f"{path.name} would have {message.ByteSize():,} bytes, and a model file has less than 2 GiB: keep the "
            "parameters in a checkpoint (save_checkpoint)"
        )
    try:
        content = message.SerializeToString(deterministic=True)
    except EncodeError as error:
        raise ModelError(f"the program of {path.name} cannot be written: {error}") from error
    digest = hashlib.sha256(content).digest()
    with replacing(path) as file:
        file.write(ModelFile(format=FORMAT, version=VERSION, digest=digest, program=content).SerializeToString())
    return path


def set_writer(file_format: str, writer: Writer) -> None:
    """Let `export` write another format.

    Args:
        file_format: its name.
        writer: writes it.
    """
    _WRITERS[file_format] = writer


def load(file_name: str | Path) -> FuncGraph:
    """Read a program that `export` wrote. `nn.GraphCell` runs it.

    Nothing in the file is executed while reading. Its operators must be those of the framework, or classes of
    primitives that the program has imported.

    Args:
        file_name: the file.

    Returns:
        The program.

    Raises:
        ModelError: the file was not written by `export`, is damaged, or needs an unknown operator.
        FileNotFoundError: there is no such file.
    """
    path = Path(file_name)
    if not path.is_file():
        similar = get_close_matches(path.name, [item.name for item in path.parent.glob(f"*{SUFFIX}")], 3)
        hint = f"; {path.parent} has {', '.join(similar)}" if similar else ""
        raise FileNotFoundError(f"there is no model file {path}{hint}")
    try:
        return from_message(_program(path.read_bytes()), _primitive)
    except ModelError as error:
        raise ModelError(f"{path} cannot be loaded: {error}") from error


def _program(content: bytes) -> Program:
    file, program = ModelFile(), Program()
    try:
        file.ParseFromString(content)
    except DecodeError:
        raise ModelError("it is not a model file, or its end is missing") from None
    if file.format != FORMAT:
        raise ModelError("it was not written by export")
    if file.version != VERSION:
        raise ModelError(f"it has version {file.version}, and only version {VERSION} can be read: export it again")
    if hashlib.sha256(file.program).digest() != file.digest:
        raise ModelError("it is damaged: its checksum does not match")
    try:
        program.ParseFromString(file.program)
    except DecodeError as error:
        raise ModelError(f"its content is not a program: {error}") from None
    return program


def _primitive(name: str, type_name: str, module: str, attrs: dict[str, Any]) -> Primitive:
    """A new primitive of a known class with the given attributes; those in its signature are passed to it."""
    kinds = [kind for kind in _kinds(Primitive) if kind.__name__ == type_name]
    kind = next((kind for kind in kinds if kind.__module__ == module), getattr(operations, type_name, None))
    if not isinstance(kind, type) or not issubclass(kind, Primitive):
        raise ModelError(f"there is no operator {type_name}: import {module}, which defined it, before loading")
    parameters = inspect.signature(kind.__init__).parameters
    try:
        primitive = kind(**{key: value for key, value in attrs.items() if key in parameters})
    except Exception as error:
        raise ModelError(f"the operator {type_name} cannot be created with the attributes {attrs}: {error}") from error
    primitive.name = name
    primitive.attrs.clear()
    primitive.attrs.update(attrs)
    return primitive


def _kinds(kind: type[Primitive]) -> Iterator[type[Primitive]]:
    pending = [kind]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(current.__subclasses__())
