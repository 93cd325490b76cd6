"""Cuts, borders and maps of positions."""

import numpy as np
import pytest
from PIL import Image

from framework.dataset import vision as V  # noqa: N812
from framework.dataset.vision import Border, Inter

RNG = np.random.default_rng(5)
IMAGE = RNG.integers(256, size=(12, 10, 3)).astype(np.uint8)


def test_parts_are_cut_and_resized() -> None:
    wanted = V.Resize((4, 8), Inter.AREA)(IMAGE[2:8, 1:9])
    np.testing.assert_array_equal(V.ResizedCrop(2, 1, 6, 8, (4, 8), Inter.AREA)(IMAGE), wanted)
    pillow = Image.fromarray(IMAGE)
    as_pillow = V.ResizedCrop(2, 1, 6, 8, (4, 8), Inter.AREA)(pillow)
    np.testing.assert_array_equal(np.asarray(as_pillow), np.asarray(pillow.crop((1, 2, 9, 8)).resize((8, 4), 4)))
    with pytest.raises(RuntimeError, match="ResizedCrop: Crop height dimension: 14 exceeds image height: 12"):
        V.ResizedCrop(8, 0, 6, 4, 3)(IMAGE)
    with pytest.raises(ValueError, match=r"Input height is not within the required interval of \[1, 2147483647\]"):
        V.ResizedCrop(0, 0, 0, 4, 3)


def test_enlarging_ends_at_a_thousand() -> None:
    with pytest.raises(RuntimeError, match="1000 times bigger"):
        V.Resize((1001, 1))(np.zeros((1, 1), np.uint8))


@pytest.mark.parametrize("kind", [np.bool_, np.int8, np.int32, np.uint32, np.int64, np.float16, np.float64])
def test_all_element_types_are_resized(kind: type) -> None:
    image: np.ndarray = (np.arange(16).reshape(4, 4) % 5).astype(kind)
    made = V.Resize((2, 2), Inter.NEAREST)(image)
    assert made.dtype == kind
    np.testing.assert_array_equal(made, image[::2, ::2])
    np.testing.assert_array_equal(V.Pad(1, 1)(image)[1:-1, 1:-1], image)
    np.testing.assert_array_equal(V.Pad((2, 1), 0, Border.REFLECT)(image), np.pad(image, [(1, 1), (2, 2)], "reflect"))


def test_padding_up_to_a_size() -> None:
    middle = V.PadToSize((20, 17), fill_value=(1, 2, 3))(IMAGE)
    np.testing.assert_array_equal(middle[4:16, 3:13], IMAGE)
    assert middle[0, 0].tolist() == [1, 2, 3]
    corner = V.PadToSize(20, 5, padding_mode=Border.EDGE)(IMAGE)
    np.testing.assert_array_equal(corner[5:17, 5:15], IMAGE)
    assert (corner[:5, 5] == IMAGE[0, 0]).all()
    with pytest.raises(RuntimeError, match="no less than the original image size"):
        V.PadToSize((12, 9))(IMAGE)
    with pytest.raises(RuntimeError, match="offset"):
        V.PadToSize((14, 14), (3, 0))(IMAGE)
    with pytest.raises(ValueError, match="The size must be a sequence of length 2"):
        V.PadToSize((1, 2, 3))


def test_affine_maps_of_arrays() -> None:
    image = np.zeros((7, 9), np.uint8)
    image[3, 6] = 200
    turned = V.Affine(90, [0.0, 0.0], 1.0, 0.0)(image)
    assert np.argwhere(turned == 200).tolist() == [[5, 4]]
    moved = V.Affine(0, [1 / 9, -2 / 7], 1.0, 0.0)(image)
    assert np.argwhere(moved == 200).tolist() == [[1, 7]]
    larger = V.Affine(0, [0.0, 0.0], 2.0, 0.0)(image)
    assert [3, 8] in np.argwhere(larger == 200).tolist()
    sheared = V.Affine(0, [0.0, 0.0], 1.0, (45.0, 0.0))(np.eye(5, dtype=np.uint8))
    assert sheared[2, 2] == 1
    assert (V.Affine(0, [1.0, 0.0], 1.0, 0.0, fill_value=9)(image) == 9).all()
    for wrong, what in (([2.0, 0.0], r"translate\[0\]"), ([0.0], "length of translate")):
        with pytest.raises((ValueError, TypeError), match=what):
            V.Affine(0, wrong, 1.0, 0.0)


