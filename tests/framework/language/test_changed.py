"""A compiled program refuses what would make its result another one than Python's."""

from __future__ import annotations

from typing import Any

import pytest

import framework as ms
from framework import Tensor, nn
from framework.ir.errors import GraphError
from tests.framework.language import changed


@pytest.mark.parametrize(("program", "told"), changed.REFUSED, ids=lambda item: getattr(item, "__name__", None))
def test_a_change_that_something_else_would_see_is_refused(program: Any, told: str) -> None:
    with pytest.raises(GraphError, match=told) as caught:
        ms.jit(program)(Tensor(2.0))
    assert f'File "{changed.__file__}", line ' in str(caught.value)
    assert "^" in str(caught.value)
    assert changed.ITEMS == [1]
    assert changed.TABLE == {}
    if isinstance(program, nn.Cell):
        assert program.items == []
