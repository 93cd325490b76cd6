"""Pictures: layouts, scaling and tiling as MindSpore does them, and PNG that decodes to the same pixels."""

import io

import numpy as np
import pytest
from PIL import Image

from summaries.schema.summary_pb2 import Event, Summary
from summaries.writing.image import check_layout, fill_image


def picture(array, layout="HWC") -> Summary.Image:
    value = Summary.Value(tag="i")
    fill_image(value, array, check_layout("i", array.shape, layout))
    return value.image


def pixels(image: Summary.Image) -> np.ndarray:
    with Image.open(io.BytesIO(image.encoded_image), formats=["PNG"]) as decoded:
        return np.asarray(decoded)


def test_bytes_stay_as_they_are():
    array = np.random.default_rng(1).integers(0, 256, (5, 7, 3), np.uint8)
    image = picture(array)
    assert (image.height, image.width, image.colorspace) == (5, 7, 3)
    np.testing.assert_array_equal(pixels(image), array)


@pytest.mark.parametrize("layout", ["CHW", "HWC", "NCHW", "NHWC", "chw", "CWH", "NWHC"])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_every_layout_gives_the_same_picture(layout, channels):
    array = np.random.default_rng(2).integers(0, 256, (1, 5, 7, channels), np.uint8)
    order = ["NHWC".index(letter) for letter in layout.upper()]
    turned = array[0].transpose([index - 1 for index in order]) if len(order) == 3 else array.transpose(order)
    shown = pixels(picture(turned, layout))
    assert shown.shape == (5, 7, max(3, channels))
    np.testing.assert_array_equal(shown, np.broadcast_to(array[0], shown.shape))


def test_a_matrix_is_a_grey_picture():
    shown = pixels(picture(np.array([[0, 255]], np.uint8), "HW"))
    np.testing.assert_array_equal(shown, [[[0] * 3, [255] * 3]])


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([0.0, 0.5, 1.0], [0, 128, 255]),
        ([0.0, 0.5, 0.5], [0, 128, 128]),
        ([-1.0, 0.0, 1.0], [0, 128, 255]),
        ([0.0, 5.0, 10.0], [0, 128, 255]),
        ([7.0, 7.0, 7.0], [0, 0, 0]),
        ([0.0, np.nan, 1.0], [0, 0, 255]),
        ([-np.inf, np.inf, 0.5], [0, 255, 128]),
        ([np.nan, np.nan, np.nan], [0, 0, 0]),
        ([-1.7e308, 0.0, 1.7e308], [0, 128, 255]),
    ],
)
def test_other_numbers_are_scaled(numbers, expected):
    shown = pixels(picture(np.array([numbers]), "HW"))
    assert shown[0, :, 0].tolist() == expected


@pytest.mark.parametrize(("kind", "low", "high"), [(bool, 0, 1), (np.int64, -300, 300), (np.float16, 0, 60000)])
def test_other_types_are_scaled_too(kind, low, high):
    shown = pixels(picture(np.array([[low, high]], kind), "HW"))
    assert shown[0, :, 0].tolist() == [0, 255]


@pytest.mark.parametrize(("number", "size"), [(1, (2, 3)), (5, (2, 15)), (8, (2, 24)), (9, (4, 24)), (32, (8, 24))])
def test_a_batch_stands_eight_in_a_row(number, size):
    array = np.arange(number, dtype=np.uint8)[:, None, None, None] * np.ones((1, 1, 2, 3), np.uint8)
    shown = pixels(picture(array, "NCHW"))[:, :, 0]
    assert shown.shape == size
    for index in range(number):
        row, column = divmod(index, 8)
        assert (shown[2 * row : 2 * row + 2, 3 * column : 3 * column + 3] == index).all()


def test_files_decode_to_the_same_pixels_and_are_not_larger_than_pillows():
    rng = np.random.default_rng(3)
    rows, columns = np.mgrid[:700, :600]
    waves = np.stack([128 + 100 * np.sin(rows / (17 + k)) * np.cos(columns / (23 + k)) for k in range(4)], -1)
    photo = (waves + rng.normal(0, 4, waves.shape)).clip(0, 255).astype(np.uint8)
    for array in (photo, photo[..., :3], photo[:1, :, :3], photo[:, :1], rng.integers(0, 256, (50, 60, 3), np.uint8)):
        image = picture(array)
        np.testing.assert_array_equal(pixels(image), array)
        theirs = io.BytesIO()
        Image.fromarray(array).save(theirs, "PNG")
        assert len(image.encoded_image) <= 1.01 * len(theirs.getvalue())


def test_a_batch_has_the_size_that_mindspore_gives_it(real_data, payloads):
    (path,) = (real_data / "mindspore" / "lenet" / "adam_lr001_b32").glob("*_MS")
    values = [value for payload in payloads(path) for value in Event.FromString(payload).summary.value]
    theirs = next(value.image for value in values if value.HasField("image"))
    ours = picture(np.zeros((32, 1, 32, 32), np.float32), "NCHW")
    assert (ours.height, ours.width, ours.colorspace) == (theirs.height, theirs.width, theirs.colorspace)
    assert pixels(ours).shape == pixels(theirs).shape


@pytest.mark.parametrize(
    ("shape", "layout", "says"),
    [
        ((2, 3), "CHW", "does not describe"),
        ((2, 3, 4), "NHW", None),
        ((2, 3, 3), "CHW", "channels"),
        ((5, 3, 3), "CHW", "channels"),
        ((3, 0, 3), "CHW", "no pixels"),
        ((0, 3, 2, 2), "NCHW", "no pixels"),
        ((3, 3, 3), "XYZ", "unknown"),
        ((3, 3, 3), "HHW", "unknown"),
        ((3,), "H", "unknown"),
    ],
)
def test_shapes_that_are_no_pictures_are_refused(shape, layout, says):
    if says is None:
        assert check_layout("i", shape, layout) == layout
        return
    with pytest.raises(ValueError, match=f"'i'.*{says}"):
        check_layout("i", shape, layout)
