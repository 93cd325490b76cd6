"""Changes of colors against numpy, Pillow and Python's own formulas."""

import colorsys
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image, ImageEnhance

from framework.dataset import vision as V  # noqa: N812

RNG = np.random.default_rng(3)
IMAGE = RNG.integers(256, size=(21, 40, 3)).astype(np.uint8)
GRAY = (IMAGE @ np.array([0.299, 0.587, 0.114])).round()


def near(made: Any, wanted: Any, levels: float = 1) -> None:
    assert made.dtype == np.uint8
    assert abs(made.astype(float) - np.clip(wanted, 0, 255)).max() <= levels


@pytest.mark.parametrize("factor", [0.0, 0.3, 1.0, 1.7])
def test_factors_blend_with_black_gray_and_mean_gray(factor: float) -> None:
    near(V.AdjustBrightness(factor)(IMAGE), IMAGE * factor)
    near(V.AdjustSaturation(factor)(IMAGE), GRAY[..., None] * (1 - factor) + IMAGE * factor)
    near(V.AdjustContrast(factor)(IMAGE), round(GRAY.mean()) * (1 - factor) + IMAGE * factor, 1 + factor)


@pytest.mark.parametrize(
    ("transform", "enhancer"),
    [
        (V.AdjustBrightness, ImageEnhance.Brightness),
        (V.AdjustContrast, ImageEnhance.Contrast),
        (V.AdjustSaturation, ImageEnhance.Color),
        (V.AdjustSharpness, ImageEnhance.Sharpness),
    ],
)
def test_pillow_images_are_changed_by_pillow_and_arrays_nearly_so(transform: Any, enhancer: Any) -> None:
    wanted = np.asarray(enhancer(Image.fromarray(IMAGE)).enhance(1.4))
    np.testing.assert_array_equal(np.asarray(transform(1.4)(Image.fromarray(IMAGE))), wanted)
    near(transform(1.4)(IMAGE), wanted, 2)
    with pytest.raises(ValueError, match=r"is not within the required interval of \[0, 16777216\]"):
        transform(-1)


def test_sharpness_keeps_the_border() -> None:
    smooth = V.AdjustSharpness(0.0)(IMAGE)
    for edge in (np.s_[0], np.s_[-1], np.s_[:, 0], np.s_[:, -1]):
        np.testing.assert_array_equal(smooth[edge], IMAGE[edge])
    np.testing.assert_array_equal(V.AdjustSharpness(1.0)(IMAGE), IMAGE)
    assert V.AdjustSharpness(0.5)(IMAGE[:2]).shape == (2, 40, 3)
    np.testing.assert_array_equal(V.RandomAdjustSharpness(0.0, 1.0)(IMAGE), smooth)
    assert V.RandomAdjustSharpness(0.0, 0.0)(IMAGE) is IMAGE


@pytest.mark.parametrize("shift", [-0.5, -0.1, 0.25])
def test_the_hue_turns(shift: float) -> None:
    made = V.AdjustHue(shift)(IMAGE)
    place = np.s_[5, 7]
    hue, saturation, value = colorsys.rgb_to_hsv(*(IMAGE[place] / 255))
    wanted = np.array(colorsys.hsv_to_rgb((hue + shift) % 1, saturation, value)) * 255
    assert abs(made[place] - wanted).max() < 8, "hues are kept in 255 steps"
    assert (made.max(-1).astype(int) - IMAGE.max(-1)).max() <= 1
    turned = np.asarray(V.AdjustHue(shift)(Image.fromarray(IMAGE)))
    assert abs(turned.astype(int) - made).mean() < 4
    light = Image.fromarray(IMAGE[..., 0])
    assert V.AdjustHue(shift)(light) is light


@pytest.mark.parametrize(("gamma", "gain"), [(2.2, 1.0), (0.5, 0.8), (0, 1)])
def test_gamma(gamma: float, gain: float) -> None:
    near(V.AdjustGamma(gamma, gain)(IMAGE), (IMAGE / 255) ** gamma * gain * 255)
    shares = (IMAGE / 255).astype(np.float32)
    np.testing.assert_allclose(V.AdjustGamma(gamma, gain)(shares), np.clip((shares * gain) ** gamma, 0, 1), rtol=1e-5)
    with pytest.raises(RuntimeError, match="should be 1 or 3, but got: 2"):
        V.AdjustGamma(1)(IMAGE[..., :2])


