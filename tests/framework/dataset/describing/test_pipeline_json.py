"""The JSON of pipelines as a contract: its schema, the paths of mistakes, functions by import path, YAML."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import framework.dataset as ds
from framework.dataset import transforms as T  # noqa: N812
from framework.dataset import vision as V  # noqa: N812
from framework.dataset.engine.describing.pipeline_schema import BOUNDS, operations, pipeline_schema
from framework.dataset.transforms.operation import operation_from_json
from tests.framework.dataset.describing.every_operation import every_operation
from tests.framework.dataset.files import write_folder, write_mnist

ROOT = Path(__file__).parents[4]
HERE = "tests.framework.dataset.describing"
#: Arguments of transforms that are out of the bounds of their names.
OUTSIDE: dict[str, Any] = {"exclusiveMinimum": 0, "minimum": -1, "maximum": 256}


SOURCE = {"op_type": "MnistDataset"}


def darker(image: Any) -> Any:
    """A function with an import path."""
    return image // 2


def is_first(label: Any) -> Any:
    """A predicate with an import path."""
    return label == 0


def halves(images: list[Any], info: Any) -> tuple[list[Any]]:
    """A function of batches with an import path."""
    return ([image // 2 for image in images],)


def mnist(folder: Path) -> ds.Dataset:
    write_mnist(folder)
    return ds.MnistDataset(folder, "train", shuffle=False)


def rows(data: ds.Dataset) -> list[list[Any]]:
    return [[value.tolist() for value in row] for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def test_the_schema_in_the_documentation_is_current() -> None:
    schema = pipeline_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert json.loads((ROOT / "docs/pipeline.schema.json").read_text()) == schema


def test_the_schema_accepts_every_operation_and_brings_it_back(tmp_path: Path) -> None:
    every = every_operation(tmp_path)
    assert {operation.to_json()["tensor_op_name"] for operation in every} == set(operations())
    validator = jsonschema.Draft202012Validator(pipeline_schema())
    source = mnist(tmp_path / "mnist")
    for operation in every:
        made = json.loads(json.dumps(source.map(operation, "image").to_json()))
        assert not list(validator.iter_errors(made)), operation
        if type(operation).__name__ != "ToVectors":
            assert ds.deserialize(made).node.operations == (operation,)


def test_arguments_out_of_the_schemas_bounds_are_those_that_transforms_refuse(tmp_path: Path) -> None:
    seen = set()
    for operation in every_operation(tmp_path):
        made = operation.to_json()
        for name, bounds in BOUNDS.items():
            if name not in (made["tensor_op_params"] or {}):
                continue
            for bound, wrong in OUTSIDE.items():
                if bound not in bounds or type(operation).__name__ in ("GaussianBlur", "Lookup"):
                    continue
                value = 1.5 if bound == "maximum" and bounds[bound] == 1 else wrong
                given = made["tensor_op_params"][name]
                wrongs = {**made["tensor_op_params"], name: [value] * len(given) if isinstance(given, list) else value}
                with pytest.raises((TypeError, ValueError, RuntimeError)):
                    operation_from_json({**made, "tensor_op_params": wrongs})
                seen.add(name)
    assert seen == set(BOUNDS)


@pytest.mark.parametrize(
    ("name", "parameters", "says"),
    [
        ("Resize", {"size": 0}, "params.size: must be above 0, not 0"),
        ("Resize", {"size": [5, -1]}, r"params.size\[1\]: must be above 0, not -1"),
        ("Resize", {"size": "large"}, "params.size: must be an integer or a list, not 'large'"),
        ("Resize", {"size": 5, "sise": 1}, "params: there is no argument 'sise', only size, "),
        ("Resize", {}, "params: needs 'size'"),
        ("Resize", None, "params: must be an object, not None"),
        ("Resise", {"size": 1}, "name: there is no transform 'Resise', only AddToken"),
        ("Resize", {"size": 1, "interpolation": 9}, r"params.interpolation: must be one of \[0, 1, "),
        ("RandomPosterize", {"bits": [5, 2]}, ""),
    ],
)
def test_a_mistake_in_an_operation_is_named_by_its_path(tmp_path: Path, name: str, parameters: Any, says: str) -> None:
    data = mnist(tmp_path).map([V.Rescale(1, 0), V.Invert(), V.Resize(5)], "image").batch(2)
    made = json.loads(json.dumps(data.to_json()))
    made["children"][0]["operations"][2] = {"tensor_op_name": name, "tensor_op_params": parameters}
    place = r"children\[0\]\.operations\[2\]" + (r"\.tensor_op_" if says else ": ")
    with pytest.raises((TypeError, ValueError), match=rf"^{place}{says}"):
        ds.deserialize(made)


@pytest.mark.parametrize(
    ("made", "says"),
    [
        ({"op_type": "Mop"}, "^op_type: there is no operator 'Mop', only Batch, "),
        ({"op_type": "Batch", "children": []}, "^the pipeline needs 'batch_size'|^children: must have at least 1"),
        ({"op_type": "Batch", "batch_size": "2", "children": [SOURCE]}, "^batch_size: must be an integer, not '2'"),
        ({"op_type": "Zip", "children": [SOURCE]}, "children: must have at least 2 items, not 1"),
        ({"op_type": "Take", "count": 0, "children": [SOURCE]}, "count: must not be 0"),
        ({"op_type": "Skip", "count": 1, "children": [SOURCE]}, r"^children\[0\]: .*dataset_dir"),
        ({"op_type": "MnistDataset", "dataset_dir": "nowhere"}, "there is no folder 'nowhere'"),
        ({"op_type": "MnistDataset", "sampler": {"sampler_name": "PKSampler", "num_val": 0}}, "^sampler.num_val: m"),
        ({"op_type": "MnistDataset", "sampler": {"sampler_name": "PKSampler"}}, "num_val"),
        (["op_type"], "^the pipeline must be an object"),
    ],
)  # fmt: skip
def test_a_mistake_in_an_operator_is_named_by_its_path(made: Any, says: str) -> None:
    with pytest.raises((TypeError, ValueError), match=says):
        ds.deserialize(made)


def test_functions_come_back_by_their_import_paths(tmp_path: Path) -> None:
    data = mnist(tmp_path).map([darker, T.Compose([darker, V.Invert()])], "image")
    data = data.filter(is_first, "label").batch(2, per_batch_map=halves, input_columns="image")
    made = json.loads(json.dumps(data.to_json()))
    path = f"{HERE}.test_pipeline_json"
    mapped = made["children"][0]["children"][0]
    assert mapped["operations"][0] == {
        "is_python_front_end_op": True,
        "python": f"{path}:darker",
        "tensor_op_name": "darker",
    }
    assert made["children"][0]["predicate"] == {"python": f"{path}:is_first"}
    with pytest.raises(ValueError, match=r"runs code of .*; if you trust this JSON, pass functions_from=\['tests'\]"):
        ds.deserialize(made)
    assert rows(ds.deserialize(made, functions_from=["tests"])) == rows(data)
    mapped["operations"][0] = {"python": f"{path}:lighter"}
    with pytest.raises(ValueError, match=r"^children\[0\]\.children\[0\]\.operations\[0\]: there is no function"):
        ds.deserialize(made, functions_from=[HERE])
    mapped["operations"][0] = {"python": "os:system"}
    with pytest.raises(ValueError, match="runs code of os"):
        ds.deserialize(made, functions_from=[HERE])


def test_a_pipeline_in_yaml_by_hand(tmp_path: Path) -> None:
    write_folder(tmp_path / "images")
    path = tmp_path / "pipeline.yaml"
    path.write_text(f"""
        # What is left out has its default.
        op_type: Batch
        batch_size: 2
        children:
          - op_type: Map
            input_columns: [image]
            operations:
              - {{tensor_op_name: Decode}}
              - {{tensor_op_name: Resize, tensor_op_params: {{size: [4, 6]}}}}
            children:
              - op_type: ImageFolderDataset
                dataset_dir: {tmp_path / "images"}
                sampler: {{sampler_name: SequentialSampler}}
        """)
    written = ds.deserialize(json_filepath=str(path))
    data = ds.ImageFolderDataset(tmp_path / "images", shuffle=False)
    assert rows(written) == rows(data.map([V.Decode(), V.Resize((4, 6))], "image").batch(2))
    path.write_text("op_type: [")
    with pytest.raises(ValueError, match=r"pipeline.yaml is not YAML: (.|\n)*line 1"):
        ds.deserialize(json_filepath=str(path))
    other = tmp_path / "pipeline.json"
    other.write_text("{")
    with pytest.raises(ValueError, match=r"pipeline.json is not JSON: .*line 1"):
        ds.deserialize(json_filepath=str(other))


def test_defaults_of_tables_and_records_come_back(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("1,0.5,ann\n2,,bob\n")
    data = ds.CSVDataset(str(table), ",", [1, -1.0, ""], ["id", "score", "name"], shuffle=False)
    back = ds.deserialize(json.loads(json.dumps(data.to_json())))
    assert rows(back) == rows(data) == [[1, 0.5, "ann"], [2, -1.0, "bob"]]
    path = str(tmp_path / "rows.mindrecord")
    ds.NumpySlicesDataset({"a": np.arange(5)}, shuffle=False).save(path)
    records = ds.MindDataset(path, shuffle=False).skip(1)
    assert rows(ds.deserialize(records.to_json())) == rows(records) == [[1], [2], [3], [4]]
