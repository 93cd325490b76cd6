"""A pipeline as MindSpore's JSON: `op_type`, `children`, `sampler` and parameters, with keys in alphabetical order."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from framework.dataset.ir.nodes import Node, SamplerNode
from framework.dataset.ir.python_functions import import_path

__all__ = ["operation_json", "pipeline_json", "sampler_json"]

#: MindSpore's number of the shuffle mode of all rows.
_ALL_ROWS = 2


def pipeline_json(node: Node) -> dict[str, Any]:
    """The JSON of the pipeline that ends in a node; Python functions are represented by their names."""
    out: dict[str, Any] = {
        "op_type": node.op_type,
        "children": [pipeline_json(child) for child in node.children],
        **node.parameters,
    }
    # MindSpore does not write the sampler of a Python source, and that of files of lines is in their parameters.
    hidden = node.op_type == "GeneratorDataset" or (node.sampler and node.sampler.sampler_name == "FilesSampler")
    if node.sampler is not None and not hidden:
        out["sampler"] = sampler_json(node.sampler)
    if node.op_type == "Map":
        out["operations"] = [operation_json(operation) for operation in node.operations]
    return dict(sorted(out.items()))


def sampler_json(sampler: SamplerNode) -> dict[str, Any]:
    """The JSON of a sampler, with its child under `child_sampler`."""
    out: dict[str, Any] = {"sampler_name": sampler.sampler_name, **sampler.parameters}
    if sampler.sampler_name == "RandomSampler":
        out["shuffle_mode"] = _ALL_ROWS
    elif sampler.sampler_name == "DistributedSampler":
        out.update(shuffle_mode=_ALL_ROWS if out.pop("shuffle") else 0, even_dist=True, seed=0)
    if sampler.child is not None:
        out["child_sampler"] = [sampler_json(sampler.child)]
    return dict(sorted(out.items()))


def operation_json(operation: Callable[..., Any]) -> dict[str, Any]:
    """The JSON of a transform: its name and parameters. Any other callable has its name, and its import path."""
    to_json = getattr(operation, "to_json", None)
    if to_json is not None:
        description = to_json()
        return dict(json.loads(description) if isinstance(description, str) else description)
    name = getattr(operation, "__name__", type(operation).__name__)
    path = import_path(operation)
    own = {} if path is None else {"python": path}
    return {"is_python_front_end_op": True, **own, "tensor_op_name": name}
