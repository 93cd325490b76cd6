"""Where a program is cut over ranks: inference asks here, and `framework.parallel` answers.

A *region* is a function whose tensors are those of all ranks together: what gradients are taken of, or a whole program
without gradients. It is inferred with whole shapes; then it is rewritten for the parts of this rank.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from framework.communication.data_parallel import ranks_of_cut_operators
from framework.infer.evaluators.inference import Inference
from framework.ir.abstract import Abstract
from framework.ir.anf import FuncGraph, Node
from framework.ir.errors import InferenceError

__all__ = ["Cutting", "Decided", "GradientInsideError", "cut_by", "cutting"]


class GradientInsideError(Exception):
    """A program that was taken for a region takes gradients itself, so the regions are within it."""


class Decided(Protocol):
    """A region whose divisions are decided, and whose Parameters are cut."""

    def written(self, infer: Inference) -> FuncGraph:
        """The function for the parts of this rank."""


class Cutting(Protocol):
    """What `framework.parallel` does with regions."""

    def is_region(self, function: object) -> bool:
        """Whether a function without gradients is a region."""

    def whole(self, abstract: Abstract, position: int) -> Abstract:
        """The whole of which an argument of a region is this rank's part."""

    def decide(self, infer: Inference, graph: FuncGraph) -> Decided:
        """Decide how a region is divided, and cut its Parameters."""

    def parts(self, infer: Inference, function: Node, given: Sequence[Node], named: Mapping[str, Node]) -> Node:
        """The result of a region without gradients, for this rank's parts."""

    def explained(self, error: InferenceError) -> InferenceError:
        """An error in a region, with what its arguments were taken for."""


_load: Callable[[], Cutting] | None = None
_cutting: Cutting | None = None


def cut_by(load: Callable[[], Cutting]) -> None:
    """Say what cuts programs; it is loaded when the first one is."""
    global _load
    _load = load


def cutting() -> Cutting | None:
    """What cuts programs; None unless the parallel mode cuts operators and there are several ranks."""
    global _cutting
    if ranks_of_cut_operators() == 1 or _load is None:
        return None
    if _cutting is None:
        _cutting = _load()
    return _cutting
