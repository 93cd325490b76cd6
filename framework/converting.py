"""Models and weights from one format of files to another, and what a file has. `python -m framework` calls it.

`FORMATS` is the table of formats: a suffix, and how such a file is read and written. A further format is one more row.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

import click

from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.ir.abstract import AbstractTensor
from framework.ir.anf import FuncGraph
from framework.ir.errors import GraphError
from framework.ir.manager import Manager
from framework.ir.model_values import ModelError
from framework.nn.cell import Cell
from framework.nn.graph_cell import GraphCell
from framework.onnx.checking import Examined, examine
from framework.onnx.exporting import export_onnx
from framework.onnx.loading import load_onnx
from framework.ops.primitive import Primitive
from framework.train.mindir import export, load
from framework.train.serialization import load_checkpoint, save_checkpoint

__all__ = ["FORMATS", "Content", "Format", "Options", "check", "command", "convert"]

T = TypeVar("T")
Weights: TypeAlias = Mapping[str, Parameter]
Content: TypeAlias = "GraphCell | Weights"
"""What a file holds: a model with its weights, or weights alone."""
Shapes: TypeAlias = Mapping[str, Sequence[int | None]]


@dataclass(frozen=True)
class Options:
    """How a file is written.

    Attributes:
        opset: the version of ONNX's operators.
        shapes: the shapes of inputs by name, None for an open dimension; the file's where they are left out.
    """

    opset: int
    shapes: Shapes


@dataclass(frozen=True)
class Format:
    """A format of files.

    Attributes:
        load: reads a file.
        save: writes content to a file, and returns its path; None if the format is only read.
        has_program: whether a file holds a model, not only weights.
        examine: tells what a file has; None if it is told by `load`.
    """

    load: Callable[[Path], Content]
    save: Callable[[Content, Path, Options], Path] | None
    has_program: bool
    examine: Callable[[Path], Examined] | None = None


def convert(source: Path, target: Path, *, opset: int = 20, shapes: Shapes | None = None) -> Path:
    """Write what a file has in another format.

    Args:
        source: the file; its suffix tells its format.
        target: the new file; its suffix tells the format.
        opset: the version of ONNX's operators, if the target is in ONNX's format.
        shapes: the shapes of inputs by name, None for an open dimension; those of the file where they are left out.

    Returns:
        The path of the new file.

    Raises:
        ModelError: the source cannot be read, or the target's format has no form for something in it.
        FileNotFoundError: there is no such file.
        ValueError: a format is unknown, or one of weights cannot become one of models.
    """
    start, end = _format_of(source), _format_of(target)
    if end.save is None:
        raise ValueError(f"{target.suffix} is only read: convert to one of {', '.join(_writable())}")
    if end.has_program and not start.has_program:
        raise ValueError(f"{source.name} has weights and no model, and {target.suffix} needs a model")
    try:
        return end.save(start.load(source), target, Options(opset, shapes or {}))
    except GraphError as error:
        raise ModelError(
            f"{source} cannot be compiled for the shapes of its inputs: {error}\nPass --shape NAME=1,3,224,224 with "
            "numbers for the dimensions that it needs"
        ) from error


def check(path: Path) -> Examined:
    """What a file of a model has.

    Raises:
        ModelError: the file cannot be read.
        FileNotFoundError: there is no such file.
        ValueError: its format is unknown, or has no model.
    """
    form = _format_of(path)
    if form.examine is not None:
        return form.examine(path)
    content = form.load(path)
    if not isinstance(content, GraphCell):
        return _of_weights(path, content)
    return _of_program(path, content)


def _format_of(path: Path) -> Format:
    if path.suffix not in FORMATS:
        raise ValueError(f"{path.name} has no known suffix: it must be one of {', '.join(FORMATS)}")
    return FORMATS[path.suffix]


def _writable() -> list[str]:
    return [suffix for suffix, form in FORMATS.items() if form.save is not None]


def _of_program(path: Path, cell: GraphCell) -> Examined:
    manager = Manager(cell.graph)
    operators = [node.operator for node in manager.all_nodes()]
    names = [item.name for item in operators if isinstance(item, Primitive)]
    weights = list(cell.get_parameters())
    inputs = [item for item in cell.graph.parameters if item.default is None]
    is_open = any(isinstance(item.abstract, AbstractTensor) and None in item.abstract.shape for item in inputs)
    count, numbers, size = _sizes(weights)
    return Examined(
        form="a program of this framework", inputs=[f"{item.name} {item.abstract}" for item in inputs],
        outputs=[str(cell.graph.output.abstract)], open_dimensions=["?"] if is_open else [], operators=Counter(names),
        weights=count, numbers=numbers, weight_bytes=size, file_bytes=path.stat().st_size,
    )  # fmt: skip


def _of_weights(path: Path, weights: Weights) -> Examined:
    count, numbers, size = _sizes([item for item in weights.values() if isinstance(item, Tensor)])
    return Examined(
        form="weights without a model", inputs=[], outputs=[], open_dimensions=[], operators=Counter(), weights=count,
        numbers=numbers, weight_bytes=size, file_bytes=path.stat().st_size,
    )  # fmt: skip


def _sizes(weights: Sequence[Tensor]) -> tuple[int, int, int]:
    """How many weights, numbers and bytes there are."""
    return len(weights), sum(item.size for item in weights), sum(item.nbytes for item in weights)


def _model(content: Content, path: Path) -> GraphCell:
    if not isinstance(content, GraphCell):
        raise ValueError(f"{path.name} needs a model, and there are only weights")
    return content


def _examples(cell: GraphCell, shapes: Shapes) -> list[Tensor]:
    """Tensors without elements, with the shapes and types of a model's inputs."""
    inputs = [item for item in cell.graph.parameters if item.default is None]
    unknown = sorted(shapes.keys() - {item.name for item in inputs})
    if unknown:
        raise ValueError(f"there is no input {unknown[0]!r}, only {', '.join(item.name for item in inputs)}")
    found = []
    for item in inputs:
        if not isinstance(item.abstract, AbstractTensor):
            raise ModelError(f"the input {item.name!r} has no type that another format could keep")
        shape = shapes.get(item.name, item.abstract.shape)
        found.append(Tensor(shape=list(shape), dtype=item.abstract.dtype))
    return found


