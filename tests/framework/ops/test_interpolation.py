"""Interpolation of rows, images and volumes against recorded numbers, in both modes.

The numbers are those of torch 2.13, which MindSpore 2.10 gives too where it takes the arguments; those of "bicubic" are
MindSpore 2.10's, whose kernel rounds its weights to the thousandth part of a pixel.
"""

from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn, ops

#: Mode, shape and arguments, and what comes out of the numbers 0, 1, ..., 6, 0, 1, ...
CASES: list[tuple[str, tuple[int, ...], dict[str, Any], list[float]]] = [
    ("nearest", (1, 1, 5), {"size": 8}, [0, 0, 1, 1, 2, 3, 3, 4]),
    ("nearest-exact", (1, 1, 5), {"size": 8}, [0, 0, 1, 2, 2, 3, 4, 4]),
    ("linear", (1, 1, 5), {"size": 8, "align_corners": False},
     [0, 0.4375, 1.0625, 1.6875, 2.3125, 2.9375, 3.5625, 4]),
    ("linear", (1, 1, 5), {"size": 8, "align_corners": True},
     [0, 0.5714, 1.1429, 1.7143, 2.2857, 2.8571, 3.4286, 4]),
    ("linear", (1, 1, 7), {"scale_factor": 0.7}, [0.2143, 1.6429, 3.0714, 4.5]),
    ("linear", (1, 1, 7), {"scale_factor": 0.7, "recompute_scale_factor": True}, [0.375, 2.125, 3.875, 5.625]),
    ("area", (1, 1, 5), {"size": 3}, [0.5, 2, 3.5]),
    ("bilinear", (1, 1, 3, 4), {"size": (5, 3), "align_corners": False},
     [0.1667, 1.5, 2.8333, 1.7667, 3.1, 2.1, 4.1667, 5.5, 1, 2.3667, 3.7, 2.7, 1.1667, 2.5, 3.8333]),
    ("bilinear", (1, 1, 3, 4), {"scale_factor": (1.7, 0.8), "align_corners": False},
     [0.125, 1.375, 2.625, 1.6544, 2.9044, 2.4816, 4.0074, 5.2574, 2.261, 2.4485, 3.6985, 3.0184, 1.125, 2.375, 3.625]),
    ("bicubic", (1, 1, 3, 4), {"size": (4, 3), "align_corners": False},
     [-0.1059, 1.2682, 3.0119, 2.8206, 4.5224, 1.2925, 3.2640, 4.9658, 1.7359, 0.9464, 2.3204, 4.0642]),
    ("bicubic", (1, 1, 3, 4), {"size": (4, 3), "align_corners": True},
     [0, 1.5, 3, 3.0755, 5.0983, 0.4989, 3.5011, 5.5239, 0.9245, 1, 2.5, 4]),
    ("area", (1, 1, 3, 4), {"size": (4, 3)}, [0.5, 1.5, 2.5, 2.5, 3.5, 2.75, 3, 4, 3.25, 1.5, 2.5, 3.5]),
    ("nearest", (1, 1, 2, 3, 2), {"size": (3, 2, 3)}, [0, 0, 1, 2, 2, 3, 0, 0, 1, 2, 2, 3, 6, 6, 0, 1, 1, 2]),
    ("trilinear", (1, 1, 2, 3, 2), {"size": (3, 2, 3), "align_corners": False},
     [0.5, 1, 1.5, 3.5, 4, 4.5, 2.625, 1.8125, 1, 3, 3.5, 4, 4.75, 2.625, 0.5, 2.5, 3, 3.5]),
    ("trilinear", (1, 1, 2, 3, 2), {"size": (3, 2, 3), "align_corners": True},
     [0, 0.5, 1, 4, 4.5, 5, 3, 1.75, 0.5, 3.5, 4, 4.5, 6, 3, 0, 3, 3.5, 4]),
    ("trilinear", (1, 1, 2, 3, 2), {"scale_factor": (1.5, 0.8, 1.0)},
     [0.25, 1.25, 2.75, 3.75, 2.8125, 0.75, 2.25, 3.25, 5.375, 0.25, 1.75, 2.75]),
    ("area", (1, 1, 2, 3, 2), {"size": (3, 2, 1)}, [1.5, 3.5, 1.875, 3, 2.25, 2.5]),
]  # fmt: skip


def counted(shape: tuple[int, ...]) -> Tensor:
    return Tensor((np.arange(np.prod(shape)) % 7).reshape(shape).astype(np.float64))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{len(case[1]) - 2}d-{'-'.join(case[2])}")
def test_recorded_numbers(case: tuple[str, tuple[int, ...], dict[str, Any], list[float]]) -> None:
    mode, shape, arguments, expected = case
    x = counted(shape)

    def resized(x: Tensor) -> Any:
        return ops.interpolate(x, mode=mode, **arguments)

    def total(x: Tensor) -> Any:
        made = ops.interpolate(x, mode=mode, **arguments)
        return (made * ops.arange(made.size).reshape(made.shape)).sum()

    for run in (resized, ms.jit(resized), nn.Upsample(mode=mode, **arguments)):
        np.testing.assert_allclose(run(x).asnumpy().ravel(), expected, atol=3e-3 if mode == "bicubic" else 1e-4)
    # Interpolation is linear, so that the gradient tells all of it.
    for derive in (ms.grad(total), ms.jit(ms.grad(total))):
        assert float((derive(x) * x).sum()) == pytest.approx(float(total(x)), rel=1e-9)


def test_what_does_not_fit_is_refused() -> None:
    x = counted((1, 1, 4))
    for arguments, message in (
        ({"size": 2, "mode": "bilinear"}, "takes tensors of"),
        ({"size": 2, "mode": "cubic"}, "mode must be one of"),
        ({"size": 2, "align_corners": True}, "align_corners has no meaning"),
        ({"size": 2, "scale_factor": 2}, "either size or scale_factor"),
        ({"size": (2, 3)}, "must be one number"),
    ):
        with pytest.raises(ValueError, match=message):
            ops.interpolate(x, **arguments)
