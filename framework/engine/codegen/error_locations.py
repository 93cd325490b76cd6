"""Adds the user's source line to an error of a running program."""

from __future__ import annotations

from collections.abc import Mapping

from framework.ir.anf import CNode
from framework.ir.errors import GraphError
from framework.ops.primitive import Primitive

__all__ = ["error_at", "with_location"]


def with_location(error: Exception, file: str, nodes: Mapping[int, CNode]) -> Exception:
    """The error to raise for an error of a compiled program.

    Args:
        error: the error of a kernel or of Python.
        file: the file name of the program's code.
        nodes: by line of that code, the node that it runs.

    Returns:
        That of `error_at`.
    """
    node, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            node = nodes.get(trace.tb_lineno, node)
        trace = trace.tb_next
    return error if node is None else error_at(error, node)


def error_at(error: Exception, node: CNode) -> Exception:
    """What to raise for an error of a node.

    Args:
        error: as a kernel, or Python, raised it.
        node: what ran.

    Returns:
        An error of the same type that names the operator, the types of its inputs and the user's line, as in PyNative
        mode. An error of a type that cannot be created again gets a note with the line instead.
    """
    if isinstance(error, GraphError):
        return error
    place = "" if node.location is None else node.location.pointed()
    if isinstance(node.operator, Primitive) and type(error) in (TypeError, ValueError, IndexError):
        given = ", ".join(str(item.abstract) for item in node.arguments)
        return type(error)(f"{node.operator.name}({given}): {error}\n{place}".rstrip())
    if place:
        error.add_note(place)
    return error