def _save_onnx(content: Content, path: Path, options: Options) -> Path:
    cell = _model(content, path)
    return export_onnx(cell, *_examples(cell, options.shapes), file_name=path, opset=options.opset)


def _save_program(content: Content, path: Path, options: Options) -> Path:
    cell = _model(content, path)
    return export(cell, *_examples(cell, options.shapes), file_name=path)


def _program(path: Path) -> GraphCell:
    graph: FuncGraph = load(path)
    return GraphCell(graph)


def _weights(form: str) -> Format:
    """A format of weights, by its name in `load_checkpoint`."""

    def saved(content: Content, path: Path, options: Options) -> Path:
        del options
        save_checkpoint(content if isinstance(content, Cell) else dict(content), path, format=form)
        return path

    return Format(lambda path: load_checkpoint(path, format=form), None if form == "torch" else saved, False)


FORMATS: Final[dict[str, Format]] = {
    ".onnx": Format(load_onnx, _save_onnx, True, examine),
    ".msir": Format(_program, _save_program, True),
    ".mindir": Format(_program, None, True),
    ".ckpt": _weights("ckpt"),
    ".safetensors": _weights("safetensors"),
    ".pt": _weights("torch"),
    ".pth": _weights("torch"),
}
"""The formats, by the suffix of their files."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Look at files of models, and convert them."""


@command.command("check")
@click.argument("file", type=click.Path(path_type=Path))
def _check(file: Path) -> None:
    """Tell what the model in FILE has, and what of it is not supported. Exit code 1: something is not."""
    found = _tried(lambda: check(file))
    for line in _lines(file, found):
        click.echo(line)
    sys.exit(1 if found.missing else 0)


@command.command("convert")
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--opset", type=click.IntRange(13, 24), default=20, show_default=True, help="ONNX's opset.")
@click.option(
    "--shape", "shapes", multiple=True, metavar="NAME=LENGTHS",
    help="Shape of an input, such as image=?,3,224,224; ? is an open dimension.  [repeatable]",
)  # fmt: skip
def _convert(source: Path, target: Path, opset: int, shapes: tuple[str, ...]) -> None:
    """Write the model or the weights in SOURCE to TARGET, in the format that its suffix tells."""
    given = dict(map(_shape, shapes))
    written = _tried(lambda: convert(source, target, opset=opset, shapes=given))
    click.echo(f"{written}: {written.stat().st_size:,} bytes")


def _shape(text: str) -> tuple[str, list[int | None]]:
    name, equals, lengths = text.rpartition("=")
    try:
        dims = [None if item.strip() == "?" else int(item) for item in lengths.split(",") if item.strip()]
    except ValueError:
        equals = ""
    if not equals or not name:
        raise click.BadParameter(f"{text!r} is no shape: write NAME=1,3,224,224", param_hint="'--shape'")
    return name, dims


def _tried(work: Callable[[], T]) -> T:
    """The result of work on a file; what is wrong with the file becomes one sentence."""
    try:
        return work()
    except (ModelError, ValueError, OSError, GraphError, ImportError) as error:
        raise click.ClickException(str(error)) from error


def _lines(path: Path, found: Examined) -> list[str]:
    often = sorted(found.operators.items(), key=lambda item: (-item[1], item[0]))
    counts = ", ".join(f"{count} {name}" for name, count in often)
    lines = [
        f"{path}: {found.form}, {found.file_bytes:,} bytes",
        *(f"  input    {item}" for item in found.inputs),
        *(f"  output   {item}" for item in found.outputs),
        f"  open     {', '.join(found.open_dimensions) or 'no dimension'}",
        f"  weights  {found.weights:,} with {found.numbers:,} numbers, {found.weight_bytes:,} bytes",
        f"  {sum(found.operators.values()):,} operators: {counts or 'none'}",
        *(f"  missing  {item}" for item in found.missing),
    ]
    return [*lines, "Something is missing: it cannot be run." if found.missing else "Nothing is missing."]
