"""Recorded cases of models: ONNX's own, as `tools/onnx_node_cases.py` writes them, and those with a `case.npz`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import framework as ms
from framework.ir.model_values import ModelError
from framework.onnx import Limits, load_onnx
from framework.onnx.reader.tensors import array_of
from framework.schema.onnx_pb2 import Model, TensorData

LIMITS = Limits()


@dataclass(frozen=True)
class Outcome:
    """What came of a case: "passes", "refused", "random", "differs" or "error", and why."""

    state: str
    reason: str = ""


def cases(folder: Path) -> Iterator[Path]:
    """The cases in a folder."""
    yield from sorted(path.parent for path in folder.glob("*/model.onnx"))


def run_case(case: Path, mode: int) -> Outcome:
    """Run one of ONNX's cases compiled (GRAPH_MODE) or operator by operator, and compare with what it says."""
    tolerance = {"rtol": 1e-3, "atol": 1e-7}
    if (case / "case.json").is_file():
        tolerance = json.loads((case / "case.json").read_text(encoding="utf-8"))
    try:
        cell = load_onnx(case / "model.onnx", max_rounds=1000)
    except ModelError as error:
        return Outcome("refused", str(error))
    for data in sorted(case.glob("test_data_set_*")):
        try:
            inputs = [ms.Tensor(_array(path)) for path in _numbered(data, "input")]
            wanted = [_array(path) for path in _numbered(data, "output")]
        except ModelError as error:
            return Outcome("error", f"the data cannot be read: {error}")
        try:
            with np.errstate(all="ignore"):  # Some cases are about numbers that no quotient has.
                found = cell(*inputs) if mode == ms.GRAPH_MODE else cell.construct(*inputs)
        except ModelError as error:
            return Outcome("refused", f"run: {error}")
        except Exception as error:
            return Outcome("error", f"{type(error).__name__}: {error}")
        reason = difference(found if isinstance(found, tuple) else (found,), wanted, **tolerance)
        if reason:
            return Outcome("random" if is_random(case) else "differs", reason)
    return Outcome("passes")


def is_random(case: Path) -> bool:
    """Whether a model draws random numbers. ONNX's own cases say that their values cannot be compared."""
    graph = Model.FromString((case / "model.onnx").read_bytes()).graph
    return any(node.op_type.startswith("Random") or node.op_type == "Bernoulli" for node in graph.node)


def difference(found: tuple[Any, ...], wanted: list[np.ndarray[Any, Any]], rtol: float, atol: float) -> str:
    """How results differ from those that are wanted; empty if they do not."""
    if len(found) != len(wanted):
        return f"{len(found)} outputs, not {len(wanted)}"
    for place, (tensor, right) in enumerate(zip(found, wanted, strict=True)):
        array = tensor.asnumpy()
        if array.shape != right.shape or array.dtype != right.dtype:
            return f"output {place}: {array.dtype}{list(array.shape)}, not {right.dtype}{list(right.shape)}"
        try:
            np.testing.assert_allclose(array, right, rtol=rtol, atol=atol)
        except AssertionError as error:
            return f"output {place}: {' '.join(str(error).split())[:300]}"
    return ""


def _array(path: Path) -> np.ndarray[Any, Any]:
    return array_of(TensorData.FromString(path.read_bytes()), path.parent, LIMITS)


def _numbered(folder: Path, kind: str) -> list[Path]:
    return sorted(folder.glob(f"{kind}_*.pb"), key=lambda path: int(path.stem.rpartition("_")[2]))
