"""Files of texts, tables and JSON lines."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework.dataset as ds


def rows_of(dataset: ds.Dataset) -> list[tuple[Any, ...]]:
    return [
        tuple(value.tolist() for value in row) for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)
    ]


def written(path: Path, text: str | bytes) -> str:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


def lines(dataset: ds.Dataset) -> list[str]:
    return [row[0] for row in rows_of(dataset)]


def test_lines_without_their_ends_and_empty_ones(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", "\ufefffirst\r\n\n  two words \n北京\n\r\nlast")
    data = ds.TextFileDataset(path, shuffle=False)
    assert lines(data) == ["first", "  two words ", "北京", "last"]
    assert data.get_dataset_size() == 4
    assert data.get_col_names() == ["text"]
    assert lines(ds.TextFileDataset(path, num_samples=2, shuffle=False)) == ["first", "  two words "]


def test_files_take_turns_and_shards_are_equal(tmp_path: Path) -> None:
    written(tmp_path / "a.txt", "a1\na2\na3\na4\n")
    written(tmp_path / "b.txt", "b1\n")
    written(tmp_path / "c.txt", "c1\nc2\n")
    pattern = str(tmp_path / "?.txt")
    assert lines(ds.TextFileDataset(pattern, shuffle=False)) == ["a1", "b1", "c1", "a2", "c2", "a3", "a4"]
    shards = [lines(ds.TextFileDataset(pattern, shuffle=False, num_shards=3, shard_id=number)) for number in range(3)]
    assert shards == [["a1", "a2", "a3"], ["a4", "b1", "c1"], ["c2", "a1", "a2"]]
    for mode in (True, ds.Shuffle.GLOBAL, ds.Shuffle.FILES, ds.Shuffle.INFILE):
        data = ds.TextFileDataset(pattern, shuffle=mode)
        assert sorted(lines(data)) == ["a1", "a2", "a3", "a4", "b1", "c1", "c2"]
    whole = [line for line in lines(ds.TextFileDataset(pattern, shuffle=ds.Shuffle.FILES)) if line[0] == "a"]
    assert whole == ["a1", "a2", "a3", "a4"]
    random = ds.TextFileDataset(pattern).create_tuple_iterator(num_epochs=3, output_numpy=True)
    assert len({tuple(row[0].item() for row in random) for _ in range(3)}) > 1
    parts = [lines(ds.TextFileDataset(pattern, num_shards=7, shard_id=number)) for number in range(7)]
    assert sorted(line for part in parts for line in part) == ["a1", "a2", "a3", "a4", "b1", "c1", "c2"]


def test_lines_may_be_kept_in_a_cache(tmp_path: Path) -> None:
    cache = ds.DatasetCache(1)
    paths = [written(tmp_path / f"{name}.txt", f"{name}1\n{name}2\n") for name in "ab"]
    data = ds.TextFileDataset(paths, shuffle=False, cache=cache)
    assert lines(data) == lines(data) == ["a1", "b1", "a2", "b2"]
    assert cache.get_stat()["num_mem_cached"] == 4


def test_what_is_wrong_with_texts_names_the_file_and_the_line(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no file that matches '.*none.txt'"):
        ds.TextFileDataset(str(tmp_path / "none.txt"))
    with pytest.raises(ValueError, match="no file is given"):
        ds.TextFileDataset([])
    with pytest.raises(TypeError, match="shuffle must be a bool"):
        ds.TextFileDataset(written(tmp_path / "a.txt", "x"), shuffle="yes")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="num_shards and shard_id belong together"):
        ds.TextFileDataset(str(tmp_path / "a.txt"), num_shards=2)
    with pytest.raises(ValueError, match="shard_id must lie between"):
        ds.TextFileDataset(str(tmp_path / "a.txt"), num_shards=2, shard_id=2)
    with pytest.raises(RuntimeError, match=r"line 3 of .*b.txt.*not UTF-8: byte 2 of the line"):
        list(ds.TextFileDataset(written(tmp_path / "b.txt", b"ok\n\nx\xff\n"), shuffle=False))
    with pytest.raises(RuntimeError, match=r"there is no row in .*c.txt"):
        list(ds.TextFileDataset(written(tmp_path / "c.txt", "\n\n")))


TABLE = [["1", "0.5", "plain"], ["-2", "1e3", 'a "word", quoted'], ["3", "-7", "two\nlines"], ["", "", ""]]


def test_a_table_that_pythons_writer_wrote(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["id", "score", "name"], *TABLE])
    data = ds.CSVDataset(str(path), shuffle=False)
    assert data.get_col_names() == ["id", "score", "name"]
    assert rows_of(data) == [tuple(row) for row in TABLE]
    typed = ds.CSVDataset(str(path), column_defaults=[9, 2.5, "none"], shuffle=False)
    assert rows_of(typed) == [(1, 0.5, "plain"), (-2, 1000, TABLE[1][2]), (3, -7, TABLE[2][2]), (9, 2.5, "none")]
    assert [str(kind) for kind in typed.output_types()[:2]] == ["int32", "float32"]


def test_a_table_with_given_names_and_another_delimiter(tmp_path: Path) -> None:
    path = written(tmp_path / "t.tsv", "1\tx y\n2\tz\n")
    data = ds.CSVDataset(path, "\t", [0, ""], ["n", "t"], shuffle=False)
    assert rows_of(data) == [(1, "x y"), (2, "z")]
    assert rows_of(ds.CSVDataset(path, "\t", [0, ""], ["n", "t"], num_shards=2, shard_id=1, shuffle=False)) == [
        (2, "z")
    ]


@pytest.mark.parametrize(
    ("text", "defaults", "words"),
    [
        ("a,b\n1,2\n3\n", None, r"line 3 of .*: ValueError: 1 fields for the 2 columns a, b"),
        ("a,b\n1,2\n3,4,5\n", None, r"line 3 of .*: ValueError: 3 fields for the 2 columns"),
        ("a,b\n1,2\n\nx,4\n", [0, 0], r"line 4 of .*column 'a' holds int32, not 'x'"),
        ("a,b\n1,2\n3,y\n", [0, 0.0], r"line 3 of .*column 'b' holds float32, not 'y'"),
        ("a,b\n3000000000,2\n", [0, 0], r"line 2 of .*column 'a' holds int32, not '3000000000'"),
        ('a,b\n1,2\n3,"x\n4,5\n', None, r"line 3 of .*: a quotation mark is opened and never closed"),
        ('a,b\n1,"x"y\n', None, r"line 2 of .*: ValueError: the line is no row of a table"),
        ("a,a\n1,2\n", None, r"line 1 of .*: two columns are named 'a'"),
        ("a,b\n1,2\n", [0], "1 column_defaults for 2 columns"),
        ("", None, "is empty; its first line should name the columns"),
        ("a,b\n", None, "there is no row in"),
    ],
)
def test_what_is_wrong_with_a_table(tmp_path: Path, text: str, defaults: list[Any] | None, words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        list(ds.CSVDataset(written(tmp_path / "t.csv", text), column_defaults=defaults, shuffle=False))


def test_arguments_of_tables(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", "a,b\n1,2\n")
    written(tmp_path / "u.csv", "a,c\n1,2\n")
    with pytest.raises(ValueError, match="field_delim must be one character"):
        ds.CSVDataset(path, ",,")
    with pytest.raises(TypeError, match="column_defaults must be ints"):
        ds.CSVDataset(path, column_defaults=[True, None])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="1 column_defaults for 2 column_names"):
        ds.CSVDataset(path, column_defaults=[1], column_names=["a", "b"])
    with pytest.raises(RuntimeError, match=r"line 1 of .*u.csv: the columns a, c are other than a, b in .*t.csv"):
        list(ds.CSVDataset([path, str(tmp_path / "u.csv")]))


TASKS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "AFQMC": ({"sentence1": "s", "sentence2": "t", "label": "1"}, {"id": 7, "sentence1": "s", "sentence2": "t"}),
    "CMNLI": ({"sentence1": "s", "sentence2": "t", "label": "neutral"}, {"id": 0, "sentence1": "s", "sentence2": "t"}),
    "CSL": ({"id": 3, "abst": "a", "keyword": ["k", "word"], "label": "0"}, {"id": 3, "abst": "a", "keyword": ["k"]}),
    "IFLYTEK": ({"label": "5", "label_des": "d", "sentence": "s"}, {"id": 1, "sentence": "s"}),
    "TNEWS": (
        {"label": "108", "label_desc": "news", "sentence": "s", "keywords": "k,l"},
        {"id": 9, "sentence": "s", "keywords": ""},
    ),
}
SPANS = {"span1_index": 5, "span2_index": 42, "span1_text": "x", "span2_text": "y"}


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("usage", ["train", "eval", "test"])
def test_tasks_of_clue(tmp_path: Path, task: str, usage: str) -> None:
    fields = TASKS[task][usage == "test"]
    path = written(tmp_path / "a.json", json.dumps({**fields, "other": None}) + "\n")
    data = ds.CLUEDataset(path, task, usage, shuffle=False)
    (row,) = data.create_dict_iterator(num_epochs=1, output_numpy=True)
    assert list(row) == sorted(fields)
    assert {name: value.tolist() for name, value in row.items()} == fields
    assert all(row[name].dtype == np.uint32 for name in row if name == "id")


@pytest.mark.parametrize("usage", ["train", "eval", "test"])
def test_spans_of_clue_are_columns(tmp_path: Path, usage: str) -> None:
    label = {} if usage == "test" else {"label": "true"}
    given = {"target": SPANS, "idx": 0, "text": "z", **label}
    data = ds.CLUEDataset(written(tmp_path / "a.json", json.dumps(given)), "WSC", usage)
    (row,) = data.create_dict_iterator(num_epochs=1, output_numpy=True)
    assert {name: value.tolist() for name, value in row.items()} == {**SPANS, "idx": 0, "text": "z", **label}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"sentence1": "s"}', r"line 2 of .*no field 'label', only sentence1"),
        ('{"sentence1": "s"', r"line 2 of .*the line is not JSON"),
        ("[1]", r"line 2 of .*no object with the fields label"),
        ('{"label": null, "sentence1": "s", "sentence2": "t"}', r"line 2 of .*field 'label' holds a text"),
        ('{"label": 5000000000, "sentence1": "s", "sentence2": "t"}', r"line 2 of .*needs more than 32 bits"),
    ],
)
def test_what_is_wrong_with_lines_of_clue(tmp_path: Path, line: str, words: str) -> None:
    good = json.dumps(TASKS["AFQMC"][0])
    path = written(tmp_path / "a.json", f"{good}\n{line}\n{good}\n")
    with pytest.raises(RuntimeError, match=words):
        list(ds.CLUEDataset(path, "AFQMC", "train", shuffle=False))
    with pytest.raises(ValueError, match="task"):
        ds.CLUEDataset(path, "CHID")
    with pytest.raises(ValueError, match="usage"):
        ds.CLUEDataset(path, usage="all")
