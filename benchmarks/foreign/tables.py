"""Counts of outcomes by cause, and what stops programs most often, as Markdown."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence

from benchmarks.foreign.causes import FAILURES, Cause, Outcome
from benchmarks.foreign.families import MOST_RATIO

KINDS = {
    "families": "families of models, 3 steps in both modes",
    "networks": "networks of the model zoo, 3 steps in both modes",
    "values": "output and gradients as in the reference",
    "names": "directories of models, names that resolve",
    "blocks": "blocks of code of tutorials",
    "unit tests": "unit tests of MindSpore",
    "system tests": "system tests of MindSpore for the CPU",
}


def counts(outcomes: Sequence[Outcome]) -> str:
    """A row for each kind of program and checkout: how many pass, and how many fail for which cause."""
    heads = ["programs", "checkout", "in scope", "passed", "%", *FAILURES, Cause.OUTSIDE]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for kind, title in KINDS.items():
        for program in sorted({one.program for one in outcomes if one.kind == kind}):
            found = Counter(one.cause for one in outcomes if one.kind == kind and one.program == program)
            scope = sum(found.values()) - found[Cause.OUTSIDE]
            share = f"{100 * found[Cause.PASSED] / scope:.0f}" if scope else ""
            cells = [title, program, scope, found[Cause.PASSED], share, *(found[cause] for cause in FAILURES)]
            lines.append("| " + " | ".join(str(cell) for cell in [*cells, found[Cause.OUTSIDE]]) + " |")
    return "\n".join(lines)


def speed(outcomes: Sequence[Outcome]) -> str:
    """How a compiled step compares with one line by line; empty where nothing was trained."""
    ratios = {one.case: one.more["ratio"] for one in outcomes if "ratio" in one.more}
    if not ratios:
        return ""
    slow = sorted((ratio, name) for name, ratio in ratios.items() if ratio > MOST_RATIO)
    told = ", ".join(f"{name} {ratio:.2f}" for ratio, name in reversed(slow)) or "none"
    middle, worst = statistics.median(ratios.values()), max(ratios.values())
    return (
        f"A compiled step takes {middle:.2f} times the processor time of one line by line (median of {len(ratios)} "
        f"networks; worst {worst:.2f}); above {MOST_RATIO}: {told}."
    )


def ranked(outcomes: Sequence[Outcome], most: int) -> str:
    """What stops programs, the most frequent first."""
    reasons: Counter[tuple[str, str, str]] = Counter()
    for one in outcomes:
        if one.cause in FAILURES:
            for reason in one.more.get("missing", [one.what]):
                reasons[one.kind, one.cause, reason] += 1
    lines = ["| cases | programs | cause | what |", "|---|---|---|---|"]
    for (kind, cause, reason), count in reasons.most_common(most):
        escaped = reason.replace("|", "\\|").replace("\n", " ")
        lines.append(f"| {count} | {kind} | {cause} | {escaped} |")
    return "\n".join(lines)
