"""Convolutions by oneDNN against the plain ones in Float64, for windows, groups and dimensions of all kinds."""

import threading

import numpy as np
import pytest

from framework.common import threads
from framework.kernels import convolution as plain
from framework.kernels import onednn
from framework.kernels.windows import Window

try:
    onednn.version()
except ImportError as error:
    pytest.skip(str(error), allow_module_level=True)

# Images, output channels, groups, window.
CASES = {
    "first of LeNet": ((4, 1, 12, 12), 6, 1, Window((5, 5))),
    "padded": ((2, 16, 8, 8), 16, 1, Window((3, 3), pads=(1, 1, 1, 1))),
    "more on one side": ((2, 3, 9, 7), 5, 1, Window((3, 2), (2, 1), (0, 2, 1, 0))),
    "same": ((2, 3, 9, 8), 4, 1, Window((3, 3), (2, 2), same=True)),
    "dilated": ((2, 4, 12, 12), 4, 1, Window((3, 3), (1, 1), (2, 2, 2, 2), (2, 2))),
    "in groups": ((2, 8, 7, 7), 12, 4, Window((3, 3))),
    "depthwise": ((2, 16, 8, 8), 16, 16, Window((3, 3), pads=(1, 1, 1, 1))),
    "one by one": ((2, 16, 8, 8), 32, 1, Window((1, 1), (2, 2))),
    "a line": ((2, 8, 1, 20), 4, 1, Window((1, 3))),
    "volumes": ((2, 3, 5, 6, 7), 4, 1, Window((2, 3, 3), (1, 2, 1), (0, 1, 1, 1, 0, 0), (1, 1, 1))),
    "volumes in groups": ((1, 4, 4, 4, 4), 4, 2, Window((2, 2, 2), (1, 1, 1), (0,) * 6, (1, 1, 1))),
}
RNG = np.random.default_rng(5)


def prepared(case: str) -> tuple:
    """Images, weights and a gradient of the output in Float64, rounded to Float32; window and groups."""
    shape, out_channels, group, window = CASES[case]
    weight = (out_channels, shape[1] // group, *window.kernel)
    made = (shape[0], out_channels, *window.out_sizes(*shape[2:]))
    x, w, dout = (RNG.standard_normal(size, np.float32).astype(np.float64) for size in (shape, weight, made))
    return x, w, dout, window, group


def compare(name: str, one: np.ndarray, other: np.ndarray, *others: object) -> None:
    """With numpy in Float64: each element within 2e-6 of the sum of its products' absolute values."""
    function = getattr(plain, name)
    wanted, most = function(np, one, other, *others), function(np, abs(one), abs(other), *others)
    made = getattr(onednn, name)(one.astype(np.float32), other.astype(np.float32), *others)
    assert made.dtype == np.float32
    assert made.shape == wanted.shape
    assert (abs(made - wanted) <= 2e-6 * most + 1e-30).all()


@pytest.mark.parametrize("case", CASES)
def test_onednn_computes_what_numpy_does(case: str) -> None:
    x, w, dout, window, group = prepared(case)
    compare("convolve", x, w, window, group)
    compare("convolve_input_grad", dout, w, x.shape, window, group)
    compare("convolve_filter_grad", dout, x, w.shape, window, group)


@pytest.mark.parametrize("is_strided", [False, True])
def test_the_result_is_where_it_is_wanted(is_strided: bool) -> None:
    x, w, _, window, group = prepared("padded")
    room = np.full((2, 16, 8, 16), 7, np.float32)
    out = room[..., ::2] if is_strided else room[..., :8].copy()
    x, w = x.astype(np.float32), w.astype(np.float32)
    assert onednn.convolve(x, w, window, group, out) is out
    np.testing.assert_array_equal(out, onednn.convolve(x, w, window, group))
    assert (room[..., 1::2] == 7).all()


def test_views_are_read_as_they_are_seen() -> None:
    x, w, _, window, _ = prepared("padded")
    x, w = x.astype(np.float32), w.astype(np.float32)
    turned = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    np.testing.assert_array_equal(onednn.convolve(turned, w, window), onednn.convolve(x, w, window))


def test_what_is_left_to_numpy() -> None:
    x, w, _, window, _ = prepared("padded")
    assert onednn.convolve(x, w, window) is NotImplemented
    assert onednn.convolve(x[:0].astype(np.float32), w.astype(np.float32), window) is NotImplemented


def test_the_number_of_threads_changes_nothing_but_the_order_of_sums() -> None:
    x, w = RNG.standard_normal((4, 32, 16, 16), np.float32), RNG.standard_normal((32, 32, 3, 3), np.float32)
    window, made = Window((3, 3)), []
    for count in (1, 2):
        threads.set_limit(count)
        try:
            made.append(onednn.convolve(x, w, window))
        finally:
            threads.set_limit(0)
    np.testing.assert_allclose(made[0], made[1], rtol=1e-5, atol=1e-4)


def test_several_callers_at_once_get_their_own_results() -> None:
    x, w, _, window, group = prepared("in groups")
    w = w.astype(np.float32)
    given = [(x * factor).astype(np.float32) for factor in range(1, 5)]
    alone = [onednn.convolve(images, w, window, group) for images in given]
    together: dict[int, list[np.ndarray]] = {}

    def call(place: int) -> None:
        together[place] = [onednn.convolve(given[place], w, window, group) for _ in range(50)]

    callers = [threading.Thread(target=call, args=(place,)) for place in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    for place, wanted in enumerate(alone):
        for made in together[place]:
            np.testing.assert_array_equal(made, wanted)
