"""Several transforms as one pass over the pixels: the same to the bit, whatever the image."""

from typing import Any

import numpy as np
import pytest
from PIL import Image

from framework.dataset import transforms as tr
from framework.dataset import vision as V  # noqa: N812
from framework.dataset.vision.joining import JoinedPixels, join

IMAGE = np.random.default_rng(6).integers(256, size=(30, 41, 3)).astype(np.uint8)
NORMAL = V.Normalize([121.0, 115.0, 100.0], [70.0, 68.0, 71.0])
CHAINS: list[list[Any]] = [
    [V.RandomCrop((20, 24)), V.RandomHorizontalFlip(), NORMAL, V.HWC2CHW()],
    [
        V.RandomCrop((33, 50), None, True, (1, 2, 3)),
        V.RandomVerticalFlip(),
        V.Rescale(1 / 255, -0.5),
    ],
    [
        V.CenterCrop((40, 20)),
        V.HorizontalFlip(),
        V.VerticalFlip(),
        V.ToTensor(),
        V.Normalize([0.5], [0.2], is_hwc=False),
    ],
    [V.Crop((1, 2), 9), V.Invert(), V.Posterize(3), V.Solarize((50, 90)), V.AdjustGamma(2.2)],
    [V.Rescale(2.0, 1.0), V.Rescale(0.1, 0.0), NORMAL, V.HWC2CHW(), tr.TypeCast("float16")],
    [V.AdjustBrightness(1.4), V.ToTensor("float64")],
    [V.RandomHorizontalFlip(), V.ToTensor(), V.Normalize([0.5, 0.4, 0.3], [0.2, 0.3, 0.4], False)],
    [V.Rescale(1 / 255, 0.1), V.HWC2CHW(), V.Normalize([0.5], [0.2], False)],
    [V.Rescale(1 / 255, 0.1), V.Normalize([0.5], [0.2]), V.HWC2CHW(), tr.TypeCast("float32")],
]


def in_turn(chain: list[Any], value: Any, seed: int) -> Any:
    for number, operation in enumerate(chain):
        value = operation.apply(np.random.default_rng([seed, number]) if operation.random else None, value)
    return value


def streams(chain: list[Any], seed: int) -> list[Any]:
    return [np.random.default_rng([seed, number]) if one.random else None for number, one in enumerate(chain)]


@pytest.mark.parametrize("chain", CHAINS)
def test_the_results_are_equal_to_the_bit(chain: list[Any]) -> None:
    joined = join(chain)
    assert joined is not None
    assert list(joined.operations) == chain
    for seed in range(8):
        wanted = in_turn(chain, IMAGE, seed)
        made = joined.apply_all(streams(chain, seed), IMAGE)
        assert (made.dtype, made.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_array_equal(made, wanted)
        slot = np.empty((2, *wanted.shape), wanted.dtype)
        joined.apply_all(streams(chain, seed), IMAGE, slot[1])
        np.testing.assert_array_equal(slot[1], wanted)


@pytest.mark.parametrize("image", [IMAGE[..., 0], IMAGE.astype(np.float32), Image.fromarray(IMAGE)])
def test_other_images_go_through_the_transforms(image: Any) -> None:
    chain: list[Any] = [V.RandomCrop(20), V.Rescale(0.5, 1.0), V.HWC2CHW()]
    joined = join(chain)
    assert joined is not None
    made = joined.apply_all(streams(chain, 1), image)
    np.testing.assert_array_equal(made, in_turn(chain, image, 1))


def test_what_is_joined() -> None:
    resize = V.Resize(3)
    assert join([resize, NORMAL, V.HWC2CHW()]) is None
    assert join([NORMAL]) is None
    assert join([V.HorizontalFlip(), V.VerticalFlip()]) is None
    assert join([NORMAL, V.HWC2CHW(), V.HWC2CHW()]).operations == (NORMAL, V.HWC2CHW())  # type: ignore[union-attr]
    assert join([V.CenterCrop(3), NORMAL, resize, NORMAL]).operations == (V.CenterCrop(3), NORMAL)  # type: ignore[union-attr]
    assert join([V.NormalizePad([1.0], [1.0]), V.HWC2CHW()]) is None


def test_a_transform_tells_what_can_be_joined() -> None:
    made = V.RandomCrop(4).joined([NORMAL, V.HWC2CHW()])
    assert isinstance(made, JoinedPixels)
    assert NORMAL.joined([V.HWC2CHW()]) is not None
    assert V.Resize(3).joined([NORMAL]) is None
    assert V.RandomCrop(4).joined([len]) is None
