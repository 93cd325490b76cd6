"""The order of passes, and the dumps after each.

`simplify` is what runs between two levels of differentiation: without it each level triples the program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from framework.ir.anf import FuncGraph
from framework.opt.cse import share_expressions
from framework.opt.fusion.marks import mark_fusion
from framework.opt.recompute import recompute
from framework.opt.rewrite import rewrite
from framework.opt.rules import ALGEBRAIC, CONTROL, ENVIRONMENT, FOLDING, INLINING, TUPLES

__all__ = ["PASSES", "optimize", "simplify"]

Pass = Callable[[FuncGraph], int]


def inline(root: FuncGraph) -> int:
    """Calls become bodies, and what that makes plain of tuples, choices and environments is resolved."""
    return rewrite(root, (*INLINING, *TUPLES, *CONTROL, *ENVIRONMENT))


def inline_all(root: FuncGraph) -> int:
    """As `inline`, for Cells with a backward function of their own as well: differentiation is over."""
    rules = (*INLINING, *TUPLES, *CONTROL, *ENVIRONMENT)
    return rewrite(root, rules, keep=lambda graph: False)


def simplify_algebra(root: FuncGraph) -> int:
    """Sums with zero, products with one, transpositions that undo each other."""
    return rewrite(root, (*ALGEBRAIC, *TUPLES))


def fold_constants(root: FuncGraph) -> int:
    """What depends on constants alone is computed now."""
    return rewrite(root, (*FOLDING, *TUPLES, *CONTROL))


PASSES: Final[tuple[tuple[str, Pass], ...]] = (
    ("inline", inline_all),
    ("algebra", simplify_algebra),
    ("constants", fold_constants),
    ("cse", share_expressions),
)
"""The passes of `optimize`, which are run in this order as long as one of them changes something."""


def simplify(root: FuncGraph) -> None:
    """Run all rules until none applies."""
    rules = (*INLINING, *TUPLES, *CONTROL, *ENVIRONMENT, *ALGEBRAIC, *FOLDING)
    while rewrite(root, rules) + share_expressions(root):
        pass


def optimize(root: FuncGraph, after: Callable[[str, FuncGraph], None] | None = None) -> Counter[str]:
    """Run the passes, compute again what is not to be kept, and mark what could be fused.

    Args:
        root: the program, which is changed.
        after: called with each pass's name and the program after it.

    Returns:
        How much each pass changed.
    """
    changes: Counter[str] = Counter()
    before = -1
    while changes.total() > before:
        before = changes.total()
        for name, run in PASSES:
            changes[name] += run_pass(root, name, run, after)
    # Behind the last search for common expressions, which would find the second computation to be the first.
    changes["recompute"] += run_pass(root, "recompute", recompute, after)
    changes["fusion"] += run_pass(root, "fusion", mark_fusion, after)
    return changes


def run_pass(root: FuncGraph, name: str, run: Pass, after: Callable[[str, FuncGraph], None] | None = None) -> int:
    """Run one pass and tell of it, if it changed something."""
    changed = run(root)
    if after is not None and changed:
        after(name, root)
    return changed
