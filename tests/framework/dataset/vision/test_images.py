"""Transforms of images against Pillow and numpy."""

import io
import subprocess
import sys
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image, ImageEnhance

import framework.dataset as ds
from framework.dataset import vision as V  # noqa: N812
from framework.dataset.vision import Border, Inter, c_transforms, py_transforms

RNG = np.random.default_rng(0)
IMAGE = RNG.integers(256, size=(12, 10, 3)).astype(np.uint8)
GRAY = RNG.integers(256, size=(12, 10, 1)).astype(np.uint8)


@pytest.mark.parametrize("kind", ["PNG", "BMP", "JPEG"])
def test_decode(kind: str) -> None:
    file = io.BytesIO()
    Image.fromarray(IMAGE).save(file, kind)
    data = np.frombuffer(file.getvalue(), np.uint8)
    wanted = np.asarray(Image.open(file).convert("RGB"))
    np.testing.assert_array_equal(V.Decode()(data), wanted)
    assert isinstance(py_transforms.Decode()(data), Image.Image)
    with pytest.raises(RuntimeError, match="5 bytes are not an image"):
        V.Decode()(np.zeros(5, np.uint8))


FILTERS = {
    Inter.NEAREST: Image.Resampling.NEAREST,
    Inter.BILINEAR: Image.Resampling.BILINEAR,
    Inter.BICUBIC: Image.Resampling.BICUBIC,
    Inter.ANTIALIAS: Image.Resampling.LANCZOS,
    Inter.AREA: Image.Resampling.BOX,
    Inter.PILCUBIC: Image.Resampling.BICUBIC,
}
OPENCV = {
    Inter.NEAREST: cv2.INTER_NEAREST,
    Inter.BILINEAR: cv2.INTER_LINEAR,
    Inter.BICUBIC: cv2.INTER_CUBIC,
    Inter.AREA: cv2.INTER_AREA,
}


@pytest.mark.parametrize("inter", list(FILTERS))
@pytest.mark.parametrize("size", [(5, 7), (20, 31)])
def test_pillow_images_are_resized_by_pillow_and_arrays_by_opencv(inter: Inter, size: tuple[int, int]) -> None:
    wanted = np.asarray(Image.fromarray(IMAGE).resize(size[::-1], FILTERS[inter]))
    as_pillow = V.Resize(size, inter)(Image.fromarray(IMAGE))
    assert isinstance(as_pillow, Image.Image)
    np.testing.assert_array_equal(np.asarray(as_pillow), wanted)
    if inter is Inter.ANTIALIAS:
        with pytest.raises(TypeError, match="img should be PIL image"):
            V.Resize(size, inter)(IMAGE)
        return
    if inter in OPENCV:
        wanted = cv2.resize(IMAGE, size[::-1], interpolation=OPENCV[inter])
    np.testing.assert_array_equal(V.Resize(size, inter)(IMAGE), wanted)
    assert V.Resize(size, inter)(GRAY).shape == (*size, 1)


def test_resize_keeps_the_ratio_for_one_number() -> None:
    assert V.Resize(5)(IMAGE).shape == (6, 5, 3)
    assert V.Resize([20])(np.zeros((10, 30), np.uint8)).shape == (20, 60)


def test_resize_of_other_element_types_works_by_channel() -> None:
    smooth = np.linspace(0, 1, 48, dtype=np.float32).reshape(6, 4, 2)
    made = V.Resize((3, 2), Inter.AREA)(smooth)
    assert made.dtype == np.float32
    np.testing.assert_allclose(made, smooth.reshape(3, 2, 2, 2, 2).mean(axis=(1, 3)), rtol=1e-5)
    whole = V.Resize((3, 2), Inter.AREA)((smooth * 1000).astype(np.int32))
    assert whole.dtype == np.int32


