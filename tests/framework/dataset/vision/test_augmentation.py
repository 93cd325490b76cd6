"""Changes of tones and regions of images. Numbers that are given are MindSpore 2.10's, on its CPU."""

import io

import numpy as np
import pytest
from PIL import Image, ImageOps

import framework.dataset as ds
from framework.dataset import vision

STEPS = (np.arange(24).reshape(2, 4, 3) * 7 + 30).astype(np.uint8)
GRAY = np.array([[10, 10, 50], [50, 200, 90]], np.uint8)[..., None]


def test_tones_are_mindspores() -> None:
    assert vision.AutoContrast()(STEPS)[..., 0].tolist() == [[0, 36, 72, 109], [145, 182, 218, 255]]
    assert vision.Equalize()(GRAY).ravel().tolist() == [0, 0, 128, 128, 255, 191]
    assert vision.Posterize(3)(STEPS).ravel().tolist()[:12] == [0, 32, 32, 32, 32, 64, 64, 64, 64, 64, 96, 96]
    wanted = [30, 37, 44, 51, 58, 190, 183, 176, 169, 162, 155, 148, 141, 121, 128]
    assert vision.Solarize((60, 120))(STEPS).ravel().tolist()[:15] == wanted


def test_tones_of_pillow_images_are_pillows() -> None:
    pillow = Image.fromarray(np.random.default_rng(4).normal(120, 20, (9, 8, 3)).clip(0, 255).astype(np.uint8))
    wanted = np.asarray(ImageOps.autocontrast(pillow, 5, ignore=[110]))
    np.testing.assert_array_equal(np.asarray(vision.AutoContrast(5, 110)(pillow)), wanted)
    assert abs(vision.AutoContrast(5, 110)(np.asarray(pillow)).astype(int) - wanted).max() <= 1
    np.testing.assert_array_equal(np.asarray(vision.Equalize()(pillow)), np.asarray(ImageOps.equalize(pillow)))
    flat = np.full((3, 3), 7, np.uint8)
    np.testing.assert_array_equal(vision.AutoContrast()(flat), flat)


@pytest.mark.parametrize(
    ("transform", "same"),
    [
        (vision.RandomPosterize((3, 3)), vision.Posterize(3)),
        (vision.RandomSolarize((0, 255)), None),
        (vision.RandomAutoContrast(prob=1.0), vision.AutoContrast()),
        (vision.RandomEqualize(1.0), vision.Equalize()),
        (vision.RandomInvert(1.0), vision.Invert()),
        (vision.RandomColor((0.0, 0.0)), None),
        (vision.RandomSharpness((1.0, 1.0)), None),
    ],
)
def test_random_forms_do_what_the_plain_ones_do(transform: vision.Invert, same: vision.Invert | None) -> None:
    image = np.random.default_rng(1).integers(256, size=(6, 5, 3)).astype(np.uint8)
    out = transform(image)
    assert (out.dtype, out.shape) == (np.uint8, (6, 5, 3))
    if same is not None:
        assert np.array_equal(out, same(image))
    if isinstance(transform, vision.RandomColor):
        assert (out == out[..., :1]).all(), "gray has equal channels"
    if isinstance(transform, vision.RandomSharpness):
        assert np.array_equal(out, image)
    elif same is None:
        assert not np.array_equal(out, image)
    again = type(transform).from_json(transform.to_json()["tensor_op_params"])
    assert again == transform


def test_decoding_and_cropping_in_one_step_is_both_in_turn() -> None:
    pixels = np.random.default_rng(2).integers(256, size=(40, 30, 3)).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    data = np.frombuffer(file.getvalue(), np.uint8)
    transform = vision.RandomCropDecodeResize(16, (0.2, 0.9))
    once = transform.apply(np.random.default_rng(3), data)
    twice = vision.RandomResizedCrop(16, (0.2, 0.9)).apply(np.random.default_rng(3), pixels)
    assert np.array_equal(once, twice)
    # A column of MindRecord files holds bytes of numpy's type S.
    assert np.array_equal(transform.apply(np.random.default_rng(3), np.array([data.tobytes()])), once)


