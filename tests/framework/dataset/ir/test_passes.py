"""Passes over pipelines change how rows are computed, and nothing about the rows."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import framework as ms
import framework.dataset as ds
from framework.dataset import transforms as T  # noqa: N812
from framework.dataset import vision as V  # noqa: N812
from framework.dataset.runtime import pace
from tests.framework.dataset.files import write_folder, write_mnist
from tests.framework.dataset.ir.pipelines import IMAGES, RECIPES, Recipe, is_same, made, only, read

LONG = os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long"
PASSES = list(ds.config.get_passes())
#: Operations that may take whole batches.
BATCHABLE = [
    V.CenterCrop(4), V.CenterCrop(9), V.Crop((1, 2), 3), V.HWC2CHW(), V.HorizontalFlip(), V.Invert(),
    V.Normalize([1, 2, 3], [4, 5, 6]), V.Normalize([1], [2], is_hwc=False), V.Rescale(0.1, 2), V.Resize((9, 3)),
    V.Resize(7, V.Inter.NEAREST), V.Resize((3, 4), V.Inter.AREA), V.Resize(8, V.Inter.PILCUBIC), V.ToTensor(),
    V.ToTensor(np.uint8), V.VerticalFlip(), T.Fill(7), T.Mask(T.Relational.LE, 100), T.TypeCast("int8"),
    T.TypeCast("float16"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _seed() -> Any:
    ds.config.set_seed(17)
    yield
    ds.config.set_seed(5489)


@pytest.mark.parametrize("name", [*PASSES, "all"])
@given(recipe=RECIPES)
@settings(max_examples=300 if LONG else 25, deadline=None)
def test_rows_are_the_same_with_and_without_a_pass(name: str, recipe: Recipe) -> None:
    data = made(recipe)
    with only():
        wanted = read(data)
    with only(*(PASSES if name == "all" else [name])):
        assert is_same(read(data), wanted)


@given(recipe=RECIPES)
@settings(max_examples=100 if LONG else 8, deadline=None)
def test_rows_are_the_same_with_workers_and_after_skipped_epochs(recipe: Recipe) -> None:
    with only():
        wanted = read(made(recipe), 3)
    with pytest.MonkeyPatch.context() as patch:
        # Every row is worth threads.
        patch.setattr(pace, "_WORTH_SECONDS", 0.0)
        for workers in (1, 2, 8):
            assert is_same(read(made(recipe, workers), 3), wanted)
        if not isinstance(wanted, str):
            assert is_same(read(made(recipe, 2), 1, skipped=2), wanted[2:])


@pytest.mark.parametrize("operation", BATCHABLE, ids=repr)
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("channels", [0, 1, 3])
def test_batches_are_what_their_rows_are(operation: Any, dtype: Any, channels: int) -> None:
    images = IMAGES[..., 0] if channels == 0 else IMAGES[..., :channels]
    values = np.ascontiguousarray(images).astype(dtype) - dtype(3)
    assert operation.batchable
    try:
        rows = np.stack([np.asarray(operation.apply(None, value)) for value in values])
    except RuntimeError as error:
        with pytest.raises(RuntimeError, match=str(error)[:20]):
            operation.apply_batch(values)
        return
    batch = operation.apply_batch(values)
    assert (batch.dtype, batch.shape) == (rows.dtype, rows.shape)
    np.testing.assert_array_equal(batch, rows)


def test_a_map_moves_behind_its_batch(tmp_path: Path) -> None:
    write_mnist(tmp_path)
    data = ds.MnistDataset(tmp_path, "train")
    chain = [V.Resize((9, 9)), V.Rescale(1 / 255, 0), V.Rescale(3, -1), V.HWC2CHW()]
    data = data.map(chain, "image").map(T.OneHot(3), "label").shuffle(5).repeat(2).batch(4)
    told = ds.explain(data)
    assert isinstance(told, ds.Explanation)
    assert [told.after.op_type, told.after.children[0].op_type] == ["BatchedMap", "BatchedMap"]
    assert is_same(read(data), _without_passes(data))


def _without_passes(data: ds.Dataset) -> Any:
    with only():
        return read(data)


@pytest.mark.parametrize(
    "chain",
    [[V.Rescale(1, 0), V.RandomHorizontalFlip()], [V.Rescale(1, 0), lambda x: x], [T.Compose([V.Rescale(1, 0)])]],
    ids=["random", "a function", "a chain"],
)
def test_a_map_stays_before_its_batch(chain: Any) -> None:
    told = ds.explain(ds.NumpySlicesDataset({"image": IMAGES}).map(chain, "image").batch(2))
    assert told.after.op_type == "Batch"


def test_large_rows_and_rows_of_unknown_shape_stay_before_the_batch(tmp_path: Path) -> None:
    write_folder(tmp_path)
    large = ds.NumpySlicesDataset({"image": np.zeros((2, 200, 200, 3), np.uint8)})
    for data in (large, ds.ImageFolderDataset(tmp_path, decode=True), ds.GeneratorDataset([(IMAGES[0],)], ["image"])):
        assert ds.explain(data.map(V.Rescale(1, 0), "image").batch(2)).after.op_type == "Batch"


def test_errors_name_the_line_the_operation_and_the_sample_wherever_a_pass_moved_it() -> None:
    labels = np.array([0, 1, 2, 9, 1, 0])
    data = ds.NumpySlicesDataset({"label": labels}, shuffle=False).map(T.TypeCast(ms.int32), "label")
    data = data.map([T.TypeCast(ms.int64), T.OneHot(5)], "label").batch(2)
    assert ds.explain(data).after.op_type == "BatchedMap"
    said = read(data)
    assert isinstance(said, str)
    assert said == _without_passes(data)
    assert "operation 2 of 2 (OneHot), at sample 3: " in said
    assert Path(__file__).name in said


def test_pillow_images_do_not_pass_from_one_map_to_the_next() -> None:
    data = (
        ds.NumpySlicesDataset({"image": IMAGES}, shuffle=False).map(V.ToPIL(), "image").map(V.Resize((4, 3)), "image")
    )
    assert ds.explain(data).after.children[0].op_type == "Map"
    assert is_same(read(data), _without_passes(data))


class Counted:
    """A source that notes which rows are read."""

    def __init__(self) -> None:
        self.read: list[int] = []

    def __len__(self) -> int:
        return 100

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        self.read.append(index)
        return np.int64(index), np.int64(-index)


def test_rows_that_nobody_asks_for_are_not_read() -> None:
    source = Counted()
    data = (
        ds.GeneratorDataset(source, ["x", "y"], shuffle=False).map(T.TypeCast(ms.int32), "x").batch(4).skip(3).take(2)
    )
    assert [row[0].tolist() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)] == [
        [12, 13, 14, 15],
        [16, 17, 18, 19],
    ]
    assert source.read == list(range(12, 20))
    assert data.get_dataset_size() == 2


def test_a_function_sees_the_rows_that_are_skipped_behind_it() -> None:
    seen = []
    data = (
        ds.NumpySlicesDataset({"x": np.arange(6)}, shuffle=False).map(lambda x: seen.append(int(x)) or x, "x").skip(3)
    )
    assert is_same(read(data, 1), [[[np.int64(3)], [np.int64(4)], [np.int64(5)]]])
    assert seen == list(range(6))


def test_columns_that_nobody_asks_for_are_not_read(tmp_path: Path) -> None:
    for path in write_folder(tmp_path):
        Path(path).write_bytes(b"no image")
    data = ds.ImageFolderDataset(tmp_path, shuffle=False).map([V.Decode(), V.Resize((3, 3))], "image")
    data = data.map(T.TypeCast(ms.float32), "label").batch(3)
    assert is_same(read(data.project("label"), 1), [[[np.array([0, 0, 1], np.float32)]]])
    assert isinstance(read(data, 1), str)


def test_fields_of_records_that_nobody_asks_for_are_not_decoded(tmp_path: Path) -> None:
    path = str(tmp_path / "rows.mindrecord")
    ds.NumpySlicesDataset({"a": np.arange(5), "b": np.ones((5, 3))}, shuffle=False).save(path)
    data = ds.MindDataset(path, shuffle=False).batch(2)
    for columns in (["a"], ["b"], ["b", "a"]):
        assert is_same(read(data.project(columns)), _without_passes(data.project(columns)))
    told = ds.explain(data.project("a"))
    assert "MindDataset reads a and not b" in str(told)


def test_samples_that_are_left_out_keep_maps_where_they_are() -> None:
    data = ds.NumpySlicesDataset({"label": [0, 9, 1]}, shuffle=False).map(T.OneHot(5), "label")
    data = data.map(T.TypeCast(ms.int32), "label").take(2).batch(1)
    ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.SKIP)
    try:
        assert [change.name for change in ds.explain(data).changes] == ["removal"]
        rows = read(data, 1)
    finally:
        ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.RETURN)
    assert not isinstance(rows, str)
    assert [int(np.argmax(row[0])) for row in rows[0]] == [0, 1]


def test_what_explain_prints(capsys: pytest.CaptureFixture[str]) -> None:
    data = ds.NumpySlicesDataset({"x": np.arange(9.0)}, shuffle=False).map(V.Rescale(2, 0), "x")
    told = ds.explain(data.map(V.Rescale(3, 1), "x").skip(1).take(-1).batch(4))
    printed = capsys.readouterr().out
    assert printed == f"{told}\n"
    for words in (
        "As it was written",
        "Take(-1) changes nothing",
        "Skip(1) moves down to the GeneratorDataset",
        "the Maps of Rescale and of Rescale on x become one",
        "the Map of x computes whole batches",
        "rows from 1 up to the end",
    ):
        assert words in printed
    with only("removal"):
        assert "late_map        switched off" in str(ds.explain(data))


def test_passes_have_switches() -> None:
    assert all(ds.config.get_passes().values())
    with pytest.raises(ValueError, match=r"no pass 'speed', only removal"):
        ds.config.set_pass("speed", True)
    with pytest.raises(TypeError, match="a bool"):
        ds.config.set_pass("removal", 1)  # type: ignore[arg-type]


def test_a_pipeline_of_many_operators_runs_as_it_is() -> None:
    data: ds.Dataset = ds.NumpySlicesDataset({"x": [1]})
    for _ in range(600):
        data = data.map(V.Rescale(1, 0), "x")
    assert ds.explain(data).changes == ()
