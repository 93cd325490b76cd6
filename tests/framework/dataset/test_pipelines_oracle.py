"""Recorded pipelines of MindSpore 2.10 have the same rows, sizes, shapes, errors and JSON here."""

import functools
import hashlib
import importlib.util
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
import framework.dataset as ds

DATA = Path(os.environ.get("MINDINSIGHT_TEST_DATA", Path(__file__).parents[4] / "shared/data"))
CASES = Path(os.environ.get("CASES_MINDDATA", DATA / "minddata"))
FILES = str(CASES / "files")
#: What differs on purpose, by what the code of a case has, with the reason; docs/data.md says it, too.
DIFFERENT = {
    r"padded_batch\(\d+\)": "a padded_batch without pad_info pads to the longest",
}
#: The same for single questions about a pipeline.
OTHER_ANSWERS = {
    (r"class_indexing=", "size"): "the size counts the images of all classes, while only those of class_indexing come",
    (r"\{\"k\": ", "shapes"): "a dictionary has the shape [0]",
}
#: The same for entries of the JSON.
OTHER_ENTRIES = {
    ".seed": "MindSpore's counts how often the pipeline was built",
    ".column_defaults": "MindSpore leaves them out, so that columns come back as texts",
    ".tensor_op_params.slices": "MindSpore leaves out the arguments of Slice, so that it cannot come back",
}
#: What JSON cannot bring back: the user's objects and functions, and what MindSpore leaves out.
LOST = ("GeneratorDataset", "BucketBatchByLength", "pyfunc")


@functools.cache
def cases(name: str) -> dict[str, Any]:
    """The cases of a file; empty where there is no recording."""
    path = CASES / name
    return json.loads(path.read_text()) if path.exists() else {}


def made(code: str) -> ds.Dataset:
    """The pipeline of a case."""
    spec = importlib.util.spec_from_file_location("minddata_setup", CASES / "setup.py")
    assert spec is not None
    assert spec.loader is not None
    setup = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(setup)
    names: dict[str, Any] = {"ds": ds, "v": ds.vision, "tr": ds.transforms, "text": ds.text, "ms": ms}
    names |= {"Inter": ds.vision.Inter, "Border": ds.vision.Border}
    dataset = eval(code, {**setup.make(ds), **names})  # noqa: S307 - the recording's expressions
    assert isinstance(dataset, ds.Dataset)
    return dataset


def is_same(wanted: Mapping[str, Any], value: Any) -> bool:
    """Whether a column's value is the recorded one."""
    wanted = wanted.get("dict", wanted)
    array = np.asarray(value)
    if array.dtype == object:
        value = array.item()
    if isinstance(value, dict):
        return value.keys() == wanted.keys() and all(is_same(wanted[name], value[name]) for name in wanted)
    dtype = f"<U{array.dtype.itemsize // 4}" if array.dtype.kind == "U" else str(array.dtype)
    if (dtype, list(array.shape)) != (wanted["dtype"], wanted["shape"]):
        return False
    if "value" in wanted:
        exact = array.dtype.kind != "f"
        return array.tolist() == wanted["value"] if exact else np.allclose(array, np.array(wanted["value"]), 1e-5)
    same = hashlib.sha1(np.ascontiguousarray(array).tobytes()).hexdigest() == wanted["sha1"]  # noqa: S324 - no secret
    return same or (array.dtype.kind == "f" and abs(float(array.mean()) - wanted["mean"]) < 1e-6)


def answers(dataset: ds.Dataset) -> dict[str, Any]:
    """What a data set says about itself; the class of the error where it fails."""
    questions: dict[str, Callable[[], Any]] = {
        "columns": dataset.get_col_names,
        "size": dataset.get_dataset_size,
        "shapes": dataset.output_shapes,
        "types": lambda: ["<U0" if kind.kind == "U" else str(kind) for kind in dataset.output_types()],
        "batch_size": dataset.get_batch_size,
        "repeat_count": dataset.get_repeat_count,
    }
    said = {}
    for name, question in questions.items():
        try:
            said[name] = question()
        except RuntimeError as error:
            said[name] = {"error": type(error).__name__}
    return said


def read(dataset: ds.Dataset, epochs: int) -> list[list[dict[str, Any]]]:
    iterator = dataset.create_dict_iterator(num_epochs=epochs, output_numpy=True)
    return [list(iterator) for _ in range(epochs)]


