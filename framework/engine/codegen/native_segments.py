"""Writes native segments into a function of a compiled program, each with its fallback lines in Python.

Called by `FunctionCode`. `framework.engine.native` explains segments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from framework.engine import native
from framework.engine.codegen.native_loops import CountedLoop, counted_loop_of, loop_segment
from framework.ir.anf import CNode, FuncGraph, Node, Parameter
from framework.opt.fusion.fusable import seen_through

if TYPE_CHECKING:
    from framework.engine.codegen.functions import FunctionCode

__all__ = ["load_weights", "partition_block", "values_read", "write_loop", "write_segment"]

_NAME = re.compile(r"\b[a-z]\w*")


def partition_block(
    code: FunctionCode, graph: FuncGraph, nodes: list[CNode], tail: CNode | None
) -> tuple[Sequence[native.Segment | CNode], CountedLoop | None]:
    """Partition the nodes of a block into native segments and the nodes between them.

    Args:
        code: the writer of the function.
        graph: the block.
        nodes: its nodes, in the order in which they run.
        tail: its tail call.

    Returns:
        The parts. If the block is the body of a loop that one segment runs, that segment alone, and the loop.
    """
    writer = code.writer
    if not writer.is_native:
        return nodes, None
    readers: dict[Node, list[CNode]] = {}
    for node in nodes:
        for item in values_read(node):
            readers.setdefault(item, []).append(node)
    outside = {graph.output, *code.captured, *(tail.inputs if tail is not None else ())}
    if tail is not None and isinstance(tail.function, CNode):
        outside.update(tail.function.inputs)
    planned = writer.memory.values
    context = native.BlockContext(
        readers, outside, graph is writer.root, code.updates if graph is writer.root else {},
        lambda node: planned[node].place.number if node in planned else None,
        writer.value, writer.constant, writer.view,
    )  # fmt: skip
    loop = counted_loop_of(writer.structure, graph, nodes, tail)
    whole = None if loop is None else loop_segment(nodes, loop, context)
    return (native.partition(nodes, context, native.lowering_of), None) if whole is None else ([whole], loop)


def values_read(node: CNode) -> Iterable[Node]:
    """The nodes that the code of a node may read: its inputs, and those that its inputs broadcast."""
    return dict.fromkeys((*node.inputs, *map(seen_through, node.inputs)))


def write_loop(code: FunctionCode, level: int, segment: native.Segment, loop: CountedLoop) -> dict[Node, str]:
    """Write a segment that runs several iterations; returns the next values of the parameters of the loop's head."""
    writer = code.writer
    counter, bound = writer.value(loop.counter), writer.value(loop.bound)
    code.emit(level, f"r = {loop.iterations(counter, bound, segment.work)}")
    write_segment(code, level, segment, {}, "r")
    grown = {
        number: f"{writer.name(number)} + {'' if step == 1 else f'{step} * '}r"
        for number, step in loop.increments.items()
        if step
    }
    return {**grown, **{given: writer.name(made) for given, made in loop.carried.items()}}


def write_segment(
    code: FunctionCode, level: int, segment: native.Segment, ends: Mapping[CNode, list[Node]], loop: str = ""
) -> None:
    """Write a native segment: one call, and the fallback lines of its nodes for arrays that it was not made for.

    Args:
        code: the writer of the function.
        level: the level of indentation.
        segment: the segment.
        ends: for each node the values whose last use it is.
        loop: for a loop, the variable with the number of iterations. The fallback runs one, and sets it to 1.
    """
    writer = code.writer
    for number, layout in enumerate(segment.outputs):
        code.emit(level, f"o{number} = empty({layout.shape}, {writer.constant(layout.dtype)})")
    given = ["table", *(name for name, _ in segment.arguments), *(f"o{at}" for at in range(len(segment.outputs)))]
    given += [loop] if loop else []
    code.emit(level, f"if {writer.segment(segment)}({', '.join(given)}) is None:")
    first = len(code.lines)
    for node in segment.nodes:
        code.template(level + 1, node, {})
    if loop:
        code.emit(level + 1, f"{loop} = 1")
    code.fallback_lines.append((first, len(code.lines)))
    if segment.results:
        code.emit(level, "else:")
    for node, value in segment.results.items():
        code.emit(level + 1, f"{writer.name(node)} = {value}")
    for node in segment.nodes:
        for gone in ends.get(node, ()):
            if gone not in writer.memory.values and (gone in segment.results or gone not in segment.nodes):
                code.emit(level, f"{writer.name(gone)} = None")
    for number in range(len(segment.outputs)):
        code.emit(level, f"o{number} = None")


def load_weights(code: FunctionCode, first: int, weights: list[Parameter]) -> None:
    """Insert the lines that load the arrays of Parameters.

    An array that only fallback lines read is loaded there, so that otherwise nothing but the Parameter holds it.

    Args:
        code: the writer of the function.
        first: the line before which the others are loaded.
        weights: the Parameters.
    """
    lines = {weight: _load_line(code, weight) for weight in weights}
    fallback_lines = {line for start, end in code.fallback_lines for line in range(start, end)}
    elsewhere = _names_in(line for number, line in enumerate(code.lines) if number not in fallback_lines)
    at_first = [weight for weight in weights if code.writer.name(weight) in elsewhere]
    code.writer.held.update(at_first)
    inserted = [(first, 2, at_first)]
    for start, end in code.fallback_lines:
        names = _names_in(code.lines[start:end])
        late = [weight for weight in weights if weight not in at_first and code.writer.name(weight) in names]
        level = len(code.lines[start]) - len(code.lines[start].lstrip())
        inserted.append((start, level // 4, late))
    for at, level, chosen in reversed(inserted):
        code.lines[at:at] = ["    " * level + lines[weight] for weight in chosen]
        code.nodes = {place + len(chosen) * (place >= at): node for place, node in code.nodes.items()}


def _load_line(code: FunctionCode, weight: Parameter) -> str:
    title = " ".join(weight.name.split())
    return f"{code.writer.name(weight)} = {code.writer.constant(weight.default)}._data  # {title}"


def _names_in(lines: Iterable[str]) -> set[str]:
    """The words of lines of code."""
    return {name for line in lines for name in _NAME.findall(line.partition("#")[0])}
