"""The nodes that a watchpoint observes: resolves kinds, patterns and names to full names."""

from __future__ import annotations

import math
import re
from fnmatch import translate
from functools import lru_cache
from typing import Final

from debugging.tensors.step_nodes import StepNodes
from debugging.watch.problems import WatchError
from summaries.schema import debugger_pb2 as wire

__all__ = ["chosen", "fits", "matching", "nbytes_of"]

_LONGEST: Final = 500
_KINDS: Final = {
    "weight": (wire.WEIGHT,),
    "gradient": (wire.GRADIENT,),
    "activation": (wire.ACTIVATION,),
    "tensor": (wire.WEIGHT, wire.GRADIENT, wire.ACTIVATION, wire.OTHER, wire.INPUT, wire.STATE),
}


def matching(nodes: StepNodes, pattern: str) -> list[str]:
    """The full names that match a shell pattern.

    Raises:
        WatchError: The pattern is too long.
    """
    if len(pattern) > _LONGEST:
        raise WatchError(f"a pattern has at most {_LONGEST} characters, this one {len(pattern)}", "bad_pattern")
    is_match = _compiled(pattern).match
    return [node.full_name for node in nodes if is_match(node.full_name)]


@lru_cache(64)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))


def fits(node: wire.Node, targets: wire.Targets, sort: str) -> bool:
    """Whether a node that has only become known is a target: by its kind or a pattern, not by its name.

    Args:
        node: The node.
        targets: Of the watchpoint; if empty, all nodes of the sort.
        sort: The sort of tensor that the condition is for.
    """
    if node.kind not in _KINDS[sort]:
        return False
    if not (targets.kinds or targets.patterns or targets.nodes):
        return True
    return node.kind in targets.kinds or any(_compiled(one).match(node.full_name) for one in targets.patterns)


def chosen(nodes: StepNodes, targets: wire.Targets, sort: str) -> frozenset[str]:
    """The full names of the nodes that a watchpoint observes.

    Args:
        nodes: Of the step.
        targets: Of the watchpoint; if empty, all nodes of the sort.
        sort: The sort of tensor that the condition is for.

    Raises:
        WatchError: No target is of that sort.
    """
    allowed = {node.full_name for node in nodes if node.kind in _KINDS[sort]}
    if not (targets.kinds or targets.patterns or targets.nodes):
        return frozenset(allowed)
    found = {node.full_name for node in nodes if node.kind in targets.kinds}
    for pattern in targets.patterns:
        found.update(matching(nodes, pattern))
    found.update(targets.nodes)
    if not found & allowed:
        raise WatchError(f"no target is a {sort} of this network", "no_targets")
    return frozenset(found & allowed)


def nbytes_of(node: wire.Node) -> int:
    """The bytes of a node's outputs; unknown dimensions count as 1."""
    return sum(math.prod(max(1, dim) for dim in output.shape) * _width(output.dtype) for output in node.outputs)


def _width(dtype: str) -> int:
    """Bytes per element, from the name of the dtype."""
    digits = "".join(character for character in dtype if character.isdigit())
    return int(digits or 8) // 8