def test_light_is_added_along_the_components() -> None:
    gray = np.full((2, 2, 3), 100, np.uint8)
    assert (V.RandomLighting(0.0)(gray) == gray).all()
    added = np.array([V.RandomLighting(1.0)(gray)[0, 0].astype(int) - 100 for _ in range(600)])
    # The first component carries nearly all: the three channels move together.
    assert np.corrcoef(added.T).min() > 0.9
    assert 25 < added.std() < 40


@pytest.mark.parametrize("is_hwc", [True, False])
def test_hue_saturation_and_value_there_and_back(is_hwc: bool) -> None:
    image = IMAGE if is_hwc else IMAGE.transpose(2, 0, 1)
    parts = V.RgbToHsv(is_hwc)(image)
    first = parts[0, 0] if is_hwc else parts[:, 0, 0]
    np.testing.assert_allclose(first, colorsys.rgb_to_hsv(*IMAGE[0, 0].astype(float)))
    np.testing.assert_allclose(V.HsvToRgb(is_hwc)(parts), image, atol=1e-9)
    batch = np.stack([image, image])
    np.testing.assert_array_equal(V.RgbToHsv(is_hwc)(batch)[1], parts)
    with pytest.raises(TypeError, match="img should be 3 channels RGB img"):
        V.RgbToHsv(is_hwc)(np.zeros((2, 2, 2)))
    with pytest.raises(TypeError, match="img shape should be"):
        V.HsvToRgb()(np.zeros((2, 2)))


def test_channels_are_converted() -> None:
    modes = V.ConvertMode
    np.testing.assert_array_equal(V.ConvertColor(modes.COLOR_RGB2BGR)(IMAGE), IMAGE[..., ::-1])
    four = V.ConvertColor(modes.COLOR_RGB2RGBA)(IMAGE)
    np.testing.assert_array_equal(four, np.dstack([IMAGE, np.full((21, 40), 255, np.uint8)]))
    np.testing.assert_array_equal(V.ConvertColor(modes.COLOR_RGBA2RGB)(four), IMAGE)
    near(V.ConvertColor(modes.COLOR_RGB2GRAY)(IMAGE), GRAY)
    assert int(modes.COLOR_GRAY2RGB) == int(modes.COLOR_GRAY2BGR)
    with pytest.raises(RuntimeError, match="cannot be converted by COLOR_BGR2GRAY"):
        V.ConvertColor(modes.COLOR_BGR2GRAY)(IMAGE[..., 0])


def test_blurs_are_gaussian() -> None:
    point = np.zeros((9, 9), np.float32)
    point[4, 4] = 1
    across = np.exp(-(np.arange(-2, 3) ** 2) / (2 * 1.5**2))
    down = np.exp(-(np.arange(-1, 2) ** 2) / (2 * 0.7**2))
    wanted = np.outer(down / down.sum(), across / across.sum())
    np.testing.assert_allclose(V.GaussianBlur((5, 3), (1.5, 0.7))(point)[3:6, 2:7], wanted, rtol=1e-5)
    automatic = cv2.GaussianBlur(IMAGE, (5, 5), 1.1)
    np.testing.assert_array_equal(V.GaussianBlur(5)(IMAGE), automatic)
    with pytest.raises(ValueError, match="Input kernel_size is not an odd value"):
        V.GaussianBlur(4)
    with pytest.raises(ValueError, match=r"Input kernel_size\[1\] is not an odd value"):
        V.GaussianBlur((3, 6))
    with pytest.raises(ValueError, match="sigma is not within"):
        V.GaussianBlur(3, -1)


def test_a_linear_transformation_is_a_product() -> None:
    image = RNG.normal(size=(1, 2, 3))
    matrix, mean = RNG.normal(size=(6, 6)), RNG.normal(size=6)
    made = V.LinearTransformation(matrix, mean)(image)
    np.testing.assert_allclose(made.ravel(), (image.ravel() - mean) @ matrix)
    with pytest.raises(ValueError, match="square matrix"):
        V.LinearTransformation(matrix[:5], mean)
    with pytest.raises(ValueError, match="should match either one dimension"):
        V.LinearTransformation(matrix, mean[:5])
    with pytest.raises(ValueError, match="not compatible with Numpy image shape"):
        V.LinearTransformation(matrix, mean)(image[..., :2])
