"""Tables of runs: HTML in a notebook, plain text elsewhere. Names come from files, so HTML is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

_LONGEST = 48


def html_table(titles: Sequence[str], rows: Sequence[Sequence[Any]], left_out: int) -> str:
    """Returns a table as HTML, with a line about omitted rows."""
    if not rows:
        return "<p>no runs</p>"
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    body = "".join(f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in rows)
    rest = f"<p>{_rest(left_out)}</p>" if left_out > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def text_table(titles: Sequence[str], rows: Sequence[Sequence[Any]], left_out: int) -> str:
    """Returns a table as text in columns, with a line about omitted rows."""
    if not rows:
        return "no runs"
    cells = [list(titles), *([_shown(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]
    return "\n".join([*lines, _rest(left_out)] if left_out > 0 else lines)


def _rest(left_out: int) -> str:
    return f"and {left_out} more"


def _html_cell(value: Any) -> str:
    style = ' style="text-align:left"' if isinstance(value, str) else ""
    return f"<td{style}>{escape(_shown(value))}</td>"


def _shown(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    text = "".join(character if character.isprintable() else "�" for character in text)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
