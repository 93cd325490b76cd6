"""Float16: conversions and numpy's functions to the bit; products and sums as MindSpore rounds them; their time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, kernels, nn, ops
from framework.kernels.loops import halves
from framework.kernels.loops.library import LOOPS

ALL = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
RNG = np.random.default_rng(5)


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request: pytest.FixtureRequest) -> Iterator[int]:
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=before)


def same_bits(one: Any, other: Any) -> bool:
    """Whether two arrays have the same numbers, or NaN, at each place, zeros with their signs."""
    if one.dtype == np.bool_:
        return bool((one == other).all())
    nan = np.isnan(one)
    same = (one == other) & (np.signbit(one) == np.signbit(other))
    return bool((nan == np.isnan(other)).all() and same[~nan].all())


def test_conversions_are_numpys() -> None:
    assert same_bits(halves.widened(ALL), ALL.astype(np.float32))
    with np.errstate(all="ignore"):
        x = RNG.integers(0, 1 << 32, 200_001, np.uint64).astype(np.uint32).view(np.float32)
        x = np.concatenate([x, (RNG.standard_normal(9999) * 10 ** RNG.uniform(-9, 6, 9999)).astype(np.float32)])
        assert same_bits(halves.narrowed(x), x.astype(np.float16))
        narrow = ms.bfloat16.numpy
        assert same_bits(halves.narrowed(x, narrow).astype(np.float32), x.astype(narrow).astype(np.float32))
        assert same_bits(halves.widened(x.astype(narrow)), x.astype(narrow).astype(np.float32))
    turned = ALL.reshape(16, 64, 64).transpose(2, 0, 1)
    assert same_bits(halves.widened(turned), turned.astype(np.float32))


@pytest.mark.parametrize("name", [*halves._TWO, *halves._COMPARED, *halves._ONE, *halves._ASKED])
def test_numpys_functions_are_the_same_to_the_bit(name: str) -> None:
    ufunc = getattr(np, name)
    a, b = RNG.choice(ALL, (2, 70_003))
    some = np.float16(2.5)
    pairs = [(a, b), (a, some), (some, b), (a[::2], b[::2]), (a[1:6], b[1:6])]
    cases = [(ufunc, pair[: ufunc.nin]) for pair in pairs]
    if name == "add":
        cases += [(np.add.reduce, (np.abs(a[:99]),)), (np.add.accumulate, (b[:99],)), (np.add.reduce, (a[:99, None],))]
    if name in ("maximum", "minimum"):
        numbers = a[np.isfinite(a) & (a != 0)]
        cases += [(ufunc.reduce, (numbers,)), (ufunc.reduce, (a,)), (ufunc.reduce, (numbers[:9],))]
    with np.errstate(all="ignore"):
        kernels.use("numpy", "halves")
        try:
            wanted = [np.asarray(function(*given)) for function, given in cases]
        finally:
            kernels.use("fast", "halves")
        for (function, given), expected in zip(cases, wanted, strict=True):
            assert same_bits(np.asarray(function(*given)), expected)


def test_comparisons_with_nan_raise_no_warning() -> None:
    x = np.full(100, np.nan, np.float16)
    assert not (x > 1).any()
    assert np.isnan(np.maximum(x, np.float16(1))).all()
    assert np.isnan(x.max())
    assert not np.isfinite(x).any()
    with pytest.warns(RuntimeWarning, match="overflow"):
        np.full(100, 6e4, np.float16) * np.float16(2)


def test_powers_are_those_of_float32_rounded() -> None:
    x = (np.abs(RNG.standard_normal(2000)) + 0.1).astype(np.float16)
    wanted = np.power(x.astype(np.float32), np.float32(3)).astype(np.float16)
    np.testing.assert_array_max_ulp(np.power(x, np.float16(3)), wanted, 1)


# What MindSpore 2.10 gives on the CPU, from the same inputs: 5000 ones, and sums that Float16 alone cannot hold.
def test_sums_and_products_are_mindspores(mode: int) -> None:
    ones, tenths = Tensor(np.ones((5000, 2)), ms.float16), Tensor(np.full((2, 5000), 0.1), ms.float16)
    assert ops.ReduceSum()(ones, 0).asnumpy().tolist() == [5000, 5000]
    assert float(ops.ReduceSum()(ones)) == 10000
    assert ops.ReduceMean()(ones, 0).asnumpy().tolist() == [1, 1]
    assert ops.BiasAddGrad()(ones).asnumpy().tolist() == [5000, 5000]
    assert ops.matmul(tenths, tenths.T).asnumpy().tolist() == [[49.96875] * 2] * 2
    assert float(ops.norm(ones)) == 100
    images = Tensor(np.ones((1, 512, 3, 3)), ms.float16)
    assert ops.conv2d(images, images).asnumpy().ravel().tolist() == [4608]
    # Running sums stay in Float16 there, too.
    assert ops.cumsum(ones, 0)[-1].asnumpy().tolist() == [2048, 2048]


PRODUCTS: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
    "matmul": (ops.matmul, ((70, 90), (90, 50))),
    "bmm": (ops.bmm, ((3, 20, 30), (3, 30, 25))),
    "einsum": (lambda a, b: ops.einsum("bik,bkj->bij", a, b), ((3, 20, 30), (3, 30, 25))),
    "addmm": (ops.addmm, ((20, 25), (20, 30), (30, 25))),
    "inner": (ops.inner, ((20, 30), (25, 30))),
    "outer": (ops.outer, ((40,), (50,))),
    "conv1d": (ops.conv1d, ((2, 8, 40), (6, 8, 3))),
    "conv2d": (ops.conv2d, ((2, 8, 12, 12), (6, 8, 3, 3))),
    "conv3d": (ops.conv3d, ((1, 4, 6, 6, 6), (5, 4, 3, 3, 3))),
    "adaptive_avg_pool2d": (lambda a: ops.adaptive_avg_pool2d(a, 3), ((2, 8, 12, 12),)),
}


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("kind", [ms.float16, ms.bfloat16], ids=str)
def test_products_are_those_of_float32_rounded(name: str, kind: Any, mode: int) -> None:
    function, shapes = PRODUCTS[name]
    given = [Tensor(RNG.standard_normal(shape), kind) for shape in shapes]
    wide = [item.float() for item in given]
    places = tuple(range(len(given)))

    def total(*inputs: Any) -> Any:
        return ops.cast(function(*inputs), ms.float32).sum()

    found = [function(*given), *as_tuple(ms.grad(total, places)(*given))]
    wanted = [function(*wide), *as_tuple(ms.grad(total, places)(*wide))]
    bits = 11 if kind is ms.float16 else 8
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype is kind
        exact = other.asnumpy()
        np.testing.assert_allclose(
            one.float().asnumpy(), exact, rtol=2.0 ** -(bits - 1), atol=1e-3 * np.abs(exact).max()
        )


def as_tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


RECURRENT = [(lambda: nn.LSTM(8, 6), 1, ms.float16, 1e-3), (lambda: nn.MultiheadAttention(8, 2), 3, ms.bfloat16, 1e-2)]


@pytest.mark.parametrize(("make", "count", "kind", "bound"), RECURRENT)
def test_recurrent_cells_and_attention_compute_in_them(
    make: Any, count: int, kind: Any, bound: float, mode: int
) -> None:
    network = make()
    given = [Tensor(RNG.standard_normal((3, 4, 8)), ms.float32) for _ in range(count)]
    wanted = network(*given)[0].asnumpy()
    found = network.to_float(kind)(*given)[0]
    np.testing.assert_allclose(found.float().asnumpy(), wanted, atol=bound)


@pytest.mark.skipif(LOOPS is None or not LOOPS.has_half_loops(), reason="numpy's own loops compute here")
def test_a_product_takes_at_most_a_few_times_that_of_float32() -> None:
    def seconds(kind: Any) -> float:
        a, b = Tensor(RNG.standard_normal((320, 256)), kind), Tensor(RNG.standard_normal((256, 512)), kind)
        found = []
        for _ in range(7):
            start = time.process_time()
            ops.matmul(a, b)
            found.append(time.process_time() - start)
        return min(found)

    # Twice as long is promised; 140 times is what numpy's loops take. Other programs do not count.
    assert seconds(ms.float16) < 8 * seconds(ms.float32)
