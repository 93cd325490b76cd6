"""Operators of detection, of volumes and of fractional windows: numbers that MindSpore 2.10 gave, in both modes."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, ops

BOXES = np.array([[0.1, 0.2, 0.8, 0.9], [0.9, 0.6, 0.2, -0.3], [0, 0, 1, 1]], np.float32)
IMAGES = (np.arange(40, dtype=np.float32) ** 1.5).reshape(2, 4, 5, 1)
ANCHORS = np.array([[3, 2, 8, 9], [1, 1, 4, 6]], np.float32)
STATE = np.random.RandomState(3)
VOLUME = STATE.permutation(240).reshape(1, 2, 4, 5, 6).astype(np.float32)
PLANE = STATE.permutation(112).reshape(1, 2, 7, 8).astype(np.float32)
SAMPLES = np.array([[[0.3, 0.8], [0.55, 0.05]]], np.float32)
MEANS, DEVIATIONS = (0.1, 0.2, 0.3, 0.4), (1.0, 2.0, 1.0, 2.0)
SIZES, SIDES = ((2, 3, 2), (3, 2, 3)), (1, 0, 1, 1, 0, 1)
Case = tuple[Callable[..., Any], tuple[np.ndarray, ...], list[float]]

CASES: dict[str, Case] = {
    "bilinear_v2": (lambda x, b: ops.crop_and_resize(x, b, Tensor([0, 1, 1], ms.int32), (3, 2), "bilinear_v2"),
                    (IMAGES, BOXES), [4.363278, 9.634015, 27.817322, 37.220695, 62.376347, 74.59904, *[234.24774] * 6,
                                      108.347565, 130.44026, 172.60071, 198.25237, 216.0, 243.55492]),
    "CropAndResize": (lambda x, b: ops.CropAndResize("nearest", 5.0)(x, b, Tensor([0, 1, 1], ms.int32), (1, 1)),
                      (IMAGES, BOXES), [18.520258, 172.60071, 181.01933]),
    "CheckValid": (lambda b: ops.CheckValid()(b, Tensor([2.0, 1.0, 3.0])),
                   (np.array([[0, 0, 1, 1], [2, 2, 3, 3], [-1, 0, 1, 1]], np.float32),), [1, 0, 0]),
    "BoundingBoxEncode": (ops.BoundingBoxEncode(MEANS, DEVIATIONS),
                          (ANCHORS, np.array([[2, 3, 7, 11], [0, 2, 5, 5]], np.float32)),
                          [-0.266667, -0.00625, -0.3, -0.141108, -0.1, -0.1, 0.105465, -0.402733]),
    "BoundingBoxDecode": (ops.BoundingBoxDecode((20, 9), MEANS, DEVIATIONS, 0.3),
                          (ANCHORS, np.array([[0.5, -0.2, 3, 0.4], [2, 1, -5, 0.1]], np.float32)),
                          [0, 0, 9, 16.680468, 9, 11.733644, 9, 20]),
    "MaxPool3D": (ops.MaxPool3D(*SIZES, "pad", SIDES, True), (VOLUME,),
                  [197, 206, 197, 206, 215, 237, 231, 208, 219, 232, 190, 232, 230, 201, 220, 201, 139, 112, 226, 227,
                   226, 238, 200, 238]),
    "AvgPool3D": (lambda x: ops.AvgPool3D((2, 3, 2), (1, 2, 3), "same")(x).reshape(-1)[:6], (VOLUME,),
                  [73.166664, 87.25, 98.833336, 124.75, 55.5, 71.166664]),
    "AdaptiveMaxPool3D": (lambda x: ops.AdaptiveMaxPool3D()(x, (2, 2, 3))[1].reshape(-1)[:6], (VOLUME,),
                          [6, 44, 47, 24, 44, 28]),
    "fractional": (lambda x, u: ops.fractional_max_pool2d(x, (2, 3), (3, 4), _random_samples=u), (PLANE, SAMPLES),
                   [79, 109, 109, 106, 97, 82, 61, 102, 103, 86, 96, 107, 104, 105, 110, 110, 111, 111, 98, 98, 77, 77,
                    70, 92]),
    "EmbeddingLookup": (lambda x: ops.EmbeddingLookup()(x, Tensor([[5, 2], [8, 4], [7, 0]]), 4),
                        (np.arange(8, dtype=np.float32).reshape(4, 2),), [2, 3, 0, 0, 0, 0, 0, 1, 6, 7, 0, 0]),
    "Padding": (ops.Padding(3), (np.array([[8], [10]], np.float32),), [8, 0, 0, 10, 0, 0]),
    "clamp's slope": (lambda x: ms.grad(lambda x: ops.clamp(x, -0.5, 1.0).sum())(x),
                      (np.array([-1, -0.5, 0, 1, 2], np.float32),), [0, 1, 1, 1, 0]),
    "clip_by_value's slope": (lambda x: ms.grad(lambda x: ops.clip_by_value(x, -0.5, 1.0).sum())(x),
                              (np.array([-1, -0.5, 0, 1, 2], np.float32),), [0, 0.5, 1, 0.5, 0]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("compiled", [False, True], ids=["pynative", "graph"])
def test_numbers_of_mindspore(name: str, compiled: bool) -> None:
    function, arrays, wanted = CASES[name]

    def called(*inputs: Tensor) -> Any:
        return function(*inputs)

    out = (ms.jit(called) if compiled else called)(*map(Tensor, arrays))
    np.testing.assert_allclose(out.asnumpy().ravel(), wanted, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("compiled", [False, True], ids=["pynative", "graph"])
def test_derivatives_along_a_curve(compiled: bool) -> None:
    def both(x: Tensor, y: Tensor) -> Any:
        return x * y, ops.log(x)

    function: Any = ms.jit(both) if compiled else both
    series = (Tensor([[1.0, 1], [0.5, 2]]), Tensor([[2.0, 1], [0.5, 1]]))
    values, derivatives = ops.jet(function, (Tensor([1.0, 2]), Tensor([3.0, 4])), series)
    np.testing.assert_allclose(values[0].asnumpy(), [3, 8])
    np.testing.assert_allclose(derivatives[0].asnumpy(), [[5, 6], [6, 12]], rtol=1e-6)
    np.testing.assert_allclose(derivatives[1].asnumpy(), [[1, 0.5], [-0.5, 0.75]], rtol=1e-6)
    value, third = ops.derivative(lambda x: ops.exp(ops.sin(x)), Tensor([1.0, 2.0]), 3)
    np.testing.assert_allclose(value.asnumpy(), np.exp(np.sin([1, 2])), rtol=1e-6)
    np.testing.assert_allclose(third.asnumpy(), [-4.0515366, 3.6724353], rtol=1e-5)
    with pytest.raises(ValueError, match="order must be an int of at least 1"):
        ops.derivative(ops.exp, Tensor(1.0), 0)
    with pytest.raises(ValueError, match="leading dimension"):
        ops.jet(ops.exp, Tensor([1.0]), Tensor([1.0]))


def test_shuffling_and_drawn_windows() -> None:
    x = Tensor(np.arange(6.0, dtype=np.float32).reshape(3, 2))
    assert sorted(ops.RandomShuffle()(x).asnumpy()[:, 0].tolist()) == [0, 2, 4]
    pooled = ms.nn.FractionalMaxPool2d(2, output_ratio=0.5)(Tensor(PLANE))
    assert pooled.shape == (1, 2, 3, 4)
    assert ms.nn.FractionalMaxPool3d(2, 2)(Tensor(VOLUME)).shape == (1, 2, 2, 2, 2)
    with pytest.raises(ValueError, match="needs output_size or output_ratio"):
        ms.nn.FractionalMaxPool2d(2)
    assert math.isclose(float(ops.igammac(Tensor(2.0), Tensor(1.0))), 2 / math.e, rel_tol=1e-6)
