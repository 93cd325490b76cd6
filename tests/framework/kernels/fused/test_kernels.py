"""Generated kernels: what they check of their arrays, how they are kept, and what happens without a compiler."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from framework.common import threads
from framework.kernels.fused import Cluster, Input, Output, Step, compiling, kernel_of
from framework.kernels.fused.cluster import can_reduce

F = "float32"


def sum_of(shape: tuple[int, ...], *given: tuple[int, ...]) -> Cluster:
    """x + y for operands of these shapes."""
    inputs = tuple(Input(F, (1,) * (len(shape) - len(own)) + own, own) for own in given)
    return Cluster(shape, inputs, (Step("Add", F, (0, 1), F),), (Output(2),))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((3, 70), (70,)), ((3, 70), (3, 1)), ((3, 1), (1, 70)), ((2, 3, 37), (3, 1)), ((2, 3, 37), (2, 1, 37)),
        ((5,), ()), ((), ()), ((1, 1), (4, 1)), ((2, 1, 3, 1), (1, 5, 1, 19)),
    ],
)  # fmt: skip
def test_operands_are_repeated_as_numpy_does(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    x, y = (np.asarray(rng.standard_normal(shape, np.float32)) for shape in (one, other))
    wanted = np.asarray(x + y)
    made = np.empty_like(wanted)
    assert kernel_of(sum_of(wanted.shape, one, other))(x, y, made) is made
    np.testing.assert_array_equal(made, wanted)


def test_nothing_is_done_with_arrays_of_another_kind() -> None:
    kernel = kernel_of(sum_of((4, 6), (4, 6), (4, 6)))
    x, out = np.ones((4, 6), F), np.zeros((4, 6), F)
    others: list[Any] = [
        np.ones((6, 4), F).T, np.ones((4, 12), F)[:, ::2], np.ones((4, 6)), np.ones((4, 6), np.int32),
        np.ones((5, 6), F), np.ones((), F), np.float32(1.0), None, [1.0] * 24,
    ]  # fmt: skip
    for other in others:
        assert kernel(x, other, out) is None
        assert kernel(other, x, out) is None
    assert not out.any()
    assert kernel(x, x, out) is out
    assert (out == 2).all()


def test_any_length_and_rows_of_larger_arrays() -> None:
    kernel = kernel_of(sum_of((4, 6), (4, 6), (4, 6)))
    # Where shapes play no part, arrays of all lengths share a kernel.
    assert kernel is kernel_of(sum_of((5000,), (5000,), (5000,)))
    x = np.arange(1234, dtype=F)
    np.testing.assert_array_equal(kernel(x, x, np.empty_like(x)), x + x)
    # Rows need not lie one behind the other, their elements do.
    cut = Input(F, (9, 37), (9, 37), strided=True)
    cluster = Cluster((9, 37), (cut, cut), (Step("Mul", F, (0, 1), F),), (Output(2),))
    whole = np.random.default_rng(0).standard_normal((12, 80), np.float32)
    one, other, made = whole[::-1][:9, 3:40], whole[3:, 40:77], np.empty((9, 37), F)
    assert kernel_of(cluster)(one, other, made) is made
    np.testing.assert_array_equal(made, one * other)
    assert kernel_of(cluster)(whole[:9, :74:2], other, made) is None


def polynomials_of(shape: tuple[int, ...], *given: tuple[int, ...]) -> Cluster:
    """tanh(exp(x + y)), which goes through several vectors at a time."""
    cluster = sum_of(shape, *given)
    steps = (*cluster.steps, Step("Exp", F, (2,), F), Step("Tanh", F, (3,), F))
    return Cluster(shape, cluster.inputs, steps, (Output(4),))


@pytest.mark.parametrize(
    "length", [1, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 79, 80, 81, 127, 128, 129, 193, 257, 1000]
)
def test_every_element_is_computed_alike_wherever_it_stands(length: int) -> None:
    rng = np.random.default_rng(length)
    x, y, rows = (rng.standard_normal(size, np.float32) for size in (length, length, (3, length)))
    for one in (x, rows):
        kernel = kernel_of(polynomials_of(one.shape, one.shape, (length,)))
        made = np.full((one.size + 100,), 7, F)
        out = made[: one.size].reshape(one.shape)
        assert kernel(one, y, out) is out
        assert (made[one.size :] == 7).all()
        np.testing.assert_allclose(out, np.tanh(np.exp(np.float64(one) + y)), rtol=2e-6)
        # By itself, each gets the same bits.
        alone = np.empty(1, F)
        single = kernel_of(polynomials_of((1,), (1,), (1,)))
        for row, place in zip(np.atleast_2d(one), range(0, one.size, length), strict=True):
            for at in range(length):
                assert single(row[at : at + 1], y[at : at + 1], alone) is alone
                assert alone[0] == out.reshape(-1)[place + at]


def test_large_arrays_are_spread_over_threads() -> None:
    rng = np.random.default_rng(1)
    shapes: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((3_000_001,), (1,)), ((1001, 1501), (1501,))]
    for shape, other in shapes:
        x, y = rng.standard_normal(shape, np.float32), rng.standard_normal(other, np.float32)
        made = np.empty_like(x)
        assert kernel_of(sum_of(shape, shape, other))(x, y, made) is made
        np.testing.assert_array_equal(made, x + y)


def test_an_output_may_be_an_input() -> None:
    x, y = np.arange(1000, dtype=F), np.full(1000, 0.5, F)
    kernel = kernel_of(sum_of((1000,), (1000,), (1000,)))
    assert kernel(x, y, x) is x
    np.testing.assert_array_equal(x, np.arange(1000) + np.float32(0.5))


def test_references_are_counted() -> None:
    x, out = np.ones(3, F), np.empty(3, F)
    kernel = kernel_of(sum_of((3,), (3,), (3,)))
    before = sys.getrefcount(out), sys.getrefcount(x)
    for _ in range(100):
        kernel(x, x, out)
    assert (sys.getrefcount(out), sys.getrefcount(x)) == before


def test_threads_share_a_kernel() -> None:
    shape = (100_000,)
    kernel = kernel_of(sum_of(shape, shape, shape))
    outputs = [np.zeros(shape, F) for _ in range(4)]

    def run(out: np.ndarray[Any, Any]) -> None:
        for number in range(20):
            kernel(out, np.full(shape, number, F), out)

    threads = [threading.Thread(target=run, args=(out,)) for out in outputs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((out == 190).all() for out in outputs)


SCRIPT = """
import resource, sys
import numpy as np
from framework.kernels.fused import Cluster, Input, Output, Step, kernel_of
i = Input("float32", (5,), (5,))
# A disk that takes so much of a file and no more, if the command line says how much.
if sys.argv[1:]:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
k = kernel_of(Cluster((5,), (i,), (Step("Mul", "float32", (0, (3.0,)), "float32"),), (Output(1),)))
print(k(np.ones(5, np.float32), np.empty(5, np.float32)).sum())
"""


def in_a_process(directory: Path, *arguments: str) -> str:
    command = [sys.executable, "-c", SCRIPT, *arguments]
    root = Path(__file__).parents[4]
    # A process on a full disk would keep a part of each module that it compiles.
    environment = {compiling.VARIABLE: str(directory), "PATH": "", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=root, env=environment)
    return done.stdout.strip()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("how", ["sum", "mean"])
@pytest.mark.parametrize(("shape", "count"), [
    ((32, 128), 1), ((5, 7, 33), 2), ((4, 1, 16), 1), ((1000,), 1), ((8192,), 1), ((64, 10), 1), ((3, 200), 2),
    ((2,), 1), ((7, 2), 1), ((1, 1, 300), 3), ((2, 129), 1), ((2, 1023), 1), ((3, 7), 1), ((3, 8), 1),
])  # fmt: skip
def test_sums_over_the_last_axes_are_numpys(shape: tuple[int, ...], count: int, how: str, dtype: str) -> None:
    axes = tuple(range(len(shape) - count, len(shape)))
    outputs = Output(1, how, axes), Output(2), Output(2, how, axes, keeps=True), Output(0, how, axes)
    steps = Step("Mul", dtype, (0, 0), dtype), Step("Sub", dtype, (1, (0.5,)), dtype)
    cluster = Cluster(shape, (Input(dtype, shape, shape),), steps, outputs)
    x = np.random.default_rng(1).standard_normal(shape).astype(dtype)
    rows, kept = shape[: len(shape) - count], (*shape[: len(shape) - count], *(1,) * count)
    made = np.empty(rows, dtype), np.empty(shape, dtype), np.empty(kept, dtype), np.empty(rows, dtype)
    assert can_reduce(cluster)
    assert kernel_of(cluster)(x, *made) is made[-1]
    reduce = getattr(np, how)
    np.testing.assert_array_equal(made[0], reduce(x * x, axis=axes))
    np.testing.assert_array_equal(made[2], reduce(made[1], axis=axes, keepdims=True))
    np.testing.assert_array_equal(made[3], reduce(x, axis=axes))


@pytest.mark.parametrize("terms", [[-0.0] * 20, [np.inf, -np.inf], [1.0, np.nan] * 9, [3e38] * 3, [np.inf] * 40])
def test_sums_of_what_is_not_finite_and_of_zeros(terms: list[float]) -> None:
    x, made = np.asarray(terms, F), np.empty((), F)
    shape = x.shape
    cluster = Cluster(shape, (Input(F, shape, shape),), (), (Output(0, "sum", (0,)),))
    kernel_of(cluster)(x, made)
    with np.errstate(invalid="ignore", over="ignore"):
        wanted = x.sum()
    np.testing.assert_array_equal(made, wanted)
    assert np.signbit(made) == np.signbit(wanted) or np.isnan(wanted)


def test_sums_are_the_same_beside_other_steps_and_on_any_number_of_threads() -> None:
    shape = (600, 1009)
    inputs = (Input(F, shape, shape),)
    steps = tuple(Step(name, F, (place,), F) for place, name in enumerate(("Tanh", "Exp", "Tanh", "Exp")))
    x = np.random.default_rng(2).standard_normal(shape, np.float32)
    together, value, alone = np.empty(600, F), np.empty(shape, F), np.empty(600, F)
    kernel_of(Cluster(shape, inputs, steps, (Output(4, "sum", (1,)), Output(4))))(x, together, value)
    kernel_of(Cluster(shape, inputs, (), (Output(0, "sum", (1,)),)))(value, alone)
    np.testing.assert_array_equal(together, alone)
    threads.set_limit(1)
    try:
        kernel_of(Cluster(shape, inputs, steps, (Output(4, "sum", (1,)),)))(x, alone)
    finally:
        threads.set_limit(0)
    np.testing.assert_array_equal(together, alone)


def test_what_no_loop_goes_along_is_no_kernel() -> None:
    whole, row = Input(F, (4, 6, 8), (4, 6, 8)), Input(F, (1, 1, 8), (8,))
    add = (Step("Add", F, (0, 1), F),)
    assert can_reduce(Cluster((4, 6, 8), (whole, row), add, (Output(2, "sum", (2,)),)))
    for axes in ((1, 2), (1,), (0,), (0, 1, 2)):
        assert not can_reduce(Cluster((4, 6, 8), (whole, row), add, (Output(2, "sum", axes),)))
    assert not can_reduce(Cluster((4, 1), (Input(F, (4, 1), (4, 1)),), (), (Output(0, "sum", (1,)),)))


def test_kernels_are_kept_and_damaged_ones_are_made_anew(tmp_path: Path) -> None:
    assert in_a_process(tmp_path) == "15.0"
    (kept,) = (tmp_path / "kernels").iterdir()
    good = kept.read_bytes()
    kept.write_bytes(good[: len(good) // 2])
    assert in_a_process(tmp_path) == "15.0"
    assert kept.read_bytes() == good
    # What is there is used: it is not written again.
    kept.chmod(0o400)
    stamp = kept.stat().st_mtime_ns
    assert in_a_process(tmp_path) == "15.0"
    assert kept.stat().st_mtime_ns == stamp
    assert list((tmp_path / "kernels").iterdir()) == [kept]


def test_a_directory_that_cannot_be_written_is_no_obstacle(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    assert in_a_process(file) == "15.0"


def test_a_full_disk_is_no_obstacle_and_keeps_no_part_of_a_kernel(tmp_path: Path) -> None:
    assert in_a_process(tmp_path, "100") == "15.0"
    assert list((tmp_path / "kernels").iterdir()) == []
