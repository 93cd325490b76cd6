"""Exported models with what they must give, for the judges: ONNX's checker and onnxruntime, and our own import.

The judges run in an environment of their own, whose Python the variable ONNX_PYTHON names.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework.schema.onnx_pb2 import Graph, Model

JUDGE = Path(__file__).parents[3] / "tools" / "onnx_judge.py"


def exported(folder: Path, net: Callable[..., Any], *inputs: Any, opset: int = 20) -> Path:
    """The exported model in a folder of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    return ms.export(net, *inputs, file_name=folder / "model", file_format="ONNX", opset=opset)


def graph_of(path: Path) -> Graph:
    """The graph of a model file."""
    return Model.FromString(path.read_bytes()).graph


def keep_case(path: Path, inputs: Sequence[Any], outputs: Any, **more: Any) -> None:
    """Write beside a model what it takes and gives. With `steps=` outputs have a row for each."""
    graph = graph_of(path)
    weights = {item.name for item in graph.initializer}
    names = [item.name for item in graph.input if item.name not in weights]
    results = outputs if isinstance(outputs, tuple) else (outputs,)
    taken = {f"input_{name}": _array(value) for name, value in zip(names, inputs, strict=True)}
    given = {f"output_{item.name}": _array(value) for item, value in zip(graph.output, results, strict=False)}
    np.savez(path.parent / "case.npz", **taken, **given, **more)


def judge(folder: Path) -> None:
    """Let the judges run all models below a folder; skips where there are no judges."""
    python = os.environ.get("ONNX_PYTHON")
    if not python:
        pytest.skip("ONNX_PYTHON names no Python of an environment with onnx and onnxruntime")
    done = subprocess.run([python, JUDGE, folder], capture_output=True, text=True, check=False, timeout=500)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["model"] for row in rows} == {path.parent.name for path in folder.glob("*/model.onnx")}, done.stderr
    assert [row for row in rows if row["wrong"]] == []


def _array(value: Any) -> np.ndarray:
    return value.asnumpy() if hasattr(value, "asnumpy") else np.asarray(value)