def test_a_perspective_moves_its_points() -> None:
    image = np.zeros((20, 20, 3), np.uint8)
    start, end = [[2, 2], [15, 3], [16, 14], [3, 15]], [[5, 4], [17, 2], [14, 17], [1, 12]]
    for number, (x, y) in enumerate(start):
        image[y - 1 : y + 2, x - 1 : x + 2] = 50 * (number + 1)
    for made in (
        V.Perspective(start, end, Inter.NEAREST)(image),
        np.asarray(V.Perspective(start, end, Inter.NEAREST)(Image.fromarray(image))),
    ):
        for number, (x, y) in enumerate(end):
            near = made[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2, 0]
            assert (near == 50 * (number + 1)).any()
    assert V.Perspective(start, end)(image[..., :1]).shape == (20, 20, 1)
    with pytest.raises(TypeError, match="start_points should be a list or tuple of length 4"):
        V.Perspective(start[:3], end)
    with pytest.raises(TypeError, match=r"end_points\[0\] should be a list or tuple of length 2"):
        V.Perspective(start, [[1, 2, 3], *end[1:]])


def test_random_perspectives_move_corners_inwards() -> None:
    white = Image.fromarray(np.full((40, 60, 3), 255, np.uint8))
    assert V.RandomPerspective(prob=0.0)(white) is white
    dark = [(np.asarray(V.RandomPerspective(0.5, 1.0, Inter.NEAREST)(white)) == 0).mean() for _ in range(30)]
    assert 0.1 < np.mean(dark) < 0.7
    same = np.asarray(V.RandomPerspective(0.0, 1.0, Inter.NEAREST)(white))
    assert (same == 255).all()
    with pytest.raises(TypeError, match="img should be PIL image"):
        V.RandomPerspective()(np.asarray(white))


def test_five_and_ten_crops() -> None:
    pillow = Image.fromarray(IMAGE)
    parts = [np.asarray(part) for part in V.FiveCrop((4, 6))(pillow)]
    for part, place in zip(parts, [(0, 0), (0, 4), (8, 0), (8, 4), (4, 2)], strict=True):
        np.testing.assert_array_equal(part, IMAGE[place[0] : place[0] + 4, place[1] : place[1] + 6])
    ten = [np.asarray(part) for part in V.TenCrop((4, 6), use_vertical_flip=True)(pillow)]
    np.testing.assert_array_equal(ten[:5], parts)
    np.testing.assert_array_equal(ten[5], IMAGE[::-1][:4, :6])
    assert len(V.TenCrop(3)(pillow)) == 10
    with pytest.raises(ValueError, match="is larger than input image size"):
        V.FiveCrop(11)(pillow)
    with pytest.raises(TypeError, match="img should be PIL image"):
        V.FiveCrop(3)(IMAGE)


@pytest.mark.parametrize("mode", list(V.SliceMode))
def test_patches_make_the_image(mode: V.SliceMode) -> None:
    patches = V.SlicePatches(5, 3, mode, 9)(IMAGE)
    height, width = patches[0].shape[:2]
    whole = np.concatenate([np.concatenate(patches[row * 3 : row * 3 + 3], 1) for row in range(5)])
    assert (height, width) == ((3, 4) if mode is V.SliceMode.PAD else (2, 3))
    rows, columns = min(12, whole.shape[0]), min(10, whole.shape[1])
    np.testing.assert_array_equal(whole[:rows, :columns], IMAGE[:rows, :columns])
    assert (whole[12:] == 9).all()
    with pytest.raises(RuntimeError, match="greater than height, got number of patches:13"):
        V.SlicePatches(13)(IMAGE)
    assert V.SlicePatches()(IMAGE).shape == IMAGE.shape


def test_erasing_a_given_part() -> None:
    out = V.Erase(2, 3, 4, 50, (7, 8, 9))(IMAGE)
    assert (out[2:6, 3:] == (7, 8, 9)).all()
    np.testing.assert_array_equal(out[:2], IMAGE[:2])
    own = IMAGE.copy()
    assert V.Erase(0, 0, 1, 1, inplace=True)(own) is own
    assert not own[0, 0].any()
    with pytest.raises(TypeError, match="should be a single integer or a 3-tuple"):
        V.Erase(0, 0, 1, 1, (1, 2))
    with pytest.raises(ValueError, match="Input top is not within"):
        V.Erase(-1, 0, 1, 1)


def test_the_device_is_the_cpu() -> None:
    resize = V.Resize(3)
    assert resize.device("CPU") is resize
    with pytest.raises(ValueError, match="device_target must be 'CPU', not 'Ascend'"):
        resize.device("Ascend")
    with pytest.raises(AttributeError, match="has no device"):
        V.CenterCrop(3).device()
    assert V.not_random(len_of).random is False  # type: ignore[attr-defined]


def len_of(value: np.ndarray) -> int:
    return len(value)
