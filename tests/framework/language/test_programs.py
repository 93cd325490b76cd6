"""What a user writes means the same in both modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor
from tests.framework.language import programs


@pytest.mark.parametrize(("program", "arguments"), programs.CASES, ids=[case[0].__name__ for case in programs.CASES])
def test_a_program_means_the_same_in_both_modes(program: Any, arguments: tuple[Any, ...]) -> None:
    compiled = ms.jit(program)
    for _ in range(2):
        same(compiled(*copied(arguments)), program(*copied(arguments)))


def same(first: Any, second: Any) -> None:
    """Check that two results are equal in kinds, types, shapes and elements."""
    assert type(first) is type(second)
    if isinstance(first, Tensor):
        assert (first.shape, first.dtype) == (second.shape, second.dtype)
        np.testing.assert_allclose(first.asnumpy(), second.asnumpy(), rtol=1e-4)
    elif isinstance(first, tuple | list):
        assert len(first) == len(second)
        for one, two in zip(first, second, strict=True):
            same(one, two)
    elif isinstance(first, dict):
        assert list(first) == list(second)
        same(list(first.values()), list(second.values()))
    else:
        assert first == second


def copied(item: Any) -> Any:
    """Arguments that a program may change."""
    if isinstance(item, tuple | list):
        return type(item)(map(copied, item))
    if isinstance(item, dict):
        return {key: copied(value) for key, value in item.items()}
    return Tensor(item.asnumpy().copy()) if isinstance(item, Tensor) else item
