"""Which nodes a watchpoint looks at: kinds, patterns and names to full names."""

from __future__ import annotations

import math
import re
from fnmatch import translate
from typing import Final

from framework.debugger.tensors.step_nodes import StepNodes
from framework.debugger.watch.problems import WatchError
from summaries.schema import debugger_pb2 as wire

__all__ = ["chosen", "matching", "nbytes_of"]

_LONGEST: Final = 500
_KINDS: Final = {
    "weight": (wire.WEIGHT,),
    "gradient": (wire.GRADIENT,),
    "activation": (wire.ACTIVATION,),
    "tensor": (wire.WEIGHT, wire.GRADIENT, wire.ACTIVATION, wire.OTHER, wire.INPUT, wire.STATE),
}


def matching(nodes: StepNodes, pattern: str) -> list[str]:
    """The full names that a shell's pattern fits.

    Raises:
        WatchError: it is too long.
    """
    if len(pattern) > _LONGEST:
        raise WatchError(f"a pattern has at most {_LONGEST} characters, this one {len(pattern)}", "bad_pattern")
    fits = re.compile(translate(pattern)).match
    return [node.full_name for node in nodes if fits(node.full_name)]


def chosen(nodes: StepNodes, targets: wire.Targets, sort: str) -> frozenset[str]:
    """The full names of what a watchpoint looks at.

    Args:
        nodes: of the step.
        targets: what the watchpoint says; where it names nothing, everything that its condition is for.
        sort: what the condition is for.

    Raises:
        WatchError: nothing of that sort is among what is named.
    """
    allowed = {node.full_name for node in nodes if node.kind in _KINDS[sort]}
    if not (targets.kinds or targets.patterns or targets.nodes):
        return frozenset(allowed)
    found = {node.full_name for node in nodes if node.kind in targets.kinds}
    for pattern in targets.patterns:
        found.update(matching(nodes, pattern))
    found.update(targets.nodes)
    if not found & allowed:
        raise WatchError(f"nothing that is named is a {sort} of this network", "no_targets")
    return frozenset(found & allowed)


def nbytes_of(node: wire.Node) -> int:
    """The bytes of what a node makes, as far as its shapes are known before it runs."""
    return sum(math.prod(max(1, dim) for dim in output.shape) * _width(output.dtype) for output in node.outputs)


def _width(dtype: str) -> int:
    """Bytes of an element, by the name of its type."""
    digits = "".join(character for character in dtype if character.isdigit())
    return int(digits or 8) // 8
