"""The Cells around a node, as the exporter noted them: torch in a node's metadata, others in its name."""

from __future__ import annotations

import ast

from framework.schema.onnx_pb2 import Node

__all__ = ["scope_of"]

_TORCH = "pkg.torch.onnx.name_scopes"


def scope_of(node: Node) -> str:
    """The scope of a node, such as `encoder/layer0`, without its own name; empty if nothing tells it."""
    for entry in node.metadata_props:
        if entry.key == _TORCH:
            return _of_torch(entry.value)
    *around, _ = node.name.strip("/").split("/") if node.name else [""]
    return "/".join(part for part in around if part)


def _of_torch(text: str) -> str:
    """The innermost of the names that torch lists: `['', 'encoder', 'encoder.layer0', 'linear']`."""
    try:
        names = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return ""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or len(names) < 2:
        return ""
    around: str = names[-2]
    return around.replace(".", "/")
