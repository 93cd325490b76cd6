"""Images with bounding boxes, and mixtures of the images of a batch."""

from typing import Any

import numpy as np
import pytest

import framework.dataset as ds
from framework.dataset import vision as V  # noqa: N812

RNG = np.random.default_rng(8)
#: Pixels inside of the boxes are 200 and more, others 0; each box has a value of its own.
BOXES = np.array([[2, 3, 6, 4], [10, 1, 5, 9], [0, 12, 20, 3]], np.float32)
IMAGE = np.zeros((16, 24, 3), np.uint8)
for _number, (_x, _y, _w, _h) in enumerate(BOXES.astype(int)):
    IMAGE[_y : _y + _h, _x : _x + _w] = 200 + 10 * _number


def covered(image: Any, value: int) -> list[int]:
    """The box around the pixels of a value."""
    rows, columns = np.nonzero(image[..., 0] == value)
    return [columns.min(), rows.min(), np.ptp(columns) + 1, np.ptp(rows) + 1]


def check(image: Any, boxes: Any) -> None:
    """Fail unless each box encloses the pixels of one value."""
    for box in boxes[:, :4].astype(int).tolist():
        x, y, width, height = box
        values = np.unique(image[y : y + height, x : x + width])
        assert len(values) == 1
        assert box == covered(image, int(values[0]))


@pytest.mark.parametrize(
    "transform",
    [
        V.RandomHorizontalFlipWithBBox(1.0),
        V.RandomVerticalFlipWithBBox(1.0),
        V.RandomCropWithBBox((12, 18)),
        V.RandomCropWithBBox((20, 30), padding=(3, 2, 4, 5), pad_if_needed=True),
        V.ResizeWithBBox((32, 48), V.Inter.NEAREST),
    ],
)
def test_boxes_stay_around_their_things(transform: Any) -> None:
    for _ in range(20):
        image, boxes = transform(IMAGE, BOXES)
        check(image, boxes)
    again = type(transform).from_json(transform.to_json()["tensor_op_params"])
    assert again == transform


def test_boxes_outside_of_a_part_are_left_out() -> None:
    seen = {len(V.RandomCropWithBBox((4, 4))(IMAGE, BOXES)[1]) for _ in range(200)}
    assert {0, 1} <= seen
    image, boxes = V.RandomResizedCropWithBBox((32, 48), (0.2, 0.4), interpolation=V.Inter.NEAREST)(IMAGE, BOXES)
    assert image.shape == (32, 48, 3)
    assert (boxes[:, :2] >= 0).all()
    assert (boxes[:, 0] + boxes[:, 2] <= 48 + 1e-3).all()
    assert (boxes[:, 1] + boxes[:, 3] <= 32 + 1e-3).all()


