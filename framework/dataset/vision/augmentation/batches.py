"""Mixtures of the images of a batch, and of their labels, which are one-hot vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from framework.dataset.runtime.rows import Array
from framework.dataset.transforms.checks import (
    FLOAT_INTEGER,
    check_interval,
    check_positive,
    check_probability,
    check_type,
    single,
)
from framework.dataset.transforms.operation import TensorOperation
from framework.dataset.vision.utils import ImageBatchFormat

__all__ = ["CutMixBatch", "MixUp", "MixUpBatch"]

Random = np.random.Generator


class _Mixture(TensorOperation):
    """Base class of mixtures; they take the columns of images and of labels, after `batch`."""

    takes_all = True
    random = True

    def apply(self, rng: np.random.Generator | None, *values: Any) -> Any:
        """Mix the images (count, ...) and labels (count, classes) of a batch.

        Raises:
            RuntimeError: they are not that.
        """
        assert rng is not None  # noqa: S101 - random is True
        name = type(self).__name__
        if len(values) != 2:
            raise RuntimeError(f"{name}: size of input should be 2 (images and labels), but got: {len(values)}")
        images, labels = np.asarray(values[0]), np.asarray(values[1])
        if images.ndim != 4:
            raise RuntimeError(f"{name}: input images must be 4-D (a batch), but got rank: {images.ndim}")
        if labels.ndim not in (2, 3) or len(labels) != len(images):
            raise RuntimeError(
                f"{name}: labels must be one-hot and in a batch of {len(images)}, but got the shape {labels.shape}"
            )
        return self.mixed(rng, images, labels)

    def mixed(self, rng: Random, images: Array, labels: Array) -> tuple[Array, Array]:
        """The mixed images and labels."""
        raise NotImplementedError


def _blend(first: Array, second: Array, share: Array) -> Array:
    """first * share + second * (1 - share), with a share for each item."""
    wide = share.reshape(-1, *(1,) * (first.ndim - 1))
    blend: Array = first * wide + second * (1 - wide)
    return blend


def _as(values: Array, kind: np.dtype[Any]) -> Array:
    """Values in an element type; integers are rounded."""
    return (np.rint(values) if kind.kind in "iu" else values).astype(kind)


def _alpha(alpha: float) -> float:
    check_type(alpha, (int, float), "alpha")
    check_positive(alpha, "alpha")
    check_interval(alpha, (0, FLOAT_INTEGER), left_open=True)
    return single(alpha)


class MixUpBatch(_Mixture):
    """Blends each image of a batch with another one of it, and their labels (Zhang et al. 2018).

    The share of the first is drawn from the distribution Beta(alpha, alpha), once for the batch. The images keep their
    element type, the labels become Float32.

    Args:
        alpha: parameter of the distribution, above 0.
    """

    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = _alpha(alpha)
        super().__init__(alpha=self.alpha)

    def mixed(self, rng: Random, images: Array, labels: Array) -> tuple[Array, Array]:
        """The mixed images and labels."""
        share = np.full(len(images), rng.beta(self.alpha, self.alpha))
        order = rng.permutation(len(images))
        blend = _as(_blend(images, images[order], share), images.dtype)
        return blend, _blend(labels, labels[order], share).astype(np.float32)


class CutMixBatch(_Mixture):
    """Overwrites a rectangle of each image of a batch by that of another one (Yun et al. 2019).

    The labels, which become Float32, are blended by area.

    Args:
        image_batch_format: order of the axes: NHWC or NCHW.
        alpha: parameter of the distribution Beta(alpha, alpha) of the sides' share that stays, above 0.
        prob: probability of each image.
    """

    json_readers = {"image_batch_format": ImageBatchFormat}

    def __init__(self, image_batch_format: ImageBatchFormat, alpha: float = 1.0, prob: float = 1.0) -> None:
        check_type(image_batch_format, (ImageBatchFormat,), "image_batch_format")
        self.format, self.alpha, self.prob = image_batch_format, _alpha(alpha), check_probability(prob)
        super().__init__(image_batch_format=int(image_batch_format), alpha=self.alpha, prob=single(prob))

    def mixed(self, rng: Random, images: Array, labels: Array) -> tuple[Array, Array]:
        """The mixed images and labels."""
        out, source = images.copy(), images
        if self.format is ImageBatchFormat.NCHW:
            source, pixels = np.moveaxis(images, 1, -1), np.moveaxis(out, 1, -1)
        else:
            pixels = out
        if pixels.shape[-1] not in (1, 3):
            raise RuntimeError(
                f"CutMixBatch: the images of shape {images.shape} are not {self.format.name} with 1 or 3 channels"
            )
        rows, columns = pixels.shape[1:3]
        order, shares = rng.permutation(len(images)), np.ones(len(images))
        for number, other in enumerate(order):
            if rng.random() >= self.prob:
                continue
            down, along = _box(rng, rows, columns, 1 - rng.beta(self.alpha, self.alpha))
            pixels[number, down, along] = source[other, down, along]
            shares[number] = 1 - (down.stop - down.start) * (along.stop - along.start) / (rows * columns)
        return out, _blend(labels, labels[order], shares).astype(np.float32)


def _box(rng: Random, rows: int, columns: int, share: float) -> tuple[slice, slice]:
    """A rectangle with a share of both sides around a random point, as far as it lies in the image."""

    def along(size: int) -> slice:
        half, middle = int(size * share) // 2, int(rng.integers(size + 1))
        first = min(max(middle - half, 0), size - 1)
        return slice(first, min(max(middle + half, first + 1), size))

    return along(rows), along(columns)


class MixUp(_Mixture):
    """Blends each image of a batch with another one, and their labels, with a share for each (Zhang et al. 2018).

    The results are of Float64.

    Args:
        batch_size: number of images of a batch.
        alpha: parameter of the distribution Beta(alpha, alpha) of the shares, above 0.
        is_single: blend with the next image of the batch; otherwise with that of the last batch, mixed as it was. The
            first batch stays as it is then.
    """

    def __init__(self, batch_size: int, alpha: float, is_single: bool = True) -> None:
        check_type(is_single, (bool,), "is_single")
        check_type(batch_size, (int,), "batch_size")
        check_interval(batch_size, (1, FLOAT_INTEGER))
        self.batch_size, self.alpha, self.is_single = batch_size, _alpha(alpha), is_single
        self.last: tuple[Array, Array] | None = None
        super().__init__(batch_size=batch_size, alpha=self.alpha, is_single=is_single)

    def mixed(self, rng: Random, images: Array, labels: Array) -> tuple[Array, Array]:
        """The mixed images and labels."""
        if len(images) != self.batch_size:
            raise ValueError(f"MixUp: batch_size is {self.batch_size}, but the batch has {len(images)} images")
        shares = rng.beta(self.alpha, self.alpha, self.batch_size)
        if self.is_single:
            others = (np.roll(images, -1, 0), np.roll(labels, -1, 0))
        elif self.last is None:
            shares, others = np.ones(self.batch_size), (images, labels)
        else:
            others = self.last
        blend = (_blend(images, others[0], shares), _blend(labels, others[1], shares))
        if not self.is_single:
            self.last = blend
        return blend
