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


def test_owners_of_attributes_are_evaluated_once() -> None:
    results = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        try:
            results.append(programs.Counted()(programs.V))
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)
    same(*results)
    assert results[0][1].asnumpy() == 3.0


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


def prints(s: Any) -> Any:
    """Prints on several ways, and after its result is known."""
    doubled = s * 2
    print("a", s)  # noqa: T201
    print(f"b {doubled:.2f}")  # noqa: T201
    for i in range(2):
        print(i, s * i, sep="-", end="!\n")  # noqa: T201
    if s > 1:
        print("yes " + str(s))  # noqa: T201
    i = 0
    while i < doubled:
        print("round", i)  # noqa: T201
        i += 1
    return doubled


def test_what_is_printed_keeps_its_order(capsys: pytest.CaptureFixture[str]) -> None:
    prints(Tensor(2.0))
    wanted = capsys.readouterr().out
    ms.jit(prints)(Tensor(2.0))
    assert capsys.readouterr().out == wanted
    assert wanted.splitlines()[-1] == "round 3"


def raises(s: Any) -> Any:
    """Fails with a text that is known only when it runs."""
    if s > 1:
        raise ValueError(f"{s} is too much")
    assert s > -1, f"{s.ndim} dimensions"
    return s


def test_errors_are_raised_where_the_program_comes_to_them() -> None:
    compiled = ms.jit(raises)
    assert float(compiled(Tensor(0.0))) == 0.0
    with pytest.raises(ValueError, match=r"2\.0 is too much"):
        compiled(Tensor(2.0))
    with pytest.raises(AssertionError, match="0 dimensions"):
        compiled(Tensor(-2.0))


def raises_always(x: Any) -> Any:
    if x.shape == (2,):
        raise KeyError("two", 2)
    raise ValueError


@pytest.mark.parametrize(
    ("shape", "kind", "line"),
    [((2,), KeyError, 'raise KeyError("two", 2)'), ((3,), ValueError, "raise ValueError")],
)
def test_errors_that_are_known_while_compiling_show_the_line(
    shape: tuple[int, ...], kind: type[Exception], line: str
) -> None:
    with pytest.raises(kind) as eager:
        raises_always(Tensor(np.zeros(shape)))
    with pytest.raises(kind) as compiled:
        ms.jit(raises_always)(Tensor(np.zeros(shape)))
    assert compiled.value.args == eager.value.args
    assert line in compiled.value.__notes__[0]
    assert __file__ in compiled.value.__notes__[0]