def test_further_numbers_of_boxes_stay() -> None:
    longer = np.hstack([BOXES, [[7.0], [8.0], [9.0]]]).astype(np.float32)
    _, boxes = V.ResizeWithBBox(8)(IMAGE, longer)
    np.testing.assert_array_equal(boxes[:, 4], [7, 8, 9])
    np.testing.assert_allclose(boxes[:, :4], BOXES / 2)
    _, whole = V.RandomResizeWithBBox((8, 12))(IMAGE, BOXES.astype(np.int64))
    assert whole.dtype == np.int64
    np.testing.assert_array_equal(whole, BOXES.astype(int) // 2)
    same, kept = V.RandomHorizontalFlipWithBBox(0.0)(IMAGE, BOXES)
    assert same is IMAGE
    assert kept is BOXES


def test_the_insides_of_boxes_are_augmented() -> None:
    image, boxes = V.BoundingBoxAugment(V.Invert(), 1.0)(IMAGE, BOXES)
    inside = IMAGE > 0
    np.testing.assert_array_equal(image, np.where(inside, 255 - IMAGE, IMAGE))
    assert boxes is BOXES
    changed = [(V.BoundingBoxAugment(V.Invert(), 0.3)(IMAGE, BOXES)[0] != IMAGE).any(-1).sum() for _ in range(40)]
    assert set(changed) == {24, 45, 60}
    turned, _ = V.BoundingBoxAugment(V.Rotate(90, expand=True), 1.0)(IMAGE, BOXES)
    assert turned.shape == IMAGE.shape
    transform = V.BoundingBoxAugment(V.Invert(), 0.5)
    assert V.BoundingBoxAugment.from_json(transform.to_json()["tensor_op_params"]) == transform


@pytest.mark.parametrize(
    ("boxes", "says"),
    [
        (np.zeros((3, 3)), "at least 4 features"),
        (np.array([[-1, 0, 2, 2]]), "negative value"),
        (np.array([[20, 0, 5, 2]]), "exceed the image of 16 x 24"),
        (np.array([["a", "b", "c", "d"]]), "must be numbers"),
    ],
)
def test_wrong_boxes_are_refused(boxes: Any, says: str) -> None:
    with pytest.raises(RuntimeError, match=says):
        V.ResizeWithBBox(3)(IMAGE, boxes)


def test_boxes_in_a_pipeline() -> None:
    data = ds.NumpySlicesDataset({"image": IMAGE[None], "boxes": BOXES[None]}).map(
        V.RandomHorizontalFlipWithBBox(1.0), ["image", "boxes"]
    )
    row = next(data.create_dict_iterator(output_numpy=True))
    check(row["image"], row["boxes"])
    with pytest.raises(RuntimeError, match="the number of inputs should be 2"):
        V.ResizeWithBBox(3)(IMAGE)


IMAGES = RNG.integers(256, size=(8, 6, 5, 3)).astype(np.uint8)
LABELS = np.eye(8, dtype=np.int32)


def test_batches_are_blended() -> None:
    images, labels = V.MixUpBatch(1.0)(IMAGES, LABELS)
    assert (images.dtype, labels.dtype) == (np.uint8, np.float32)
    np.testing.assert_allclose(labels.sum(1), 1, rtol=1e-5)
    np.testing.assert_allclose(images, np.tensordot(labels, IMAGES, 1), atol=0.51)


def test_images_are_blended_with_the_next_or_the_last_ones() -> None:
    images, labels = V.MixUp(8, 0.5)(IMAGES, LABELS.astype(np.float64))
    np.testing.assert_allclose(images, np.tensordot(labels, IMAGES, 1))
    assert all(set(np.flatnonzero(row)) <= {place, (place + 1) % 8} for place, row in enumerate(labels))
    across = V.MixUp(8, 0.5, is_single=False)
    first, _ = across(IMAGES, LABELS)
    np.testing.assert_array_equal(first, IMAGES)
    second, shares = across(IMAGES[::-1], LABELS[::-1])
    np.testing.assert_allclose(second, np.tensordot(shares, IMAGES, 1))
    with pytest.raises(ValueError, match="batch_size is 8, but the batch has 7 images"):
        V.MixUp(8, 0.5)(IMAGES[:7], LABELS[:7])


@pytest.mark.parametrize("order", list(V.ImageBatchFormat))
def test_rectangles_are_exchanged(order: V.ImageBatchFormat) -> None:
    first = order is V.ImageBatchFormat.NCHW
    flat = np.broadcast_to(np.arange(8, dtype=np.uint8).reshape(8, 1, 1, 1), (8, 20, 30, 3))
    batch = flat.transpose(0, 3, 1, 2) if first else flat
    images, labels = V.CutMixBatch(order, 1.0, 0.9)(np.ascontiguousarray(batch), LABELS)
    assert images.shape == batch.shape
    pixels = images.transpose(0, 2, 3, 1) if first else images
    for number in range(8):
        shares = np.bincount(pixels[number, ..., 0].ravel(), minlength=8) / 600
        np.testing.assert_allclose(labels[number], shares, atol=1e-6)
    same, _ = V.CutMixBatch(order, prob=0.0)(batch, LABELS)
    np.testing.assert_array_equal(same, batch)
    transform = V.CutMixBatch(order, 0.5, 0.25)
    assert V.CutMixBatch.from_json(transform.to_json()["tensor_op_params"]) == transform


@pytest.mark.parametrize("transform", [V.MixUpBatch(), V.CutMixBatch(V.ImageBatchFormat.NHWC)])
def test_what_is_no_batch_is_refused(transform: Any) -> None:
    with pytest.raises(RuntimeError, match="4-D"):
        transform(IMAGES[0], LABELS)
    with pytest.raises(RuntimeError, match="one-hot"):
        transform(IMAGES, np.arange(8))
    with pytest.raises(RuntimeError, match="size of input should be 2"):
        transform(IMAGES)
    with pytest.raises(ValueError, match="alpha must be greater than 0"):
        V.MixUpBatch(0)