def test_crops() -> None:
    np.testing.assert_array_equal(V.CenterCrop((6, 4))(IMAGE), IMAGE[3:9, 3:7])
    np.testing.assert_array_equal(V.CenterCrop(5)(IMAGE), IMAGE[3:8, 2:7])
    np.testing.assert_array_equal(V.Crop((2, 1), (3, 4))(IMAGE), IMAGE[2:5, 1:5])
    large = V.CenterCrop((13, 20))(IMAGE)
    assert large.shape == (13, 20, 3)
    np.testing.assert_array_equal(large[1:, 5:15], IMAGE)
    assert not large[0].any()
    with pytest.raises(RuntimeError, match="Crop height dimension: 15 exceeds image height: 12"):
        V.Crop((10, 0), 5)(IMAGE)
    with pytest.raises(RuntimeError, match="Crop width dimension: 13 exceeds image width: 10"):
        V.Crop((0, 8), 5)(IMAGE)
    with pytest.raises(TypeError, match="Size should be a single integer or a list/tuple"):
        V.CenterCrop((1, 2, 3))


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric"])
def test_pad_repeats_as_numpy_does(mode: Any) -> None:
    made = V.Pad((1, 2, 3, 4), padding_mode=Border(mode))(IMAGE)
    np.testing.assert_array_equal(made, np.pad(IMAGE, [(2, 4), (1, 3), (0, 0)], mode))


def test_pad_fills() -> None:
    made = V.Pad((1, 2), fill_value=(1, 2, 3))(IMAGE)
    assert made.shape == (16, 12, 3)
    assert made[0, 0].tolist() == [1, 2, 3]
    np.testing.assert_array_equal(made[2:-2, 1:-1], IMAGE)
    assert V.Pad(1, 9)(GRAY)[0, 0, 0] == 9
    with pytest.raises(ValueError, match="size of the padding list or tuple should be 2 or 4"):
        V.Pad((1, 2, 3))


def test_flips() -> None:
    np.testing.assert_array_equal(V.HorizontalFlip()(IMAGE), IMAGE[:, ::-1])
    np.testing.assert_array_equal(V.VerticalFlip()(IMAGE), IMAGE[::-1])
    np.testing.assert_array_equal(V.RandomHorizontalFlip(1.0)(IMAGE), IMAGE[:, ::-1])
    np.testing.assert_array_equal(V.RandomVerticalFlip(1.0)(IMAGE), IMAGE[::-1])
    assert V.RandomVerticalFlip(0.0)(IMAGE) is IMAGE
    flipped = sum(bool((V.RandomHorizontalFlip()(IMAGE) == IMAGE[:, ::-1]).all()) for _ in range(300))
    assert 100 < flipped < 200
    with pytest.raises(ValueError, match="prob"):
        V.RandomHorizontalFlip(1.5)


@pytest.mark.parametrize(
    "kind", [(Inter.NEAREST, Image.Resampling.NEAREST), (Inter.BILINEAR, Image.Resampling.BILINEAR)]
)
@pytest.mark.parametrize("expand", [False, True])
def test_rotations_of_pillow_images_are_pillows(kind: tuple[Inter, Any], expand: bool) -> None:
    pillow = Image.fromarray(IMAGE)
    wanted = np.asarray(pillow.rotate(30, kind[1], expand, fillcolor=(7, 7, 7)))
    np.testing.assert_array_equal(np.asarray(V.Rotate(30, kind[0], expand, fill_value=7)(pillow)), wanted)
    again = V.RandomRotation((30, 30), kind[0], expand, fill_value=7)(pillow)
    np.testing.assert_array_equal(np.asarray(again), wanted)
    with pytest.raises(ValueError, match="resample must be"):
        V.Rotate(3, Inter.PILCUBIC)


def test_rotations_of_arrays() -> None:
    np.testing.assert_array_equal(V.Rotate(90, expand=True)(IMAGE), np.rot90(IMAGE))
    np.testing.assert_array_equal(V.Rotate(180)(IMAGE), IMAGE[::-1, ::-1])
    np.testing.assert_array_equal(V.RandomRotation((180, 180))(IMAGE), IMAGE[::-1, ::-1])
    matrix = cv2.getRotationMatrix2D((2.0, 3.0), 30, 1.0)
    wanted = cv2.warpAffine(IMAGE, matrix, (10, 12), flags=cv2.INTER_LINEAR, borderValue=(1, 2, 3))
    np.testing.assert_array_equal(V.Rotate(30, Inter.LINEAR, False, (2, 3), (1, 2, 3))(IMAGE), wanted)
    assert V.Rotate(45, expand=True)(GRAY).shape == (16, 16, 1)
    assert V.Rotate(10)(IMAGE.astype(np.int64)).dtype == np.int64