def test_gray_by_chance_keeps_the_channels() -> None:
    pillow = Image.fromarray(STEPS)
    gray = np.asarray(vision.RandomGrayscale(1.0)(pillow))
    assert np.array_equal(gray, np.repeat(np.asarray(pillow.convert("L"))[..., None], 3, -1))
    assert vision.RandomGrayscale(0.0)(pillow) is pillow
    with pytest.raises(TypeError, match="img should be PIL image"):
        vision.RandomGrayscale(1.0)(STEPS)


@pytest.mark.parametrize("is_hwc", [True, False])
def test_squares_are_covered(is_hwc: bool) -> None:
    image = np.full((9, 8, 3), 7, np.uint8)
    sizes = set()
    for _ in range(200):
        out = vision.CutOut(4, is_hwc=is_hwc)(image if is_hwc else image.transpose(2, 0, 1))
        gone = (out if is_hwc else out.transpose(1, 2, 0)) == 0
        rows, columns = gone.any((1, 2)).sum(), gone.any((0, 2)).sum()
        assert gone.sum() == rows * columns * 3
        sizes.add(int(rows))
    assert sizes == {0, 1, 2, 3, 4}, "squares may lie partly outside"
    with pytest.raises(RuntimeError, match="box size is too large"):
        vision.CutOut(10)(image)


def test_affine_maps_move_pixels() -> None:
    image = np.zeros((5, 5), np.uint8)
    image[2, 3] = 200
    # A quarter of a turn takes what lies right of the middle below it.
    turned = vision.RandomAffine((90, 90))(image)
    assert np.argwhere(turned == 200).tolist() == [[3, 2]]
    moved = vision.RandomAffine(0, translate=(0.2, 0.2, -0.4, -0.4))(image)
    assert np.argwhere(moved == 200).tolist() == [[0, 4]]
    filled = vision.RandomAffine(0, translate=(1.0, 1.0), fill_value=9)(image)
    assert (filled == 9).all()
    larger = vision.RandomAffine(0, scale=(2.0, 2.0))(np.pad(np.ones((1, 1), np.uint8), 2))
    assert larger.sum() == 4 or larger.sum() == 1 or larger.sum() == 9
    sheared = vision.RandomAffine(0, shear=(45, 45))(np.eye(5, dtype=np.uint8))
    assert not np.array_equal(sheared, np.eye(5))
    transform = vision.RandomAffine(10, (0.0, 0.1), (0.5, 2.0), 5, vision.Inter.BILINEAR)
    assert vision.RandomAffine.from_json(transform.to_json()["tensor_op_params"]) == transform
    with pytest.raises(ValueError, match="translate should be in"):
        vision.RandomAffine(0, translate=(0.5, -0.5))


def test_a_channel_of_zeros_is_added() -> None:
    out = vision.NormalizePad([10.0, 20.0, 30.0], [2.0, 4.0, 8.0], "float16")(STEPS)
    assert (out.dtype, out.shape) == (np.float16, (2, 4, 4))
    assert out[0, 0].tolist() == [10.0, 4.25, 1.75, 0.0]


def test_one_list_of_transforms_is_drawn() -> None:
    transform = vision.RandomSelectSubpolicy([[(vision.Invert(), 1.0)], [(vision.Posterize(1), 0.0)]])
    data = ds.NumpySlicesDataset({"x": np.full((20, 2, 2, 3), 9, np.uint8)}, shuffle=False).map(transform, ["x"])
    values = {int(row[0].max()) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)}
    assert values == {9, 246}
    assert vision.RandomSelectSubpolicy.from_json(transform.to_json()["tensor_op_params"]) == transform
    with pytest.raises(ValueError, match="prob"):
        vision.RandomSelectSubpolicy([[(vision.Invert(), 2.0)]])
