"""Model files: `export` writes a network's program with its parameters; `load` reads it without the Python source.

`load` also reads MindSpore's own files; `framework.mindir` does that, and `framework` joins it to this module.
"""

from __future__ import annotations

import hashlib
import inspect
import re
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
from framework.train.checkpoints.encryption import mode_of

__all__ = ["ModelError", "export", "load", "set_reader_of_mindspore", "set_writer"]

Writer = Callable[..., Path]
"""Writes a network in another format: from the network, its inputs, `file_name=` and `opset=`."""
_WRITERS: Final[dict[str, Writer]] = {}

SUFFIX = ".msir"
MINDSPORES_SUFFIX = ".mindir"
"""The suffix of MindSpore's files, which was also ours."""
FORMAT, VERSION = "framework model", 1
MOST_BYTES = (2 << 30) - 1
"""Limit of a protobuf message in bytes: less than 2 GiB."""
#: MindSpore's files begin with the version of their format as a text of a length: "1.1" or "0.1.1".
_MINDSPORES_HEAD: Final = re.compile(rb"\x0a[\x01-\x0a]\d+(?:\.\d+)+")
_readers: list[Callable[[Path], FuncGraph]] = []


def set_reader_of_mindspore(reader: Callable[[Path], FuncGraph]) -> None:
    """Choose what `load` reads MindSpore's own files with.

    Args:
        reader: from the path of a file to its program; raises a ModelError for a file that cannot be read.
    """
    _readers[:] = [reader]


def export(
    net: Callable[..., Any],
    *inputs: Any,
    file_name: str | Path,
    file_format: str = "MSIR",
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
        file_name: the file. The format's suffix, such as `.msir`, is appended if it is missing; a name that ends in
            `.mindir` stays as it is.
        file_format: `MSIR`, or `ONNX` for other frameworks and runtimes. `MINDIR`, as programs of MindSpore say, means
            MSIR: MindSpore cannot read the file. `export_onnx` in `framework.onnx.exporting` says what an ONNX model
            has.
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
    if file_format not in ("MSIR", "MINDIR"):
        formats = " or ".join(["MSIR", *_WRITERS])
        raise ValueError(f"a network can be exported as {formats}, not as {file_format}: pass one of these")
    path = Path(file_name)
    if path.suffix not in (SUFFIX, MINDSPORES_SUFFIX):
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
    """Read a program that `export` wrote, or one that MindSpore 2 exported as MINDIR. `nn.GraphCell` runs it.

    The first bytes of the file tell which of both it is. Nothing in it is executed while reading. Operators of a file
    of `export` must be those of the framework, or classes of primitives that the program has imported.

    Args:
        file_name: the file. For `NAME.mindir` that is not there, `NAME.msir` is read, which `export` has written for a
            program of MindSpore. Weights in files beside one of MindSpore are read from its folder only.

    Returns:
        The program.

    Raises:
        ModelError: the file is no model file, is encrypted or damaged, or needs what is not supported.
        FileNotFoundError: there is no such file.
    """
    path = _found(Path(file_name))
    try:
        with path.open("rb") as file:
            head = file.read(16)
        mode = mode_of(head)
        if mode is not None:
            raise ModelError(f"it is encrypted with {mode}: export it without enc_key")
        if _MINDSPORES_HEAD.match(head) and _readers:
            return _readers[0](path)
        return from_message(_program(path.read_bytes()), _primitive)
    except ModelError as error:
        raise ModelError(f"{path} cannot be loaded: {error}") from error


def _found(path: Path) -> Path:
    """A file, or the one that `export` has written instead of it."""
    if path.is_file():
        return path
    written = path.with_suffix(SUFFIX)
    if path.suffix == MINDSPORES_SUFFIX and written.is_file():
        return written
    names = [item.name for suffix in (SUFFIX, MINDSPORES_SUFFIX) for item in path.parent.glob(f"*{suffix}")]
    similar = get_close_matches(path.name, names, 3)
    hint = f"; {path.parent} has {', '.join(similar)}" if similar else ""
    raise FileNotFoundError(f"there is no model file {path}{hint}")


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
