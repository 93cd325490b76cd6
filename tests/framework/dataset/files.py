"""Data sets on disk as they are published, small, for the tests to read."""

import gzip
from pathlib import Path

import numpy as np
from PIL import Image


def idx(array: np.ndarray) -> bytes:
    """An array of bytes in the idx format."""
    head = (0x0800 + array.ndim).to_bytes(4, "big") + b"".join(size.to_bytes(4, "big") for size in array.shape)
    return head + array.astype(np.uint8).tobytes()


def write_mnist(folder: Path, count: int = 12, compressed: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Training and test files; gives all images and labels, training first."""
    rng = np.random.default_rng(1)
    images, labels = rng.integers(256, size=(count + 4, 28, 28)), np.arange(count + 4) % 3
    folder.mkdir(parents=True, exist_ok=True)
    for prefix, part in (("train", slice(0, count)), ("t10k", slice(count, None))):
        for name, array in (("images-idx3-ubyte", images[part]), ("labels-idx1-ubyte", labels[part])):
            path, data = folder / f"{prefix}-{name}", idx(array)
            if compressed:
                path.with_name(path.name + ".gz").write_bytes(gzip.compress(data))
            else:
                path.write_bytes(data)
    return images.astype(np.uint8), labels


def write_cifar(folder: Path, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Two training files and a test file of CIFAR-10, or CIFAR-100's two; gives all images and labels."""
    rng = np.random.default_rng(2)
    names = ["data_batch_1.bin", "data_batch_2.bin", "test_batch.bin"] if classes == 10 else ["train.bin", "test.bin"]
    pixels = rng.integers(256, size=(len(names), 3, 3, 32, 32)).astype(np.uint8)
    labels = rng.integers(min(classes, 20), size=(len(names), 3, 1 if classes == 10 else 2)).astype(np.uint8)
    folder.mkdir(parents=True, exist_ok=True)
    for name, images, of_images in zip(names, pixels, labels, strict=True):
        (folder / name).write_bytes(np.hstack([of_images, images.reshape(3, -1)]).tobytes())
    return pixels.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1), labels.reshape(-1, labels.shape[-1])


def write_folder(folder: Path) -> dict[str, np.ndarray]:
    """Two images of cats, one of a dog, losslessly; gives their pixels by path."""
    rng = np.random.default_rng(3)
    made = {}
    for name in ("cat/1.png", "cat/2.png", "dog/1.png"):
        pixels = rng.integers(256, size=(9, 7, 3)).astype(np.uint8)
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(folder / name)
        made[str(folder / name)] = pixels
    (folder / "cat" / "notes.txt").write_text("no image")
    return made