def in_any_order(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The recorded rows of an epoch, sorted; those of a random order compare equal if they are the same."""
    return sorted(json.dumps([row[name]["value"] for name in row]) for row in rows)


def compare(case: Mapping[str, Any], epochs: Sequence[Sequence[Mapping[str, Any]]]) -> None:
    """In order without a seed. Random orders have the same rows, if those of all recorded epochs are the same
    and none comes twice."""
    if case["seed"] is not None and len(case["rows"]) > 1:
        sets = [in_any_order(rows) for rows in case["rows"]]
        own = [sorted(json.dumps([value.tolist() for value in row.values()]) for row in rows) for rows in epochs]
        drawn_again = any(one != sets[0] or len(set(one)) < len(one) for one in sets)
        assert own == sets or drawn_again
    for wanted, rows in zip(case["rows"], epochs, strict=True):
        assert len(rows) == len(wanted)
        if case["seed"] is None:
            for number, (row, other) in enumerate(zip(rows, wanted, strict=True)):
                assert list(row) == list(other)
                assert all(is_same(other[name], row[name]) for name in other), f"row {number}: {row}, not {other}"


@pytest.mark.parametrize("name", cases("pipelines.json") or [""])
def test_rows_are_as_recorded(name: str) -> None:
    if not name:
        pytest.skip(f"no recorded pipelines in {CASES}; CASES_MINDDATA names the directory that has them")
    case = cases("pipelines.json")[name]
    for pattern, why in DIFFERENT.items():
        if re.search(pattern, case["code"]):
            pytest.skip(why)
    errors = [case, *(case[key] for key in ("shapes", "rows") if isinstance(case.get(key), dict))]
    error = next((one["error"] for one in errors if "error" in one), None)
    try:
        if case["seed"] is not None:
            ds.config.set_seed(case["seed"])
        if error is not None:
            with pytest.raises((TypeError, ValueError, RuntimeError)) as raised:
                read(made(case["code"]), case["epochs"])
            assert type(raised.value).__name__ == error
            return
        dataset = made(case["code"])
        said = answers(dataset)
        for key, answer in said.items():
            if not any(key == other and re.search(pattern, case["code"]) for pattern, other in OTHER_ANSWERS):
                assert answer == case.get(key, answer), key
        compare(case, read(dataset, case["epochs"]))
    finally:
        ds.config.set_seed(5489)


def placed(value: Any, before: str, after: str) -> Any:
    """JSON with another folder, and without numbers of workers, which follow the machine."""
    if isinstance(value, dict):
        return {key: placed(item, before, after) for key, item in value.items() if key != "num_parallel_workers"}
    if isinstance(value, list):
        return [placed(item, before, after) for item in value]
    return value.replace(before, after) if isinstance(value, str) else value


def flat(value: Any, path: str = "") -> dict[str, Any]:
    """The entries of JSON by their paths."""
    if isinstance(value, dict) and value:
        return {key: item for name in value for key, item in flat(value[name], f"{path}.{name}").items()}
    if isinstance(value, list) and value:
        return {key: item for place, one in enumerate(value) for key, item in flat(one, f"{path}[{place}]").items()}
    return {path: value}


@pytest.mark.parametrize("name", cases("serialized.json") or [""])
def test_json_is_as_recorded(name: str) -> None:
    if not name:
        pytest.skip(f"no recorded JSON in {CASES}; CASES_MINDDATA names the directory that has it")
    case = cases("serialized.json")[name]
    wanted, own = flat(case["json"]), flat(placed(made(case["code"]).to_json(), FILES, "DIR"))
    wanted = {path: value for path, value in wanted.items() if not path.endswith(".num_parallel_workers")}
    differing = {path for path in {*wanted, *own} if wanted.get(path, "absent") != own.get(path, "absent")}
    for entry in OTHER_ENTRIES:
        lost = {path.split(entry)[0] + entry for path in differing if entry in path}
        differing = {path for path in differing if entry not in path and not any(one.startswith(path) for one in lost)}
    assert differing == set()


@pytest.mark.parametrize("name", cases("serialized.json") or [""])
def test_recorded_json_makes_the_same_rows(name: str) -> None:
    if not name:
        pytest.skip(f"no recorded JSON in {CASES}; CASES_MINDDATA names the directory that has it")
    case = cases("serialized.json")[name]
    description = placed(case["json"], "DIR", FILES)
    if any(f'"{word}"' in json.dumps(description) for word in LOST):
        with pytest.raises(NotImplementedError, match="JSON"):
            ds.deserialize(description)
        return
    if '"CSVDataset"' in json.dumps(description):
        pytest.skip("MindSpore's JSON lacks column_defaults: columns come back as texts")

    def rows(dataset: ds.Dataset) -> list[list[Any]] | str:
        try:
            return [[value.tolist() for value in row.values()] for (epoch,) in [read(dataset, 1)] for row in epoch]
        except RuntimeError as error:
            return str(error).split(": ", 1)[-1]

    ds.config.set_seed(3)
    try:
        assert rows(ds.deserialize(description)) == rows(made(case["code"]))
    finally:
        ds.config.set_seed(5489)
