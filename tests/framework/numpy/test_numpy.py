"""`framework.numpy` against MindSpore 2.10's recorded results, against numpy, and with gradients; in both modes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import framework as ms
import framework.numpy as np
from framework import Tensor
from tests.framework.numpy.record import FILE, names, plain

RECORDED: dict[str, Any] = json.loads(FILE.read_text())
GIVEN = names(ms, np)


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, float) and isinstance(theirs, float):
        return bool(numpy.isclose(ours, theirs, rtol=2e-5, atol=1e-6, equal_nan=True))
    return type(ours) is type(theirs) and bool(ours == theirs)


def test_results_are_mindspores() -> None:
    assert len(RECORDED) > 350
    ours = {expression: plain(eval(expression, dict(GIVEN))) for expression in RECORDED}  # noqa: S307
    assert {key: (item, RECORDED[key]) for key, item in ours.items() if not same(item, RECORDED[key])} == {}


def test_compiled_results_are_mindspores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Every twentieth expression: compiling takes most of the time.
    chosen = [key for key in list(RECORDED)[::20] if "bincount" not in key and "array_str" not in key]
    tensors = [name for name, value in GIVEN.items() if isinstance(value, Tensor)]
    lines = [f"def e{place}({', '.join(tensors)}):\n    return {key}\n" for place, key in enumerate(chosen)]
    head = "import framework as ms\nimport framework.numpy as np\nfrom framework import Tensor\ninf = float('inf')\n"
    (tmp_path / "expressions_of_numpy.py").write_text(head + "\n".join(lines))
    monkeypatch.syspath_prepend(str(tmp_path))
    import expressions_of_numpy as module  # type: ignore[import-not-found]

    for place, key in enumerate(chosen):
        compiled = ms.jit(getattr(module, f"e{place}"))
        got = plain(compiled(*[GIVEN[name] for name in tensors]))
        assert same(got, RECORDED[key]), (key, got, RECORDED[key])


X = numpy.array([[0.5, -1.5, 2.0], [3.0, 0.25, -0.75]], numpy.float32)
#: Functions whose gradients are compared with central differences in float64.
DIFFERENTIABLE: list[Callable[[Any], Any]] = [
    lambda x: np.cbrt(x) + np.square(x) * np.exp2(x),
    lambda x: np.concatenate((np.flip(x, 1), np.roll(x, 1), np.tile(x, (2, 1)))) * np.vander(np.arange(1, 4.0))[0],
    lambda x: np.pad(x, ((1, 2), (2, 1)), "reflect") * np.pad(x, ((1, 2), (2, 1)), "linear_ramp", end_values=3),
    lambda x: np.norm(x, axis=1) + np.norm(x, 3, 1) + np.std(x, 1) * np.average(x, 1, weights=np.array([1.0, 2, 4])),
    lambda x: np.where(x > 0, np.cumsum(x, 1), np.repeat(np.amax(x, 1, keepdims=True), 3, axis=1)),
    lambda x: np.take_along_axis(x, np.array([[2, 0], [1, 1]]), 1) @ np.outer(x[0, :2], x[1, :2]),
    lambda x: np.kron(x, x[:1]) + np.cross(x, x[::-1]).sum() + np.interp(x, [-2.0, 0, 4], [1.0, 5, 2]).sum(),
    lambda x: np.gradient(x, axis=1) * np.convolve(x[0], x[1], "same") + np.logaddexp2(x, 1.0) + np.cov(x).sum(),
]


@pytest.mark.parametrize("function", DIFFERENTIABLE)
@pytest.mark.parametrize("compiled", [False, True])
def test_gradients(function: Callable[[Any], Any], compiled: bool) -> None:
    def total(x: Any) -> Any:
        out = function(x)
        return (out * out).sum()

    gradient = ms.grad(total)
    got = (ms.jit(gradient) if compiled else gradient)(Tensor(X.astype(numpy.float64)))
    want = numpy.zeros(X.shape)
    for place in numpy.ndindex(*X.shape):
        ends = [X.astype(numpy.float64) for _ in range(2)]
        ends[0][place] += 1e-5
        ends[1][place] -= 1e-5
        want[place] = (total(Tensor(ends[0])).item() - total(Tensor(ends[1])).item()) / 2e-5
    numpy.testing.assert_allclose(got.asnumpy(), want, rtol=2e-3, atol=1e-3)


def test_statistics_of_whole_numbers_are_not_cut() -> None:
    # MindSpore 2.10 cuts the mean on the way: it gives 1.78 for the first and 3 for the second.
    whole = Tensor([[1, 2, 3], [4, 5, 6]], ms.int32)
    assert np.std(whole).item() == pytest.approx(1.7078251, abs=1e-6)
    assert np.mean(whole, dtype=np.float32).item() == 3.5


def test_random_numbers_repeat_themselves_and_have_their_types() -> None:
    drawn = []
    for _ in range(2):
        ms.set_seed(5)
        drawn.append([np.rand(2, 3), np.randn(4, dtype=np.float16), np.randint(3, 5, (50,))])
    assert [item.dtype for item in drawn[0]] == [ms.float32, ms.float16, ms.int32]
    assert [item.asnumpy().tolist() for item in drawn[0]] == [item.asnumpy().tolist() for item in drawn[1]]
    assert set(drawn[0][2].asnumpy().tolist()) == {3, 4}
    assert (np.rand().shape, np.randint(5).shape) == ((1,), (1,))


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: np.clip(X, None, None), "give at least one limit"),
    (lambda: np.split(np.arange(5), 2), "a length of 5 cannot be split into 2 equal parts"),
    (lambda: np.pad(np.arange(3), 1, "mirror"), "mode must be one of edge, reflect"),
    (lambda: np.norm(np.ones((2, 2)), 3), "the order of a matrix norm must be"),
    (lambda: np.where(np.arange(3) > 1), "x and y are required"),
    (lambda: np.broadcast_arrays(np.ones(2), np.ones(3)), "cannot be broadcast together"),
    (lambda: np.meshgrid(np.ones(2), indexing="yx"), "indexing must be xy or ij"),
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case[1])
def test_arguments_are_checked(case: tuple[Callable[[], Any], str]) -> None:
    with pytest.raises(ValueError, match=case[1]):
        case[0]()


def test_indices_along_an_axis_broadcast() -> None:
    random = numpy.random.default_rng(1)
    x, places = random.integers(0, 9, (4, 5, 1, 2)), random.integers(0, 5, (4, 3, 3, 1))
    found = np.take_along_axis(Tensor(x), Tensor(places), 1)
    numpy.testing.assert_array_equal(found.asnumpy(), numpy.take_along_axis(x, places, 1))


@pytest.mark.parametrize("axis", range(-3, 3))
def test_functions_of_rows_may_give_matrices(axis: int) -> None:
    x = numpy.random.default_rng(2).integers(0, 9, (5, 3, 7))
    found = np.apply_along_axis(np.diag, axis, Tensor(x))
    numpy.testing.assert_array_equal(found.asnumpy(), numpy.apply_along_axis(numpy.diag, axis, x))
