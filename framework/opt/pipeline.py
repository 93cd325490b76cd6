"""The order of the passes, and a dump after each.

`simplify` runs between two levels of differentiation. Without it, each level triples the size of the program.
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
    """Replace calls by bodies, and resolve tuples, choices and environments that this makes known."""
    return rewrite(root, (*INLINING, *TUPLES, *CONTROL, *ENVIRONMENT))


def inline_all(root: FuncGraph) -> int:
    """Like `inline`, but also for Cells with a backward function of their own, because differentiation is over."""
    rules = (*INLINING, *TUPLES, *CONTROL, *ENVIRONMENT)
    return rewrite(root, rules, keep=lambda graph: False)


def simplify_algebra(root: FuncGraph) -> int:
    """Remove sums with zero, products with one, transpositions that undo each other and the like."""
    return rewrite(root, (*ALGEBRAIC, *TUPLES))


def fold_constants(root: FuncGraph) -> int:
    """Compute what depends on constants alone."""
    return rewrite(root, (*FOLDING, *TUPLES, *CONTROL))


PASSES: Final[tuple[tuple[str, Pass], ...]] = (
    ("inline", inline_all),
    ("algebra", simplify_algebra),
    ("constants", fold_constants),
    ("cse", share_expressions),
)
"""The passes of `optimize`. They run in this order, again and again until none of them changes anything."""


def simplify(root: FuncGraph) -> None:
    """Apply all rules until none applies."""
    rules = (*INLINING, *TUPLES, *CONTROL, *ENVIRONMENT, *ALGEBRAIC, *FOLDING)
    while rewrite(root, rules) + share_expressions(root):
        pass


def optimize(root: FuncGraph, after: Callable[[str, FuncGraph], None] | None = None) -> Counter[str]:
    """Run the passes, then insert recomputation for marked Cells, then mark clusters for fusion.

    Args:
        root: the program, which is changed.
        after: called after each pass that changed something, with its name and the program.

    Returns:
        The number of changes of each pass.
    """
    changes: Counter[str] = Counter()
    before = -1
    while changes.total() > before:
        before = changes.total()
        for name, run in PASSES:
            changes[name] += run_pass(root, name, run, after)
    # After the last `cse`, which would merge the second computation with the first.
    changes["recompute"] += run_pass(root, "recompute", recompute, after)
    changes["fusion"] += run_pass(root, "fusion", mark_fusion, after)
    return changes


def run_pass(root: FuncGraph, name: str, run: Pass, after: Callable[[str, FuncGraph], None] | None = None) -> int:
    """Run one pass, and call `after` if it changed something."""
    changed = run(root)
    if after is not None and changed:
        after(name, root)
    return changed
