"""Sources of rows: Python objects, arrays, and the files of published data sets."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
import framework.dataset as ds
from tests.framework.dataset.files import idx, write_cifar, write_folder, write_mnist


def column(dataset: ds.Dataset, name: str) -> list[Any]:
    """The values of a column of one epoch, as Python has them."""
    return [row[name].tolist() for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True)]


def three() -> Iterator[tuple[int, float]]:
    yield from ((1, 0.5), (2, 1.5), (3, 2.5))


class Squares:
    def __len__(self) -> int:
        return 5

    def __getitem__(self, index: int) -> tuple[int, int]:
        return index, index * index


def test_a_generator_function_is_called_anew_in_each_epoch() -> None:
    dataset = ds.GeneratorDataset(three, ["x", "y"])
    iterator = dataset.create_dict_iterator(num_epochs=2, output_numpy=True)
    assert [[row["x"].item() for row in iterator] for _ in range(2)] == [[1, 2, 3], [1, 2, 3]]
    assert dataset.get_dataset_size() == 3
    assert dataset.output_types() == [np.dtype("int64"), np.dtype("float64")]


def test_an_iterable_and_a_number_of_samples() -> None:
    assert column(ds.GeneratorDataset([[1], [2], [3]], "x", shuffle=False, num_samples=2), "x") == [1, 2]
    dataset = ds.GeneratorDataset({4: 0, 5: 0}.keys(), ["x"], num_samples=1)
    assert column(dataset, "x") == [4]
    assert dataset.get_dataset_size() == 1


def test_an_object_with_items_can_be_shuffled_sampled_and_sharded() -> None:
    assert column(ds.GeneratorDataset(Squares(), ["x", "y"], shuffle=False), "y") == [0, 1, 4, 9, 16]
    shuffled = column(ds.GeneratorDataset(Squares(), ["x", "y"]), "x")
    assert sorted(shuffled) == [0, 1, 2, 3, 4]
    assert column(ds.GeneratorDataset(Squares(), ["x", "y"], sampler=[3, 1]), "x") == [3, 1]
    shards = [
        column(ds.GeneratorDataset(Squares(), ["x", "y"], shuffle=False, num_shards=2, shard_id=shard), "x")
        for shard in range(2)
    ]
    assert shards == [[0, 2, 4], [1, 3, 0]]


def test_types_of_columns() -> None:
    dataset = ds.GeneratorDataset(three, ["x", "y"], column_types=[ms.int8, np.float32])
    assert dataset.output_types() == [np.dtype("int8"), np.dtype("float32")]
    words = ds.GeneratorDataset(lambda: iter([("a",), ("bc",)]), ["word"])
    assert column(words, "word") == ["a", "bc"]


@pytest.mark.parametrize(
    ("source", "arguments", "error", "words"),
    [
        (3, {}, TypeError, "__getitem__"),
        (three, {"shuffle": True}, ValueError, "only a source with __getitem__"),
        (three, {"sampler": ds.SequentialSampler()}, ValueError, "only a source with __getitem__"),
        (Squares(), {"sampler": ds.SequentialSampler(), "shuffle": True}, ValueError, "cannot be given together"),
        (Squares(), {"num_shards": 2}, ValueError, "belong together"),
        (Squares(), {"column_types": [ms.int8]}, ValueError, "1 column_types for 2 columns"),
        (Squares(), {"schema": "x"}, NotImplementedError, "schemas"),
    ],
)
def test_a_source_that_cannot_be_used_is_refused(source: Any, arguments: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        ds.GeneratorDataset(source, ["x", "y"], **arguments)


def test_a_bad_row_is_named_with_the_line_of_the_source() -> None:
    def bad() -> Iterator[Any]:
        yield 1, 2
        yield 1, object()

    dataset = ds.GeneratorDataset(bad, ["x", "y"])
    with pytest.raises(RuntimeError, match=r"GeneratorDataset at .*test_sources.py:\d+, at sample 1: TypeError"):
        list(dataset)
    with pytest.raises(RuntimeError, match="a row of 2 values for the 1 columns x"):
        list(ds.GeneratorDataset(three, ["x"]))


def test_slices_of_arrays() -> None:
    array = np.arange(6.0).reshape(3, 2)
    assert column(ds.NumpySlicesDataset(array, shuffle=False), "column_0") == array.tolist()
    both = ds.NumpySlicesDataset((array, [1, 2, 3]), ["x", "y"], shuffle=False)
    assert column(both, "y") == [1, 2, 3]
    by_name = ds.NumpySlicesDataset({"a": [1, 2], "b": ["p", "q"]}, shuffle=False)
    assert by_name.get_col_names() == ["a", "b"]
    assert column(by_name, "b") == ["p", "q"]
    with pytest.raises(ValueError, match="columns must have the same length"):
        ds.NumpySlicesDataset({"a": [1, 2], "b": [1]})
    with pytest.raises(ValueError, match="1 column_names for 2 columns"):
        ds.NumpySlicesDataset((array, array), ["x"])


def test_changing_a_row_changes_no_data() -> None:
    array = np.zeros((2, 2))
    dataset = ds.NumpySlicesDataset(array, ["x"], shuffle=False)
    for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True):
        row["x"][:] = 7
    assert not array.any()


@pytest.mark.parametrize("kind", [ds.MnistDataset, ds.FashionMnistDataset, ds.KMnistDataset])
@pytest.mark.parametrize("compressed", [False, True])
def test_mnist(tmp_path: Path, compressed: bool, kind: type[ds.MnistDataset]) -> None:
    images, labels = write_mnist(tmp_path / "deep", compressed=compressed)
    dataset = kind(tmp_path, shuffle=False)
    rows = list(dataset.create_dict_iterator(num_epochs=1, output_numpy=True))
    np.testing.assert_array_equal([row["image"][..., 0] for row in rows], images)
    assert [row["label"].item() for row in rows] == labels.tolist()
    assert dataset.output_shapes() == [[28, 28, 1], []]
    assert dataset.output_types() == [np.dtype("uint8"), np.dtype("uint32")]
    assert [kind(tmp_path, usage).get_dataset_size() for usage in ("train", "test", "all")] == [12, 4, 16]
    assert dataset.num_classes() == 3


def test_damaged_files_of_mnist_are_named(tmp_path: Path) -> None:
    write_mnist(tmp_path)
    path = tmp_path / "train-images-idx3-ubyte"
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    with pytest.raises(RuntimeError, match=r"idx3-ubyte is damaged: its header declares 9408 .* 9308 follow"):
        ds.MnistDataset(tmp_path, "train").get_dataset_size()
    path.write_bytes(b"\0\0\x08\x01" + whole[4:])
    with pytest.raises(RuntimeError, match="does not begin with 0x00000803"):
        list(ds.MnistDataset(tmp_path, "train"))
    path.write_bytes(idx(np.zeros((3, 28, 28))))
    with pytest.raises(RuntimeError, match=r"has 3 images, but .* has 12 labels"):
        ds.MnistDataset(tmp_path, "train").get_dataset_size()
    path.unlink()
    path.with_name(path.name + ".gz").write_bytes(b"no gzip")
    with pytest.raises(RuntimeError, match="cannot be unpacked"):
        ds.MnistDataset(tmp_path, "train").get_dataset_size()


def test_missing_files_of_mnist_are_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no folder"):
        ds.MnistDataset(tmp_path / "nowhere")
    with pytest.raises(RuntimeError, match=r"no train-images-idx3-ubyte\[.gz\] or t10k"):
        ds.MnistDataset(tmp_path).get_dataset_size()
    write_mnist(tmp_path)
    (tmp_path / "t10k-labels-idx1-ubyte").unlink()
    with pytest.raises(RuntimeError, match="has no labels"):
        ds.MnistDataset(tmp_path, "test").get_dataset_size()
    with pytest.raises(ValueError, match="usage must be one of"):
        ds.MnistDataset(tmp_path, "validation")


def test_cifar10(tmp_path: Path) -> None:
    images, labels = write_cifar(tmp_path, 10)
    dataset = ds.Cifar10Dataset(tmp_path, shuffle=False)
    rows = list(dataset.create_dict_iterator(num_epochs=1, output_numpy=True))
    np.testing.assert_array_equal([row["image"] for row in rows], images)
    assert [row["label"].item() for row in rows] == labels[:, 0].tolist()
    assert dataset.output_types() == [np.dtype("uint8"), np.dtype("uint32")]
    assert ds.Cifar10Dataset(tmp_path, "train").get_dataset_size() == 6
    assert ds.Cifar10Dataset(tmp_path, "test").get_dataset_size() == 3
    (tmp_path / "test_batch.bin").write_bytes(bytes(3073 + 5))
    with pytest.raises(RuntimeError, match=r"test_batch.bin is damaged: it has 3078 bytes"):
        ds.Cifar10Dataset(tmp_path, "test").get_dataset_size()


def test_cifar100(tmp_path: Path) -> None:
    images, labels = write_cifar(tmp_path, 100)
    rows = list(ds.Cifar100Dataset(tmp_path, shuffle=False).create_dict_iterator(num_epochs=1, output_numpy=True))
    np.testing.assert_array_equal([row["image"] for row in rows], images)
    np.testing.assert_array_equal([[row["coarse_label"], row["fine_label"]] for row in rows], labels)
    with pytest.raises(RuntimeError, match=r"no data_batch_1.bin"):
        ds.Cifar10Dataset(tmp_path, "train").get_dataset_size()


def test_folders_of_images(tmp_path: Path) -> None:
    images = list(write_folder(tmp_path).values())
    dataset = ds.ImageFolderDataset(tmp_path, shuffle=False, decode=True)
    rows = list(dataset.create_dict_iterator(num_epochs=1, output_numpy=True))
    np.testing.assert_array_equal([row["image"] for row in rows], images)
    assert [row["label"].item() for row in rows] == [0, 0, 1]
    assert dataset.get_class_indexing() == {"cat": 0, "dog": 1}
    assert dataset.num_classes() == 2
    assert dataset.output_types() == [np.dtype("uint8"), np.dtype("int32")]
    dogs = ds.ImageFolderDataset(tmp_path, class_indexing={"dog": 7}, decode=True)
    assert column(dogs, "label") == [7]
    encoded = ds.ImageFolderDataset(tmp_path, shuffle=False).map(ds.vision.Decode(), "image")
    np.testing.assert_array_equal(next(iter(encoded))[0].asnumpy(), images[0])


def test_a_damaged_image_is_named(tmp_path: Path) -> None:
    write_folder(tmp_path)
    (tmp_path / "dog" / "1.png").write_bytes(b"\x89PNG no more")
    with pytest.raises(RuntimeError, match=r"ImageFolderDataset at .*, at .*dog/1.png: RuntimeError"):
        list(ds.ImageFolderDataset(tmp_path, decode=True, shuffle=False))
    decoding = ds.ImageFolderDataset(tmp_path, shuffle=False).map([ds.vision.Decode()], "image")
    with pytest.raises(
        RuntimeError, match=r"Map at .*test_sources.py:\d+: operation 1 of 1 \(Decode\), at .*dog/1.png: RuntimeError"
    ):
        list(decoding)
    with pytest.raises(RuntimeError, match="no folders with images"):
        ds.ImageFolderDataset(tmp_path, extensions=[".jpg"]).get_dataset_size()
    with pytest.raises(RuntimeError, match="no folder 'bird'"):
        ds.ImageFolderDataset(tmp_path, class_indexing={"bird": 1}).get_dataset_size()
