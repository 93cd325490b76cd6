"""Operators on rows, each compared with its documentation."""

from itertools import chain
from typing import Any

import numpy as np
import pytest

import framework as ms
import framework.dataset as ds
from tests.framework.dataset.test_sources import column


def numbers(count: int, name: str = "x") -> ds.Dataset:
    return ds.NumpySlicesDataset(np.arange(count), [name], shuffle=False)


def test_batch_stacks_rows() -> None:
    dataset = numbers(7).batch(3)
    assert column(dataset, "x") == [[0, 1, 2], [3, 4, 5], [6]]
    assert (dataset.get_dataset_size(), dataset.get_batch_size(), len(dataset)) == (3, 3, 3)
    assert column(numbers(7).batch(3, drop_remainder=True), "x") == [[0, 1, 2], [3, 4, 5]]
    assert numbers(7).batch(3, True).get_dataset_size() == 2
    assert numbers(7).get_batch_size() == 1


def test_batch_with_a_function_over_batches() -> None:
    seen = []

    def doubled(values: list[np.ndarray], info: ds.BatchInfo) -> tuple[list[np.ndarray], list[np.ndarray]]:
        seen.append((info.get_epoch_num(), info.get_batch_num()))
        return [value * 2 for value in values], [value + 1 for value in values]

    dataset = numbers(4).batch(2, per_batch_map=doubled, input_columns=["x"], output_columns=["x", "y"])
    rows = [row for _ in range(2) for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True)]
    assert dataset.get_col_names() == ["x", "y"]
    assert rows[1]["x"].tolist() == [4, 6]
    assert rows[1]["y"].tolist() == [3, 4]
    assert seen == [(0, 0), (0, 1)] * 2
    one = numbers(4).batch(2, per_batch_map=doubled, input_columns="x", output_columns=["a", "b"], column_order=["b"])
    assert one.get_col_names() == ["b"]


def test_a_function_over_batches_is_called_with_all_columns_where_none_are_named() -> None:
    def summed(x: Any, y: Any, info: ds.BatchInfo) -> Any:
        return [a + b for a, b in zip(x, y, strict=True)], [b + info.get_batch_num() for b in y]

    values = np.arange(4)
    dataset = ds.NumpySlicesDataset({"x": values, "y": values * 10}, shuffle=False).batch(2, per_batch_map=summed)
    found = list(dataset.create_dict_iterator(1, output_numpy=True))
    assert [batch["x"].tolist() for batch in found] == [[0, 11], [22, 33]]
    assert [batch["y"].tolist() for batch in found] == [[0, 10], [21, 31]]


def test_the_size_of_batches_can_be_a_function() -> None:
    dataset = numbers(6).batch(lambda info: info.get_batch_num() + 1)
    assert column(dataset, "x") == [[0], [1, 2], [3, 4, 5]]
    assert dataset.get_dataset_size() == 3
    with pytest.raises(RuntimeError, match="returned 0, not an int above 0"):
        list(numbers(6).batch(lambda info: 0))


def test_rows_of_different_shapes_make_no_batch() -> None:
    dataset = ds.GeneratorDataset(lambda: (([0.0] * n,) for n in (2, 2, 3)), ["x"]).batch(3)
    with pytest.raises(RuntimeError, match=r"Batch at .*, at sample 2: column 'x' has shape \(3,\) here, \(2,\) in"):
        list(dataset)


def test_padded_batch() -> None:
    def rows() -> Any:
        yield [1], ["a"]
        yield [1, 2, 3], ["b", "cde"]

    dataset = ds.GeneratorDataset(rows, ["x", "w"])
    both = next(iter(dataset.padded_batch(2).create_dict_iterator(num_epochs=1, output_numpy=True)))
    assert both["x"].tolist() == [[1, 0, 0], [1, 2, 3]]
    assert both["w"].tolist() == [["a", ""], ["b", "cde"]]
    cut = dataset.padded_batch(2, pad_info={"x": ([2], -1), "w": (None, "?")})
    assert column(cut, "x") == [[[1, -1], [1, 2]]]
    assert column(cut, "w") == [[["a", "?"], ["b", "cde"]]]
    with pytest.raises(RuntimeError, match="no column 'z'"):
        dataset.padded_batch(2, pad_info={"z": ([2], 0)}).get_col_names()
    with pytest.raises(RuntimeError, match="arrays with one number of dimensions"):
        list(dataset.padded_batch(2, pad_info={"x": ([2, 2], 0), "w": (None, None)}))


def test_map_applies_operations_in_turn() -> None:
    dataset = numbers(3).map([lambda x: x + 1, lambda x: x * 10], input_columns="x")
    assert column(dataset, "x") == [10, 20, 30]
    assert column(numbers(3).map(lambda x: -x), "x") == [0, -1, -2]


