"""Figures and how they are shown: a table for people, one JSON object a line for programs.

Every benchmark calls `run` with its measurements; `report.py` reads the JSON lines.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.measuring.machine import describe_machine


@dataclass(frozen=True)
class Figure:
    """One measured number, its target and what a peer needs for the same.

    Attributes:
        figure: short name, as `--only` takes it.
        what: what was measured, for people.
        unit: unit of `ours`, `peer` and `target`.
        ours: our number.
        target: upper limit (lower limit, if more is better); None without a target.
        peer: the peer's number, None where there is none to compare with, NaN where it did not finish.
        peer_name: program and version.
        peer_recorded: the peer was measured at another time and is quoted.
        more_is_better: whether a higher number is the better one.
        peer_missing: why the peer has no number, where it should have one.
    """

    figure: str
    what: str
    unit: str
    ours: float
    target: float | None = None
    peer: float | None = None
    peer_name: str = ""
    peer_recorded: bool = False
    more_is_better: bool = False
    peer_missing: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times better than the peer we are; below 1 we are worse."""
        if not self.peer or math.isnan(self.peer) or not self.ours:
            return None
        return self.ours / self.peer if self.more_is_better else self.peer / self.ours

    @property
    def ok(self) -> bool:
        """Whether the target is met; true where there is none."""
        if self.target is None:
            return True
        return self.ours >= self.target if self.more_is_better else self.ours <= self.target

    def to_json(self) -> str:
        """One line for programs."""
        keys = (
            "figure",
            "what",
            "unit",
            "ours",
            "peer",
            "peer_name",
            "peer_recorded",
            "peer_missing",
            "ratio",
            "target",
        )
        found = {key: getattr(self, key) for key in (*keys, "ok")}
        return json.dumps({key: _rounded(value) for key, value in found.items()})


@dataclass(frozen=True)
class Options:
    """What the command line asks for.

    Attributes:
        quick: measure less, in under a minute.
        only: leave out everything but this figure.
    """

    quick: bool
    only: str | None

    def wants(self, *figures: str) -> bool:
        """Whether one of these figures is asked for, by its name or by that of its group, as in `images/cpu`."""
        return self.only is None or self.only in {name for figure in figures for name in (figure, figure.split("/")[0])}

    def times(self, full: int, quick: int) -> int:
        """How often to repeat."""
        return quick if self.quick else full


Measurement = Callable[[Options], Sequence[Figure]]


def run(title: str, measurements: Mapping[Measurement, Sequence[str]], arguments: Sequence[str] | None = None) -> int:
    """Measures what the command line asks for and prints it.

    Args:
        title: what this benchmark is about, for `--help`.
        measurements: what can be measured, with the names of the figures that each gives.
        arguments: the command line; that of the process unless given.
    """
    names = [name for figures in measurements.values() for name in figures]
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--quick", action="store_true", help="a smaller version, in under a minute")
    parser.add_argument("--json", action="store_true", help="one JSON object per figure and line instead of a table")
    parser.add_argument("--only", choices=names, metavar="FIGURE", help=f"one figure of: {', '.join(names)}")
    given = parser.parse_args(arguments)
    options = Options(given.quick, given.only)
    figures: list[Figure] = []
    failed = 0
    for measure, promised in measurements.items():
        if not options.wants(*promised):
            continue
        try:
            found = [figure for figure in measure(options) if options.wants(figure.figure)]
        except Exception:
            # What was measured before, and what can be measured after it, is worth having.
            traceback.print_exc()
            failed = 1
            continue
        figures += found
        if given.json:
            print("\n".join(figure.to_json() for figure in found), flush=True)
    if not given.json:
        print(table(figures), flush=True)
    return failed


def table(figures: Sequence[Figure]) -> str:
    """Figures as people read them, the machine first."""
    rows: list[tuple[str, ...]] = [("figure", "what", "ours", "target", "", "peer", "times better")]
    rows += [_row(figure) for figure in figures]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([describe_machine(), "", *lines])


def _row(figure: Figure) -> tuple[str, ...]:
    recorded = ", recorded" if figure.peer_recorded else ""
    done = "not done" if figure.peer is None or math.isnan(figure.peer) else f"{number(figure.peer)} {figure.unit}"
    peer = "" if figure.peer is None else f"{done} ({figure.peer_name}{recorded})"
    if figure.peer is None and figure.peer_missing:
        peer = f"{figure.peer_missing} ({figure.peer_name})"
    target, verdict = "", ""
    if figure.target is not None:
        target = f"{'≥' if figure.more_is_better else '≤'} {number(figure.target)} {figure.unit}"
        verdict = "ok" if figure.ok else "MISSED"
    ratio = "" if figure.ratio is None else f"{figure.ratio:.1f}"
    return (figure.figure, figure.what, f"{number(figure.ours)} {figure.unit}", target, verdict, peer, ratio)


def number(value: float) -> str:
    """A number with three significant digits; of one that is none, that it could not be measured."""
    if math.isnan(value):
        return "not done"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _rounded(value: object) -> object:
    return float(f"{value:.4g}") if isinstance(value, float) else value


def median(values: Sequence[float]) -> float:
    """The middle of several measurements."""
    return statistics.median(values)


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which this share of the measurements lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def say(text: str) -> None:
    """Tells the person who waits how far it is; not part of the result."""
    print(text, file=sys.stderr, flush=True)
