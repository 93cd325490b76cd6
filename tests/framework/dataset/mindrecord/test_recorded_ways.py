"""Every way in which MindSpore read the recorded file sets: samplers, columns, shards, shuffles and padded rows."""

import hashlib
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework.dataset as ds

DATA = Path(os.environ.get("MINDINSIGHT_TEST_DATA", Path(__file__).parents[5] / "shared/data"))
CASES = Path(os.environ.get("CASES_MINDDATA", DATA / "minddata")) / "mindrecord"
FOLDERS = sorted(CASES.iterdir()) if CASES.is_dir() else []

Rows = list[dict[str, np.ndarray]]


def first_of(case: Path) -> str:
    return str(min(path for path in case.glob("*.mindrecord*") if path.suffix != ".db"))


def expected(case: Path) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = json.loads((case / "expected.json").read_text())
    return found["reads"]


def read(case: Path, **arguments: Any) -> Rows:
    data = ds.MindDataset(first_of(case), **arguments)
    rows = list(data.create_dict_iterator(num_epochs=1, output_numpy=True))
    assert data.get_dataset_size() == len(rows)
    return rows


def key_of(value: np.ndarray) -> tuple[Any, ...]:
    return value.dtype.str, value.shape, hashlib.sha1(value.tobytes()).hexdigest()  # noqa: S324 - a checksum


def recorded_key(recorded: dict[str, Any]) -> tuple[Any, ...]:
    dtype = np.dtype(recorded["dtype"])
    if "value" not in recorded:
        return dtype.str, tuple(recorded["shape"]), recorded["sha1"]
    return key_of(np.asarray(recorded["value"], dtype).reshape(recorded["shape"]))


def keys(rows: Rows) -> list[tuple[Any, ...]]:
    return [tuple((name, key_of(value)) for name, value in row.items()) for row in rows]


def recorded_keys(way: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [tuple((name, recorded_key(row[name])) for name in way["columns"]) for row in way["rows"]]


def in_order(case: Path, way: str, **arguments: Any) -> None:
    recorded = expected(case).get(way)
    if recorded is None:
        pytest.skip(f"{case.name} has no way {way}")
    found = read(case, **arguments)
    assert len(found) == recorded["size"]
    wanted = recorded_keys(recorded)
    assert keys(found)[: len(wanted)] == wanted


if not FOLDERS:
    pytest.skip(f"no recorded MindRecord files in {CASES}; CASES_MINDDATA names the directory", allow_module_level=True)
each_case = pytest.mark.parametrize("case", FOLDERS, ids=lambda case: case.name)


@each_case
@pytest.mark.parametrize(
    ("way", "arguments"),
    [
        ("in_order", {"shuffle": False}),
        ("from_first_file", {"shuffle": False}),
        ("shard_1_of_3", {"num_shards": 3, "shard_id": 1, "shuffle": False}),
        ("shard_2_of_3", {"num_shards": 3, "shard_id": 2, "shuffle": False}),
        ("num_samples_5", {"num_samples": 5, "shuffle": False}),
        ("sequential_3_7", {"sampler": ds.SequentialSampler(3, 7)}),
        ("subset", {"sampler": ds.SubsetSampler([4, 0, 4])}),
        ("distributed_2_0", {"sampler": ds.DistributedSampler(2, 0, shuffle=False)}),
    ],
)
def test_rows_come_in_the_recorded_order(case: Path, way: str, arguments: dict[str, Any]) -> None:
    in_order(case, way, **arguments)


@each_case
def test_columns_come_in_the_given_order(case: Path) -> None:
    in_order(case, "columns", columns_list=expected(case)["columns"]["columns"], shuffle=False)


@each_case
@pytest.mark.parametrize(
    ("way", "arguments"),
    [
        ("shuffled_seed_5", {"shuffle": True}),
        ("files_seed_5", {"shuffle": ds.Shuffle.FILES}),
        ("infile_seed_5", {"shuffle": ds.Shuffle.INFILE}),
        ("random_sampler_seed_5", {"sampler": ds.RandomSampler(num_samples=6)}),
        ("subset_random_seed_5", {"sampler": ds.SubsetRandomSampler([1, 3, 5, 7])}),
    ],
)
def test_shuffles_have_the_recorded_rows_in_any_order(case: Path, way: str, arguments: dict[str, Any]) -> None:
    reads = expected(case)
    found = Counter(keys(read(case, **arguments)))
    assert found.total() == reads[way]["size"]
    if way == "random_sampler_seed_5":
        # MindSpore's generator drew other ones.
        assert found <= Counter(recorded_keys(reads["in_order"]))
    else:
        assert found == Counter(recorded_keys(reads[way]))


@each_case
def test_classes_have_the_recorded_number_of_rows(case: Path) -> None:
    recorded = expected(case)["pk"]
    if "error" in recorded:
        with pytest.raises(RuntimeError, match="'class_column': label can not found in fields of mindrecord files"):
            read(case, sampler=ds.PKSampler(2, class_column="label"))
        return
    # MindSpore gives the first row for each place; we give each class its own rows.
    found = read(case, sampler=ds.PKSampler(2, class_column="label"))
    assert len(found) == recorded["size"]
    known = {row["label"]["value"] for row in expected(case)["in_order"]["rows"]}
    assert Counter(int(row["label"]) for row in found) == dict.fromkeys(known, 2)


@each_case
def test_an_unknown_column_is_refused(case: Path) -> None:
    assert expected(case)["unknown_column"]["error"] == "RuntimeError"
    with pytest.raises(RuntimeError, match="column name: nothing can not be found in the schema"):
        read(case, columns_list=["nothing"])


@each_case
def test_weights_draw_rows_where_mindspore_refuses_them(case: Path) -> None:
    count = expected(case)["in_order"]["size"]
    found = keys(read(case, sampler=ds.WeightedRandomSampler([0.0, 1.0] + [0.0] * (count - 2), 4)))
    assert found == [keys(read(case, shuffle=False))[1]] * 4


@each_case
def test_padded_rows_fill_the_shards(case: Path) -> None:
    ways = {name: way for name, way in expected(case).items() if name.startswith("padded")}
    for way in ways.values():
        total, size, columns = len(read(case, shuffle=False)), way["size"], way["columns"]
        whole = read(case, columns_list=columns, shuffle=False)
        # Either the whole is read, or the second of two shards.
        shards = 1 if size > total else 2
        sample = {name: value.tobytes() if value.dtype.kind == "S" else value for name, value in whole[0].items()}
        shard = {"num_shards": 2, "shard_id": 1} if shards == 2 else {}
        found = keys(
            read(
                case,
                columns_list=columns,
                padded_sample=sample,
                num_padded=size * shards - total,
                shuffle=False,
                **shard,
            )
        )
        plain = keys(whole)
        wanted = ([*plain, *[plain[0]] * (size * shards - total)])[shards - 1 :: shards]
        assert found == wanted
        from_files = [row for row in recorded_keys(way) if row in set(plain)]
        assert [row for row in found if row != plain[0]] == [row for row in from_files if row != plain[0]]
