"""Products of matrices by oneDNN against numpy in Float64: matrices and batches as they lie in memory."""

import numpy as np
import pytest

from framework.kernels import onednn

try:
    onednn.version()
except ImportError as error:
    pytest.skip(str(error), allow_module_level=True)

RNG = np.random.default_rng(9)


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape, np.float32)


HEADS = floats(2, 80, 3, 4, 33).transpose(2, 0, 3, 1, 4)
PAIRS = {
    "by rows": (floats(140, 90), floats(90, 100)),
    "by columns": (floats(90, 140).T, floats(100, 90).T),
    "parts of rows": (floats(140, 110)[:, 7:97], floats(90, 199)[:, :100]),
    "a row": (floats(1, 1100), floats(1100, 1000)),
    "batches": (floats(2, 3, 62, 70), floats(2, 3, 70, 50)),
    "batches by columns": (floats(6, 70, 62).swapaxes(1, 2), floats(6, 50, 70).swapaxes(1, 2)),
    "heads of attention": (HEADS[0], HEADS[1].swapaxes(-1, -2)),
}


@pytest.mark.parametrize("case", PAIRS)
def test_products_are_numpys(case: str) -> None:
    a, b = PAIRS[case]
    wide = a.astype(np.float64), b.astype(np.float64)
    made = onednn.matmul(a, b)
    assert (abs(made - np.matmul(*wide)) <= 1e-6 * np.matmul(*map(abs, wide))).all()
    out = np.full((*made.shape[:-1], made.shape[-1] + 3), 7, np.float32)
    assert np.shares_memory(onednn.matmul(a, b, out[..., :-3]), out)
    np.testing.assert_array_equal(out[..., :-3], made)
    assert (out[..., -3:] == 7).all()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (floats(2, 3), floats(3, 4)),
        (floats(400, 50), floats(51, 60)),
        (floats(400, 100)[:, ::2], floats(50, 60)),
        (floats(400, 50).astype(np.float64), floats(50, 60)),
        (floats(2, 400, 50), floats(50, 60)),
    ],
    ids=["small", "sizes that do not meet", "every other column", "Float64", "broadcast"],
)
def test_what_is_left_to_numpy(a: np.ndarray, b: np.ndarray) -> None:
    assert onednn.matmul(a, b) is NotImplemented
