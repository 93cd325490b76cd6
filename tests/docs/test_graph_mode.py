"""What the page on graph mode says of each construct is what happens."""

from __future__ import annotations

import importlib.util
import logging
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor
from framework.ir.errors import GraphError

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "graph-mode.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip().strip("|").split(" | ")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith(("| construct", "| needs Python"))
]

HEAD = """\
import contextlib
import functools
import math
import operator
import random
from collections import namedtuple
import numpy as np
import framework as ms

Pair = namedtuple("Pair", "x y")
WEIGHT = ms.Parameter(ms.Tensor([0.5, -1.0, 2.0]), name="WEIGHT")

"""


def program(code: str, folder: Path) -> Any:
    """The function whose body is on the page, in a file of its own, since graph mode reads files."""
    body = code.strip("`")
    compound = re.match(r"(try: .*?); (finally: .*)$", body) or re.match(r"(with .*?); (return .*)$", body)
    lines = list(compound.groups()) if compound else split(body)
    text = HEAD + "def program(x):\n    " + "\n    ".join(lines)
    file = folder / "page.py"
    file.write_text(text + "\n")
    spec = importlib.util.spec_from_file_location("page", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.program


def split(body: str) -> list[str]:
    """The statements of a line; a loop takes one with it."""
    head, _, rest = body.partition("; ")
    return [head, *(split(rest) if rest else [])]


def argument() -> Tensor:
    """The tensor of the page."""
    return Tensor(np.array([1.0, 2.0, 3.0], np.float32))


@pytest.mark.parametrize("row", [row for row in ROWS if len(row) == 2], ids=lambda row: row[0])
def test_what_is_supported_is_the_same_in_both_modes(row: list[str], tmp_path: Path) -> None:
    function = program(row[1], tmp_path)
    wanted = function(argument())
    np.testing.assert_allclose(ms.jit(function)(argument()).asnumpy(), wanted.asnumpy(), rtol=1e-5)


@pytest.mark.parametrize("row", [row for row in ROWS if len(row) == 3], ids=lambda row: row[0])
def test_what_is_refused_is_pointed_at(row: list[str], tmp_path: Path) -> None:
    with pytest.raises(GraphError, match=re.escape(row[2])) as caught:
        ms.jit(program(row[1], tmp_path))(argument())
    assert "page.py" in str(caught.value)
    assert "^" in str(caught.value)


@pytest.mark.parametrize("row", [row for row in ROWS if len(row) == 4], ids=lambda row: row[0])
def test_what_runs_line_by_line_is_told(row: list[str], tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    function = program(row[1], tmp_path)
    wanted = function(argument())
    with caplog.at_level(logging.WARNING, logger="framework"):
        np.testing.assert_allclose(ms.jit(function)(argument()).asnumpy(), wanted.asnumpy(), rtol=1e-5)
    (record,) = caplog.records
    assert row[2] in record.getMessage()
    assert "page.py" in record.getMessage()
    with pytest.raises(GraphError, match=re.escape(row[2])):
        ms.jit(function, fullgraph=True)(argument())


def test_all_tables_are_read() -> None:
    assert [sum(len(row) == size for row in ROWS) for size in (2, 3, 4)] == [34, 10, 10]