def test_map_makes_columns() -> None:
    split = numbers(3).zip(numbers(3, "z")).map(lambda x: (x, x * x), ["x"], ["a", "b"])
    assert split.get_col_names() == ["a", "b", "z"]
    assert column(split, "b") == [0, 1, 4]
    renamed = numbers(3).zip(numbers(3, "z")).map(lambda x: x + 1, ["z"], ["y"])
    assert renamed.get_col_names() == ["x", "y"]
    joined = renamed.map(lambda x, y: x + y, ["x", "y"], ["sum"], column_order=["sum"])
    assert column(joined, "sum") == [1, 3, 5]


def test_map_understands_the_oldest_order_of_arguments() -> None:
    assert column(numbers(2).map(["x"], [lambda x: x + 1]), "x") == [1, 2]
    assert column(numbers(2).map(input_columns="x", operations=lambda x: x + 1), "x") == [1, 2]


def test_a_failing_operation_is_named_with_its_sample_and_line() -> None:
    def inverted(x: np.ndarray) -> float:
        return 1 / int(x)

    dataset = numbers(3).map([lambda x: x - 1, inverted], "x")
    words = r"Map at .*test_operators.py:\d+: operation 2 of 2 \(inverted\), at sample 1: ZeroDivisionError"
    with pytest.raises(RuntimeError, match=words):
        list(dataset)
    with pytest.raises(RuntimeError, match="returned 2 values for the output columns x"):
        list(numbers(1).map(lambda x: (x, x), "x"))
    with pytest.raises(RuntimeError, match="no column 'y', only x"):
        list(numbers(1).map(lambda x: x, "y"))
    with pytest.raises(RuntimeError, match=r"\(<lambda>\), at sample 0: TypeError: a column holds arrays"):
        list(numbers(1).map(lambda x: object(), "x"))


def test_filter() -> None:
    dataset = numbers(6).filter(lambda x: x % 2 == 0, "x")
    assert column(dataset, "x") == [0, 2, 4]
    assert dataset.get_dataset_size() == 3
    assert column(numbers(4).filter(lambda x: bool(x > 1)), "x") == [2, 3]
    with pytest.raises(RuntimeError, match="must return True or False"):
        list(numbers(2).filter(lambda x: x))


def test_shuffle_keeps_all_rows_and_differs_between_epochs() -> None:
    dataset = numbers(50).shuffle(50)
    iterator = dataset.create_dict_iterator(num_epochs=2, output_numpy=True)
    first, second = ([row["x"].item() for row in iterator] for _ in range(2))
    assert sorted(first) == sorted(second) == list(range(50))
    assert first != second
    near = column(numbers(50).shuffle(4), "x")
    assert all(value <= place + 4 for place, value in enumerate(near))


def test_repeat_take_and_skip() -> None:
    assert column(numbers(2).repeat(3), "x") == [0, 1] * 3
    assert (numbers(2).repeat(3).get_dataset_size(), numbers(2).repeat(3).get_repeat_count()) == (6, 3)
    assert column(numbers(2).repeat().take(5), "x") == [0, 1, 0, 1, 0]
    assert (numbers(2).repeat().get_dataset_size(), numbers(2).get_repeat_count()) == (-1, 1)
    assert column(numbers(5).skip(3), "x") == [3, 4]
    assert column(numbers(5).take(2), "x") == [0, 1]
    assert numbers(5).take(-1).get_dataset_size() == 5
    assert numbers(5).skip(9).get_dataset_size() == 0


def test_a_shuffle_below_a_repeat_differs_between_rounds() -> None:
    values = column(numbers(30).shuffle(30).repeat(2), "x")
    assert sorted(values[:30]) == sorted(values[30:]) == list(range(30))
    assert values[:30] != values[30:]


def test_zip_and_concat() -> None:
    both = ds.zip((numbers(3), numbers(2, "y")))
    assert [[value.asnumpy().item() for value in row] for row in both] == [[0, 0], [1, 1]]
    assert both.get_dataset_size() == 2
    assert column(numbers(2).concat(numbers(3)), "x") == [0, 1, 0, 1, 2]
    assert column(numbers(1) + numbers(1), "x") == [0, 0]
    with pytest.raises(RuntimeError, match="two of the datasets have a column 'x'"):
        ds.zip((numbers(1), numbers(1))).get_col_names()
    with pytest.raises(RuntimeError, match="columns x and y cannot be concatenated"):
        list(numbers(1) + numbers(1, "y"))
    with pytest.raises(ValueError, match="at least two"):
        ds.zip([numbers(1)])
    with pytest.raises(TypeError):
        ds.zip([numbers(1), 3])  # type: ignore[list-item]


def test_project_and_rename() -> None:
    dataset = ds.zip((numbers(2), numbers(2, "y")))
    assert dataset.project(["y", "x"]).get_col_names() == ["y", "x"]
    assert dataset.project("y").get_col_names() == ["y"]
    assert dataset.rename("x", "a").get_col_names() == ["a", "y"]
    assert dataset.rename(["x", "y"], ["y", "x"]).get_col_names() == ["y", "x"]
    with pytest.raises(RuntimeError, match="two columns would be named 'y'"):
        dataset.rename("x", "y").get_col_names()
    with pytest.raises(ValueError, match="2 new names for 1"):
        dataset.rename("x", ["a", "b"])