def test_rescale_and_normalize() -> None:
    scaled = V.Rescale(1 / 255, -0.5)(IMAGE)
    assert scaled.dtype == np.float32
    np.testing.assert_allclose(scaled, IMAGE / 255 - 0.5, atol=1e-6)
    mean, std = [120.0, 110.0, 100.0], [60.0, 50.0, 40.0]
    wanted = (IMAGE - np.asarray(mean)) / std
    made = V.Normalize(mean, std)(IMAGE)
    assert made.dtype == np.float32
    np.testing.assert_allclose(made, wanted, rtol=1e-5, atol=1e-6)
    first = py_transforms.Normalize(mean, std)(IMAGE.transpose(2, 0, 1))
    np.testing.assert_allclose(first, wanted.transpose(2, 0, 1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(V.Normalize([1.0], [2.0])(GRAY), (GRAY - 1) / 2.0)
    with pytest.raises(RuntimeError, match="got channels: 3, size of mean: 2"):
        V.Normalize([1, 2], [1, 2])(IMAGE)
    with pytest.raises(ValueError, match=r"std\[0\] is not within the required interval of \(0, 255\]"):
        V.Normalize([1], [0])


def test_layouts() -> None:
    np.testing.assert_array_equal(V.HWC2CHW()(IMAGE), IMAGE.transpose(2, 0, 1))
    np.testing.assert_array_equal(V.HWC2CHW()(IMAGE[..., 0]), IMAGE[..., 0])
    for value in (IMAGE, Image.fromarray(IMAGE)):
        made = V.ToTensor()(value)
        assert made.dtype == np.float32
        np.testing.assert_allclose(made, IMAGE.transpose(2, 0, 1) / 255, atol=1e-7)
    assert V.ToTensor(np.float64)(IMAGE[..., 0]).shape == (1, 12, 10)
    np.testing.assert_array_equal(V.ToNumpy()(V.ToPIL()(IMAGE)), IMAGE)
    assert V.ToType("float16")(IMAGE).dtype == np.float16
    with pytest.raises(TypeError, match="must be UInt8, not float64"):
        V.ToPIL()(IMAGE / 2)
    with pytest.raises(TypeError, match="1, 3 or 4 channels"):
        V.ToPIL()(IMAGE[..., :2])


def test_colors() -> None:
    pillow: Any = Image.fromarray(IMAGE)
    np.testing.assert_array_equal(np.asarray(V.Grayscale()(pillow)), np.asarray(pillow.convert("L")))
    assert np.asarray(V.Grayscale(3)(pillow)).shape == (12, 10, 3)
    np.testing.assert_array_equal(V.Invert()(IMAGE), 255 - IMAGE)
    for make, factor in ((ImageEnhance.Brightness, 0.5), (ImageEnhance.Contrast, 1.5), (ImageEnhance.Color, 0.25)):
        pillow = make(pillow).enhance(factor)
    adjust = V.RandomColorAdjust((0.5, 0.5), (1.5, 1.5), (0.25, 0.25))
    np.testing.assert_array_equal(np.asarray(adjust(Image.fromarray(IMAGE))), np.asarray(pillow))
    in_turn = V.AdjustSaturation(0.25)(V.AdjustContrast(1.5)(V.AdjustBrightness(0.5)(IMAGE)))
    np.testing.assert_array_equal(adjust(IMAGE), in_turn)
    assert abs(in_turn.astype(int) - np.asarray(pillow)).max() <= 2
    np.testing.assert_array_equal(V.RandomColorAdjust()(IMAGE), IMAGE)
    with pytest.raises(RuntimeError, match="channel is not 3"):
        V.RandomColorAdjust(0.5)(GRAY)
    with pytest.raises(ValueError, match="hue is not within"):
        V.RandomColorAdjust(hue=0.6)


def test_a_turn_of_the_hue_changes_the_order_of_channels() -> None:
    red = np.zeros((2, 2, 3), np.uint8)
    red[..., 0] = 255
    green = V.RandomColorAdjust(hue=(1 / 3, 1 / 3))(red)
    assert green[0, 0].argmax() == 1
    assert green[0, 0, 0] < 10


def test_random_crops_are_parts_of_the_image() -> None:
    places = np.arange(120).reshape(12, 10).astype(np.uint8)
    seen = set()
    for _ in range(200):
        part = V.RandomCrop((11, 9))(places)
        top, left = divmod(int(part[0, 0]), 10)
        np.testing.assert_array_equal(part, places[top : top + 11, left : left + 9])
        seen.add((top, left))
    assert seen == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert V.RandomCrop(12, padding=(1, 0))(IMAGE).shape == (12, 12, 3)
    assert V.RandomCrop(20, pad_if_needed=True, padding_mode=Border.EDGE)(IMAGE).shape == (20, 20, 3)
    with pytest.raises(RuntimeError, match=r"bigger than the image dimensions.* height: 12, image width: 10"):
        V.RandomCrop(11)(IMAGE)


def test_random_resized_crops() -> None:
    flat = np.full((30, 40, 3), 9, np.uint8)
    for _ in range(20):
        made = V.RandomResizedCrop((8, 6))(flat)
        assert made.shape == (8, 6, 3)
        assert (made == 9).all()
    whole = V.RandomResizedCrop((30, 40), (1.0, 1.0), (40 / 30, 40 / 30))(IMAGE.repeat(4, 1)[:30, :40])
    np.testing.assert_array_equal(whole.shape, (30, 40, 3))
    middle = V.RandomResizedCrop(4, (5.0, 5.0), max_attempts=1)(np.arange(100, dtype=np.uint8).reshape(10, 10))
    assert middle.shape == (4, 4)
    with pytest.raises(ValueError, match=r"scale\[1\] must be greater than 0"):
        V.RandomResizedCrop(4, (0, 0))


def test_random_erasing() -> None:
    white = np.full((3, 20, 20), 255, np.uint8)
    erased = V.RandomErasing(1.0, value=(1, 2, 3))(white)
    gone = (erased == np.reshape((1, 2, 3), (3, 1, 1))).all(axis=0)
    rows, columns = np.flatnonzero(gone.any(axis=1)), np.flatnonzero(gone.any(axis=0))
    assert gone.sum() == len(rows) * len(columns) > 0
    assert 0.01 < gone.mean() < 0.4
    assert V.RandomErasing(0.0)(white) is white
    noise = V.RandomErasing(1.0, value="random")(white.astype(np.float32))
    assert len(np.unique(noise)) > 5
    assert (V.RandomErasing(1.0, inplace=True)(white) == white).all()
    assert (white == 0).any()


def test_what_is_no_image_is_refused() -> None:
    with pytest.raises(RuntimeError, match="got rank:1, may need to do Decode operation first"):
        V.Resize(3)(np.zeros(5, np.uint8))


def test_a_pipeline_may_hand_on_images_of_pillow() -> None:
    dataset = ds.NumpySlicesDataset(IMAGE[None], ["image"]).map([V.ToPIL(), V.Resize((4, 4)), lambda im: im], "image")
    row = next(dataset.create_dict_iterator(output_numpy=True))
    np.testing.assert_array_equal(row["image"], np.asarray(Image.fromarray(IMAGE).resize((4, 4), 2)))


def test_older_spellings_lead_to_the_same() -> None:
    import framework.dataset.transforms.vision as oldest
    import framework.dataset.transforms.vision.c_transforms as oldest_c
    import framework.dataset.transforms.vision.py_transforms as oldest_py

    assert oldest_c.Resize is c_transforms.Resize is V.Resize
    assert oldest.Inter is V.utils.Inter is Inter
    assert oldest_py.ToTensor is py_transforms.ToTensor is V.ToTensor
    assert c_transforms.Normalize([1], [1]).to_json() == V.Normalize([1], [1]).to_json()
    assert list(Inter).count(Inter.LINEAR) == 1
    assert int(Inter.LINEAR) == int(Inter.BILINEAR)


def test_opencv_is_imported_when_it_is_needed() -> None:
    program = (
        "import sys, framework, numpy; assert 'cv2' not in sys.modules;"
        "framework.dataset.vision.Resize(2)(numpy.zeros((4, 4), 'uint8'));"
        "import cv2; assert cv2.getNumThreads() == 1"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
