"""Makes pipelines of their JSON: nodes, sources, samplers. Called by `deserialize` after the check by the schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from framework.dataset.engine import samplers
from framework.dataset.engine.caching import cache_node
from framework.dataset.engine.describing.tables import INCOMPLETE, OPERATORS, SAMPLERS, SOURCES
from framework.dataset.engine.describing.validation import path_of
from framework.dataset.engine.node_arguments import workers_json
from framework.dataset.engine.schema import Schema
from framework.dataset.engine.shuffling import Shuffle
from framework.dataset.ir import Node
from framework.dataset.ir.python_functions import function_of
from framework.dataset.transforms.operation import operation_from_json

__all__ = ["node_of"]

Made = TypeVar("Made")
Path = tuple[str | int, ...]

_SHUFFLES = (Shuffle.FALSE, Shuffle.FILES, Shuffle.GLOBAL, Shuffle.INFILE)
#: What a node has beside its parameters.
_APART = frozenset(("op_type", "children", "operations", "sampler"))
#: What MindSpore writes about the children of a Concat, beside its parameters.
_OF_CONCAT = frozenset(("children_flag_and_nums", "children_sizes", "children_start_end_index"))


def node_of(description: Mapping[str, Any], where: str, path: Path = ()) -> Node:
    """The last node of a pipeline.

    Args:
        description: JSON that the schema has accepted.
        where: file and line of the user's program, for messages.
        path: path of the description in the whole, for messages.

    Raises:
        ValueError: an argument does not fit; the message begins with its path.
        TypeError: an argument has another type.
        NotImplementedError: a part of the pipeline is Python code of the user, which JSON cannot represent.
    """
    op_type = str(description["op_type"])
    if op_type in INCOMPLETE:
        raise NotImplementedError(_at(path, f"JSON cannot represent the arguments of {op_type}; apply it again"))
    if op_type == "GeneratorDataset":
        why = "GeneratorDataset reads from Python objects, which JSON cannot represent; create it again"
        raise NotImplementedError(_at(path, why))
    if op_type in SOURCES:
        return _made(path, lambda: _source(op_type, description, path))
    python = _functions(op_type, description, path)
    operator = OPERATORS[op_type]
    apart = _APART | (_OF_CONCAT if op_type == "Concat" else frozenset())
    given = {key: value for key, value in description.items() if key not in apart}
    parameters = {**(workers_json(None) if operator.workers else {}), **operator.defaults, **given}
    if op_type == "Map" and not parameters["output_columns"]:
        parameters["output_columns"] = parameters["input_columns"]
    if op_type == "Filter":
        parameters.pop("connector_queue_size")
    children = [
        node_of(child, where, (*path, "children", place)) for place, child in enumerate(description["children"])
    ]
    if op_type == "Cache":
        folder = parameters["folder"] or None
        return _made(path, lambda: cache_node(children[0], where, None, folder, parameters["memory_mb"]))
    operations = [
        _made((*path, "operations", place), lambda one=one: operation_from_json(one))  # type: ignore[misc]
        for place, one in enumerate(description.get("operations", ()))
    ]
    return Node(op_type, tuple(children), parameters, operations=tuple(operations), python=python, where=where)


def _at(path: Path, why: object) -> str:
    place = path_of(path)
    return f"{place}: {why}" if place else str(why)


def _made(path: Path, make: Callable[[], Made]) -> Made:
    """What a function makes; its errors name the path."""
    try:
        return make()
    except (NotImplementedError, TypeError, ValueError) as error:
        known = next(kind for kind in (NotImplementedError, TypeError, ValueError) if isinstance(error, kind))
        raise known(_at(path, error)) from error
    except (AttributeError, IndexError, KeyError, StopIteration) as error:
        raise ValueError(_at(path, f"an argument is missing or has a wrong form ({error!r})")) from error


def _functions(op_type: str, description: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The functions of the user that an operator calls."""
    found: dict[str, Any] = {}
    for name in ("predicate", "per_batch_map"):
        value = description.get(name)
        if isinstance(value, Mapping):
            found[name] = _made((*path, name), lambda value=value: function_of(value))  # type: ignore[misc]
        elif value is not None:
            raise NotImplementedError(_at((*path, name), _no_function(op_type)))
    if description.get("batch_size") == 0:
        raise NotImplementedError(_at((*path, "batch_size"), _no_function(op_type)))
    return found


def _no_function(op_type: str) -> str:
    return f"{op_type} calls a Python function, which JSON cannot represent; apply it again"


def _source(op_type: str, description: Mapping[str, Any], path: Path) -> Node:
    make, names = SOURCES[op_type]
    assert make is not None  # noqa: S101 - those without a class were refused before
    if description.get("num_padded"):
        raise NotImplementedError("JSON cannot represent padded_sample; create the dataset again")
    arguments = {name: description[name] for name in names if name in description}
    for name in ("extensions", "class_indexing", "num_samples", "column_names", "columns_list", "column_defaults"):
        if name in arguments:
            arguments[name] = arguments[name] or None
    sampler = _sampler(description["sampler"], (*path, "sampler")) if "sampler" in description else None
    if "shuffle" not in names:
        return make(**arguments, sampler=sampler).node
    if op_type == "CLUEDataset":
        arguments["dataset_files"] = description["dataset_dir"]
    if op_type == "TFRecordDataset":
        arguments["schema"] = arguments.pop("schema_file_path", "") or _schema(description)
    if description.get("num_shards", 1) == 1:
        arguments.update(num_shards=None, shard_id=None)
    made = make(**{**arguments, "shuffle": _SHUFFLES[description.get("shuffle", 2)]})
    return made.node if sampler is None else made.use_sampler(sampler).node


def _schema(description: Mapping[str, Any]) -> Schema | None:
    described = description.get("schema_json_string")
    if not described:
        return None
    schema = Schema()
    schema.from_json(json.loads(described) if isinstance(described, str) else described)
    return schema


def _sampler(description: Mapping[str, Any], path: Path) -> samplers.BuiltinSampler:
    name = description["sampler_name"]
    if name not in SAMPLERS:
        raise NotImplementedError(f"JSON cannot represent the sampler {name!r}, only {', '.join(SAMPLERS)}")
    arguments = {key: description[key] for key in SAMPLERS[name] if key in description}
    arguments["num_samples"] = arguments.get("num_samples") or None
    if name == "DistributedSampler" and "shuffle_mode" in description:
        arguments["shuffle"] = description["shuffle_mode"] != 0
    sampler: samplers.BuiltinSampler = getattr(samplers, name)(**arguments)
    if isinstance(sampler, samplers.RandomSampler):
        sampler.reshuffle_each_epoch = description.get("reshuffle_each_epoch", True)
        sampler.seed = description.get("seed")
    children: Sequence[Mapping[str, Any]] = description.get("child_sampler", ())
    for child in children:
        sampler.add_child(_sampler(child, (*path, "child_sampler", 0)))
    return sampler
