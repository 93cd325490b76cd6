"""Writes tables of a dump: its graphs, and sums of statistics. `analyzer.py` calls it."""

from __future__ import annotations

import csv
import importlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from debugging.dumps.dump import Rank
from debugging.dumps.program import Program
from debugging.dumps.tables import StatisticRow

__all__ = ["export_graph", "write_summary"]

_HEAD: Final = ("Name", "Type", "Order", "Inputs", "Output shapes", "Attributes", "Stack")
_SUMMARY: Final = (
    "op_type", "op_name", "tensor_name", "total_number", "inf_number", "nan_number", "out_of_range_number",
    "none_overflow_number", "total_iterations",
)  # fmt: skip


def export_graph(rank: Rank, graph: int, folder: Path) -> Path:
    """Write a graph, one node a row: an Excel workbook if openpyxl is installed, a CSV file otherwise.

    Returns:
        The written file.
    """
    rows = list(_rows(rank.programs[graph]))
    path = folder / f"rank_{rank.number}_graph_{graph}"
    try:
        workbooks: Any = importlib.import_module("openpyxl")
    except ModuleNotFoundError:
        written = path.with_suffix(".csv")
        with written.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([_HEAD, *rows])
        return written
    book = workbooks.Workbook(write_only=True)
    sheet = book.create_sheet(f"graph_{graph}")
    for row in (_HEAD, *rows):
        sheet.append(list(row))
    written = path.with_suffix(".xlsx")
    book.save(written)
    return written


def _rows(program: Program) -> Iterable[Sequence[Any]]:
    places = {name: place for place, name in enumerate(program.order)}
    for name in program.parameters:
        yield name, "Parameter", "", "", "", "", ""
    for node in program.nodes.values():
        inputs = [f"{item.name}:{item.slot}" if item.name is not None else "constant" for item in node.inputs]
        attributes = [f"{name}={value}" for name, value in node.attributes.items()]
        yield (
            node.full_name, node.type, places.get(node.full_name, ""), "; ".join(inputs),
            "; ".join("" if shape is None else str(shape) for shape in node.shapes), "; ".join(attributes),
            "\n".join(map(str, node.stack)),
        )  # fmt: skip


def write_summary(statistics: Iterable[tuple[int, int, StatisticRow]], overflow_value: float, folder: Path) -> Path:
    """Write `statistics_summary.csv`: for each tensor, in how many iterations and ranks it was not in range.

    Args:
        statistics: Rank, iteration and row.
        overflow_value: Absolute value from which an extreme is out of range.
        folder: Where to write it.
    """
    counts: dict[tuple[str, str, str], list[int]] = {}
    iterations: dict[tuple[str, str, str], set[int]] = {}
    for _, iteration, row in statistics:
        key = row.op_type, row.op_name, row.tensor_name
        found = counts.setdefault(key, [0] * 5)
        has_inf = bool(row.negative_inf_count or row.positive_inf_count) or any(
            value in (float("inf"), float("-inf")) for value in (row.max_value, row.min_value)
        )
        has_nan = bool(row.nan_count) or any(
            value is not None and value != value for value in (row.max_value, row.min_value, row.avg_value)
        )
        extremes = [abs(value) for value in (row.max_value, row.min_value) if value is not None]
        is_out = any(overflow_value <= value < float("inf") for value in extremes)
        for place, holds in enumerate((True, has_inf, has_nan, is_out, not (has_inf or has_nan or is_out))):
            found[place] += holds
        iterations.setdefault(key, set()).add(iteration)
    path = folder / "statistics_summary.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(_SUMMARY)
        writer.writerows([*key, *found, len(iterations[key])] for key, found in counts.items())
    return path
