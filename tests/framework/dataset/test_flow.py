"""Operators that change the flow of rows: buckets, flat_map, waiting for the training, and callbacks."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
import framework.dataset as ds
from framework import nn
from framework.dataset.runtime.flow.callbacks import CallbackParam


def numbers(count: int) -> ds.Dataset:
    return ds.NumpySlicesDataset({"x": np.arange(count)}, shuffle=False)


def column(dataset: ds.Dataset, name: str = "x") -> list[Any]:
    return [row[name].tolist() for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True)]


def of_lengths(*lengths: int) -> ds.Dataset:
    def rows() -> Iterator[tuple[Any, ...]]:
        for number, length in enumerate(lengths):
            yield np.full(length, number), number

    return ds.GeneratorDataset(rows, ["x", "n"])


def test_rows_of_similar_length_are_one_batch() -> None:
    data = of_lengths(1, 5, 2, 7, 3, 9, 1, 4, 6)
    made = data.bucket_batch_by_length(["x"], [3, 6], [2, 2, 1], None, {"x": ([None], -1)})
    assert column(made, "n") == [[0, 2], [3], [1, 4], [5], [8], [6], [7]]
    assert column(made)[0] == [[0, -1], [2, 2]]
    assert made.get_dataset_size() == 7
    assert made.get_batch_size() == 1
    dropped = data.bucket_batch_by_length(["x"], [3, 6], [2, 2, 1], None, {"x": ([None], -1)}, drop_remainder=True)
    assert column(dropped, "n") == [[0, 2], [3], [1, 4], [5], [8]]


def test_buckets_by_a_function_and_up_to_their_boundary() -> None:
    data = of_lengths(1, 2, 4, 3)
    padding: dict[str, Any] = {"x": ([None], 0)}
    made = data.bucket_batch_by_length(["x"], [3, 6], [2, 2, 2], None, padding, pad_to_bucket_boundary=True)
    assert [np.shape(value) for value in column(made)] == [(2, 2), (2, 5)]
    by_number = data.bucket_batch_by_length(["n"], [2], [2, 2], lambda number: number, padding)
    assert column(by_number, "n") == [[0, 1], [2, 3]]
    with pytest.raises(RuntimeError, match="a row of length 9 is in the last bucket, which has no boundary"):
        column(of_lengths(9).bucket_batch_by_length(["x"], [3], [1, 1], None, padding, pad_to_bucket_boundary=True))
    with pytest.raises(RuntimeError, match=r"at sample 0: TypeError: element_length_function must return an int"):
        column(data.bucket_batch_by_length(["n"], [2], [2, 2], lambda number: "long"))  # type: ignore[arg-type,return-value]
    with pytest.raises(RuntimeError, match=r"column 'x' has shape \(2,\) here, \(1,\) in the first row"):
        column(data.bucket_batch_by_length(["x"], [3], [2, 2]))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((["x"], [3, 3], [1, 1, 1]), "must increase"),
        ((["x"], [], [1]), "must increase"),
        ((["x"], [3], [1]), "one more than the 1 boundaries"),
        ((["x", "n"], [3], [1, 1]), "must be one column without"),
        ((["x"], [3], [0, 1]), "bucket_batch_sizes"),
    ],
)
def test_arguments_of_buckets(arguments: tuple[list[str], list[int], list[int]], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        of_lengths(1).bucket_batch_by_length(*arguments)


def test_each_row_becomes_a_dataset(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(f"{name}1\n{name}2\n")
    (tmp_path / "list").write_text(f"{tmp_path}/a\n{tmp_path}/b\n")
    files = ds.TextFileDataset(str(tmp_path / "list"), shuffle=False)
    texts = files.flat_map(lambda row: ds.TextFileDataset(str(row[0]), shuffle=False))
    assert column(texts, "text") == ["a1", "a2", "b1", "b2"]
    assert texts.get_dataset_size() == 4
    assert texts.get_col_names() == ["text"]
    assert column(texts.batch(4), "text") == [["a1", "a2", "b1", "b2"]]
    with pytest.raises(TypeError, match="func must return a dataset, not 3"):
        numbers(2).flat_map(lambda row: 3)  # type: ignore[arg-type,return-value]
    with pytest.raises(TypeError, match="func must be a function"):
        numbers(2).flat_map(3)  # type: ignore[arg-type]
    other = numbers(2).flat_map(lambda row: numbers(1) if row[0] == 0 else numbers(1).rename("x", "y"))
    with pytest.raises(RuntimeError, match="at sample 1: ValueError: the dataset has the columns y; that of the first"):
        column(other)
    with pytest.raises(RuntimeError, match="has no row"):
        numbers(2).skip(2).flat_map(lambda row: numbers(1))


def test_random_rows_of_flat_map_differ_by_row_and_repeat_with_the_seed() -> None:
    data = numbers(2).flat_map(lambda row: ds.NumpySlicesDataset({"x": np.arange(20)}))
    ds.config.set_seed(3)
    try:
        first, again = column(data), column(data)
    finally:
        ds.config.set_seed(5489)
    assert first == again
    assert first[:20] != first[20:]
    assert sorted(first[:20]) == sorted(first[20:]) == list(range(20))


@pytest.mark.parametrize("workers", [1, 3])
def test_rows_wait_for_updates(workers: int) -> None:
    added = [0]

    def plus(value: Any) -> Any:
        return value + added[0]

    def update(data: int) -> None:
        added[0] = data

    data = numbers(5).sync_wait("steps", callback=update).map(plus, "x", num_parallel_workers=workers)
    seen = []
    with data.create_dict_iterator(num_epochs=2, output_numpy=True) as iterator:
        for _ in range(2):
            for step, row in enumerate(iterator, 1):
                seen.append(row["x"].item())
                data.sync_update("steps", data=10 * step)
    # Row n is computed after n - 1 updates; only the first row of an epoch does not wait.
    assert seen[:5] == [0, 11, 22, 33, 44]
    # It may pass before the last update of the epoch before, which then lets another row pass.
    assert all((value - row) // 10 in (row - 1, row) for row, value in enumerate(seen[5:]) if row > 1)
    assert data.get_dataset_size() == 5
    assert list(data.get_sync_notifiers()) == ["steps"]


def test_waiting_ends_when_the_iterator_is_closed_or_syncing_is_disabled() -> None:
    data = numbers(50).sync_wait("gate", num_batch=2)
    iterator = data.create_dict_iterator(num_epochs=1)
    next(iterator)
    iterator.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("prefetch")]
    data.disable_sync()
    assert column(data) == list(range(50))


def test_arguments_of_waiting() -> None:
    data = numbers(2).sync_wait("a")
    with pytest.raises(ValueError, match="not in use, not 'a'"):
        data.sync_wait("a")
    with pytest.raises(RuntimeError, match="no condition 'b', only a"):
        data.sync_update("b")
    with pytest.raises(ValueError, match="num_batch"):
        data.sync_update("a", 0)
    with pytest.raises(ValueError, match="num_batch"):
        numbers(2).sync_wait("a", 0)
    with pytest.raises(TypeError, match="callback must be a function"):
        numbers(2).sync_wait("a", callback=3)  # type: ignore[arg-type]


class Noting(ds.DSCallback):
    def __init__(self, step_size: int = 1) -> None:
        super().__init__(step_size)
        self.seen: list[tuple[str, int, int, int]] = []

    def _note(self, moment: str, at: CallbackParam) -> None:
        self.seen.append((moment, at.cur_epoch_num, at.cur_step_num_in_epoch, at.cur_step_num))

    def ds_begin(self, ds_run_context: CallbackParam) -> None:
        self._note("begin", ds_run_context)

    def ds_epoch_begin(self, ds_run_context: CallbackParam) -> None:
        self._note("epoch begin", ds_run_context)

    def ds_epoch_end(self, ds_run_context: CallbackParam) -> None:
        self._note("epoch end", ds_run_context)

    def ds_step_begin(self, ds_run_context: CallbackParam) -> None:
        self._note("step begin", ds_run_context)

    def ds_step_end(self, ds_run_context: CallbackParam) -> None:
        self._note("step end", ds_run_context)


@pytest.mark.parametrize("workers", [1, 4])
def test_callbacks_of_a_map_are_called_in_the_order_of_rows(workers: int) -> None:
    noting, coarse = Noting(), Noting(2)
    data = numbers(3).map(lambda x: x + 1, "x", callbacks=[noting, coarse], num_parallel_workers=workers)
    iterator = data.create_dict_iterator(num_epochs=2, output_numpy=True)
    assert [[row["x"].item() for row in iterator] for _ in range(2)] == [[1, 2, 3], [1, 2, 3]]
    steps = [
        (moment, epoch, step, 3 * (epoch - 1) + step)
        for epoch in (1, 2)
        for step in (1, 2, 3)
        for moment in ("step begin", "step end")
    ]
    assert noting.seen == [
        ("begin", 1, 0, 0), ("epoch begin", 1, 0, 0), *steps[:6], ("epoch end", 1, 3, 3),
        ("epoch begin", 2, 0, 3), *steps[6:], ("epoch end", 2, 3, 6),
    ]  # fmt: skip
    assert [step for moment, _, step, _ in coarse.seen if moment == "step begin"] == [1, 3, 1, 3]
    data.get_dataset_size()
    data.output_shapes()
    assert len(noting.seen) == 17
    with pytest.raises(TypeError, match="callbacks must be of DSCallback, not 3"):
        numbers(3).map(lambda x: x, "x", callbacks=[3])
    with pytest.raises(ValueError, match="step_size"):
        ds.DSCallback(0)


class Following(ds.WaitedDSCallback):
    """Notes how many steps and epochs the training had done when the data went on."""

    def __init__(self, step_size: int) -> None:
        super().__init__(step_size)
        self.steps: list[tuple[int, int]] = []
        self.epochs: list[int] = []

    def sync_step_begin(self, train_run_context: Any, ds_run_context: CallbackParam) -> None:
        trained = train_run_context.original_args().cur_step_num
        self.steps.append((trained, ds_run_context.cur_step_num))

    def sync_epoch_begin(self, train_run_context: Any, ds_run_context: CallbackParam) -> None:
        assert train_run_context.original_args().cur_step_num >= 3
        self.epochs.append(ds_run_context.cur_epoch_num)


def test_data_that_waits_for_the_training() -> None:
    following = Following(step_size=2)
    rows = ds.NumpySlicesDataset({"x": np.ones((6, 3), np.float32), "y": np.ones((6, 1), np.float32)}, shuffle=False)
    data = rows.map(lambda x: x * 2, "x", callbacks=following).batch(2)
    network = nn.Dense(3, 1)
    model = ms.train.Model(network, nn.MSELoss(), nn.SGD(network.trainable_params(), 0.1))
    model.train(2, data, callbacks=[following], dataset_sink_mode=False)  # type: ignore[list-item]
    assert following.steps == [(1, 3), (2, 5), (3, 7), (4, 9), (5, 11)]
    assert following.epochs == [2]


def test_data_that_waits_for_a_training_that_never_comes() -> None:
    ds.config.set_callback_timeout(1)
    try:
        with pytest.raises(RuntimeError, match="ds_step_begin waited 1 seconds for the training; give this callback"):
            column(numbers(3).map(lambda x: x, "x", callbacks=Following(1)))
    finally:
        ds.config.set_callback_timeout(60)
    iterator = numbers(3).map(lambda x: x, "x", callbacks=Following(1)).create_dict_iterator(num_epochs=1)
    next(iterator)
    iterator.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("prefetch")]


def test_concatenated_columns_have_one_type() -> None:
    floats = ds.NumpySlicesDataset({"x": np.arange(2, dtype=np.float32)}, shuffle=False)
    with pytest.raises(RuntimeError, match="column 'x' is float32 here, int64 before"):
        column(numbers(2) + floats)
    texts = ds.NumpySlicesDataset({"x": ["a"]}) + ds.NumpySlicesDataset({"x": ["longer"]})
    assert column(texts) == ["a", "longer"]


def test_types_of_a_generators_columns_are_checked() -> None:
    data = ds.GeneratorDataset(lambda: iter([(np.int64(3),)]), ["x"], column_types=[ms.int32])
    with pytest.raises(RuntimeError, match="column 'x' holds int64, but column_types says int32"):
        column(data)
    plain = ds.GeneratorDataset(lambda: iter([(3,), ([4],)]), ["x"], column_types=[ms.int32])
    assert [str(kind) for kind in plain.output_types()] == ["int32"]


def test_a_pipeline_without_rows_has_no_shapes() -> None:
    data = numbers(3).filter(lambda x: False)
    assert data.output_shapes() == []
    assert data.output_types() == []
    assert numbers(3).batch(lambda info: 2).get_batch_size() == -1


def test_operators_without_arguments_in_json_do_not_come_back() -> None:
    data = numbers(3)
    for made in (
        data.bucket_batch_by_length(["x"], [2], [1, 1], lambda x: int(x)),
        data.sync_wait("a"),
        data.flat_map(lambda row: numbers(1)),
        ds.RandomDataset(3),
    ):
        with pytest.raises(NotImplementedError, match="JSON cannot represent the arguments of"):
            ds.deserialize(made.to_json())


def test_shapes_that_differ_between_rows() -> None:
    data = of_lengths(2, 4, 3)
    assert data.output_shapes() == [[2], []]
    assert data.output_shapes(estimate=True) == [[None], []]
    assert data.dynamic_min_max_shapes() == ([[2], []], [[4], []])
    ranks = ds.GeneratorDataset(lambda: iter([(1,), ([2],)]), ["x"])
    with pytest.raises(RuntimeError, match="column 'x' has 1 dimensions at sample 1, and 0 before"):
        ranks.dynamic_min_max_shapes()
    with pytest.raises(RuntimeError, match="have no end"):
        numbers(2).repeat().output_shapes(estimate=True)


def test_vocabularies_of_a_dataset() -> None:
    words = ds.NumpySlicesDataset({"w": ["b", "a", "b"]}, shuffle=False)
    assert words.build_vocab("w", None, None, ["[UNK]"], True).vocab() == {"[UNK]": 0, "b": 1, "a": 2}
    texts = ds.NumpySlicesDataset({"t": ["the cat sat", "the cat ran", "a cat"]}, shuffle=False)
    kind = ds.text.SentencePieceModel.CHAR
    made = texts.build_sentencepiece_vocab(["t"], 12, 1.0, kind)
    again = ds.text.SentencePieceVocab.from_dataset(texts, ["t"], 12, 1.0, kind)
    assert made.pieces == again.pieces
