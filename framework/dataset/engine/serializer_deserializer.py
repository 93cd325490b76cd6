"""Pipelines as JSON and back: `ds.serialize`, `ds.deserialize`, `ds.show`, `ds.compare`."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from framework.dataset.engine.callers import caller
from framework.dataset.engine.datasets import Dataset
from framework.dataset.engine.describing.loading import node_of
from framework.dataset.engine.describing.validation import check_pipeline
from framework.dataset.ir.python_functions import allowed_packages

__all__ = ["compare", "deserialize", "serialize", "show"]

logger = logging.getLogger(__name__)


def serialize(dataset: Dataset, json_filepath: str = "") -> dict[str, Any]:
    """A pipeline as MindSpore's JSON.

    Python functions are represented by their import paths; those without one, such as lambdas, by their names alone,
    which `deserialize` refuses.

    Args:
        dataset: the last dataset of the pipeline.
        json_filepath: file to write the JSON to; empty for none.

    Returns:
        The JSON as a dictionary.
    """
    return dataset.to_json(json_filepath)


def deserialize(
    input_dict: Mapping[str, Any] | None = None,
    json_filepath: str | None = None,
    functions_from: Sequence[str] = (),
) -> Dataset:
    """Create the pipeline that JSON describes; `docs/pipeline.schema.json` is its schema.

    Args:
        input_dict: the result of `serialize`.
        json_filepath: the file that `serialize` or autotune wrote, or one written by hand, in place of `input_dict`. A
            file that ends in .yaml or .yml has the same in YAML.
        functions_from: packages from which functions may come (`{"python": "package.module:name"}`). To import and
            call a function runs its code: name only packages that you trust whatever the JSON does with them.

    Returns:
        The last dataset of the pipeline.

    Raises:
        ValueError: neither argument is given, or the JSON has a mistake. The message begins with the path of it, such
            as `children[0].operations[2].tensor_op_params.size`.
        TypeError: an argument has another type.
        NotImplementedError: a part of the pipeline is Python code without an import path.
    """
    if json_filepath is not None:
        input_dict = _read(Path(json_filepath))
    if not input_dict:
        raise ValueError("deserialize: give input_dict or json_filepath")
    # Autotune writes the pipeline below a remark.
    description = input_dict.get("tree", input_dict) if isinstance(input_dict, Mapping) else input_dict
    check_pipeline(description)
    with allowed_packages(functions_from):
        return Dataset(node_of(description, caller()))


def _read(path: Path) -> Any:
    """What a file describes.

    Raises:
        ValueError: it is neither JSON nor YAML; the message names the file and the line.
    """
    text = path.read_text()
    if path.suffix.lower() not in (".yaml", ".yml"):
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"{path} is not JSON: {error}") from error
    import yaml  # Only files in YAML need it.

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"{path} is not YAML: {error}") from error


def show(dataset: Dataset, indentation: int | None = 2) -> None:
    """Write a pipeline's JSON to the log, at level INFO.

    Args:
        dataset: the last dataset of the pipeline.
        indentation: number of spaces per level; None for one line.
    """
    logger.info("%s", json.dumps(dataset.to_json(), indent=indentation))


def compare(pipeline1: Dataset, pipeline2: Dataset) -> bool:
    """Whether two pipelines have the same JSON.

    Args:
        pipeline1: the last dataset of a pipeline.
        pipeline2: the last dataset of another pipeline.
    """
    return pipeline1.to_json() == pipeline2.to_json()