@pytest.mark.parametrize("randomize", [False, True])
def test_split_has_no_row_twice(randomize: bool) -> None:
    for sizes, wanted in (([7, 3], [7, 3]), ([0.5, 0.25, 0.25], [6, 2, 2])):
        parts = numbers(10).split(sizes, randomize)
        values = [column(part, "x") for part in parts]
        assert [len(part) for part in values] == wanted
        assert sorted(chain(*values)) == list(range(10))
        again = [column(part, "x") for part in parts]
        assert again == values
        if not randomize:
            assert list(chain(*values)) == list(range(10))


def test_splits_stay_apart_wherever_they_stand() -> None:
    train, test = numbers(10).split([6, 4])
    side_by_side = ds.zip((train.map(lambda x: x, "x"), test.rename("x", "y")))
    pairs = [[value.asnumpy().item() for value in row] for row in side_by_side]
    assert not {pair[0] for pair in pairs} & {pair[1] for pair in pairs}


@pytest.mark.parametrize("sizes", [[5, 4], [0.5, 0.4], [10, 0], [0.5, 5], []])
def test_sizes_that_do_not_add_up_are_refused(sizes: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="split"):
        numbers(10).split(sizes)


def test_a_list_of_rows_reads_them_once() -> None:
    passes = []

    def rows() -> Any:
        passes.append(1)
        yield (1,)

    dataset = ds.GeneratorDataset(rows, ["x"])
    assert dataset
    assert len(list(dataset)) == len(passes) == 1
    for without in (dataset, numbers(3).repeat()):
        with pytest.raises(TypeError, match="length of this dataset is unknown"):
            len(without)


def test_apply() -> None:
    assert column(numbers(3).apply(lambda dataset: dataset.take(1)), "x") == [0]
    with pytest.raises(TypeError, match="must return a dataset"):
        numbers(3).apply(lambda dataset: 3)  # type: ignore[arg-type,return-value]


def test_use_sampler() -> None:
    dataset = numbers(5).use_sampler(ds.SubsetSampler([4, 0]))
    assert column(dataset, "x") == [4, 0]
    with pytest.raises(ValueError, match="is not a source"):
        numbers(5).batch(2).use_sampler(ds.SequentialSampler())


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda d: d.batch(0), "batch_size"),
        (lambda d: d.batch(2, 1), "drop_remainder"),
        (lambda d: d.batch(2, input_columns="x"), "per_batch_map"),
        (lambda d: d.shuffle(1), "buffer_size"),
        (lambda d: d.repeat(0), "count"),
        (lambda d: d.skip(-1), "count"),
        (lambda d: d.take(0), "count"),
        (lambda d: d.take("2"), "count"),
        (lambda d: d.map(3, "x"), "an operation must be"),
        (lambda d: d.map([], "x"), "at least one"),
        (lambda d: d.map(len, ["x", "x"]), "named twice"),
        (lambda d: d.filter("x"), "predicate"),
        (lambda d: d.create_dict_iterator(num_epochs=0), "num_epochs"),
        (lambda d: d.create_tuple_iterator(columns=["y"]), "no column 'y'"),
        (lambda d: d.padded_batch(2, pad_info={"x": 3}), "pair of a shape"),
    ],
)
def test_wrong_arguments_are_named(wrong: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        wrong(numbers(3))


def test_iterators_give_epochs() -> None:
    iterator = numbers(2).create_tuple_iterator(num_epochs=2)
    assert isinstance(iterator, ds.TupleIterator)
    assert [[row[0].asnumpy().item() for row in iterator] for _ in range(2)] == [[0, 1], [0, 1]]
    with pytest.raises(RuntimeError, match="2 epochs of this iterator are over"):
        next(iterator)
    endless = numbers(2).create_dict_iterator()
    assert isinstance(endless, ds.DictIterator)
    assert [len(list(endless)) for _ in range(4)] == [2] * 4
    assert isinstance(next(endless)["x"], ms.Tensor)
    endless.stop()
    with pytest.raises(RuntimeError, match="stopped"):
        next(endless)


def test_texts_stay_arrays() -> None:
    row = next(ds.NumpySlicesDataset({"w": ["a"]}).create_dict_iterator())
    assert isinstance(row["w"], np.ndarray)


def test_what_is_recorded_of_workers() -> None:
    before = ds.config.get_num_parallel_workers(), ds.config.get_prefetch_size()
    try:
        ds.config.set_num_parallel_workers(3)
        ds.config.set_prefetch_size(5)
        node = numbers(3).batch(2).to_json()
        assert (node["num_parallel_workers"], node["connector_queue_size"]) == (3, 5)
        assert numbers(3).batch(2, num_parallel_workers=7).to_json()["num_parallel_workers"] == 7
    finally:
        ds.config.set_num_parallel_workers(before[0])
        ds.config.set_prefetch_size(before[1])
