"""Sampling at the points of a grid against scipy, which interpolates by coordinates of pixels."""

import numpy as np
import pytest
from scipy import ndimage

from framework import Tensor, ops
from framework.ops import operations as P  # noqa: N812

RNG = np.random.default_rng(0)
IMAGES = RNG.standard_normal((2, 3, 5, 7))
GRID = RNG.uniform(-2.5, 2.5, (2, 4, 6, 2))


@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize(
    ("padding", "align", "boundary"),
    [
        ("zeros", True, "grid-constant"),
        ("zeros", False, "grid-constant"),
        ("border", True, "nearest"),
        ("border", False, "nearest"),
        ("reflection", True, "mirror"),
        ("reflection", False, "reflect"),
    ],
)
def test_against_scipy(mode: str, padding: str, align: bool, boundary: str) -> None:
    out = ops.grid_sample(Tensor(IMAGES), Tensor(GRID), mode, padding, align).asnumpy()
    for n, c in np.ndindex(2, 3):
        sizes = np.array([7, 5])
        at = (GRID[n] + 1) / 2 * (sizes - 1) if align else ((GRID[n] + 1) * sizes - 1) / 2
        places = np.moveaxis(at[..., ::-1], -1, 0)
        order = 1 if mode == "bilinear" else 0
        wanted = ndimage.map_coordinates(IMAGES[n, c], places, order=order, mode=boundary)
        np.testing.assert_allclose(out[n, c], wanted, atol=1e-12)


def test_an_image_of_one_pixel() -> None:
    grid = Tensor(np.array([[[[0.3, 5.0]]]]))
    for padding in ("border", "reflection"):
        assert ops.grid_sample(Tensor(np.full((1, 1, 1, 1), 3.0)), grid, "bilinear", padding, True).asnumpy() == 3.0


def test_half_precision() -> None:
    half = ops.grid_sample(Tensor(IMAGES.astype(np.float16)), Tensor(GRID.astype(np.float16))).asnumpy()
    exact = ops.grid_sample(Tensor(IMAGES), Tensor(GRID.astype(np.float16).astype(np.float64))).asnumpy()
    assert half.dtype == np.float16
    np.testing.assert_allclose(half, exact, atol=5e-3)


def test_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="must be one of zeros, border, reflection, not 'wrap'"):
        P.GridSampler2D(padding_mode="wrap")
    with pytest.raises(ValueError, match="must be one of bilinear, nearest, not 'cubic'"):
        P.GridSampler2D("cubic")
    with pytest.raises(ValueError, match="2 images of x"):
        P.GridSampler2D()(Tensor(IMAGES), Tensor(GRID[:1]))
