"""Recorded models: ONNX's own cases, models of other frameworks with their results, hostile files."""

from __future__ import annotations

import contextlib
import json
import os
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import framework as ms
from framework.ir.model_values import ModelError
from framework.onnx import Limits, load_onnx
from framework.schema.onnx_pb2 import Model
from tests.framework.onnx.cases import cases, run_case

IS_LONG = os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long"
#: Of ONNX's cases of operators, at least so many must pass.
LEAST = 1560


def test_cases_of_operators(onnx_cases: Path, caplog: pytest.LogCaptureFixture) -> None:
    """By default every tenth, operator by operator; all in both forms in long runs."""
    chosen = list(cases(onnx_cases / "node"))[:: 1 if IS_LONG else 10]
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE) if IS_LONG else (ms.PYNATIVE_MODE,):
        outcomes = {case.name: run_case(case, mode) for case in chosen}
        wrong = {name: found for name, found in outcomes.items() if found.state in ("differs", "error")}
        assert not wrong
        counts = Counter(found.state for found in outcomes.values())
        assert counts["passes"] >= LEAST * len(chosen) / 1884 - 10, counts


@pytest.mark.parametrize("kind", ["simple", "pytorch-operator", "pytorch-converted"])
def test_cases_of_models(onnx_cases: Path, kind: str) -> None:
    chosen = list(cases(onnx_cases / kind))[:: 1 if IS_LONG else 4]
    outcomes = {case.name: run_case(case, ms.PYNATIVE_MODE) for case in chosen}
    refused = {name: found for name, found in outcomes.items() if found.state != "passes"}
    assert all(found.state == "refused" and kind == "simple" for found in refused.values()), refused


def test_models_of_other_frameworks(interop: Path) -> None:
    for folder in cases(interop / "onnx"):
        net, case = load_onnx(folder / "model.onnx"), np.load(folder / "case.npz")
        graph = Model.FromString((folder / "model.onnx").read_bytes()).graph
        inputs = [ms.Tensor(case[f"input_{item.name}"]) for item in graph.input]
        tolerance = 1e-3 if "int8" in folder.name else 1e-5
        # Compiling all of them takes a minute.
        for run in (net.construct, net) if IS_LONG else (net.construct,):
            found = run(*inputs)
            outputs = found if isinstance(found, tuple) else (found,)
            names = [item.name for item in graph.output]
            if "selected" in names:
                # Of boxes with equal scores any may be kept: the scores of the kept ones must be the same.
                found_scores, scores = outputs[names.index("scores")].asnumpy(), case["output_scores"]
                selected, wanted = outputs[names.index("selected")].asnumpy(), case["output_selected"]
                kept = [np.sort(s[tuple(i.T)]) for s, i in ((found_scores, selected), (scores, wanted))]
                _compare(*kept, tolerance, f"{folder.name}: selected")
                names = [name for name in names if name not in ("selected", "kept")]
            for name, tensor in zip((item.name for item in graph.output), outputs, strict=True):
                if name in names:
                    _compare(tensor.asnumpy(), case[f"output_{name}"], tolerance, f"{folder.name}: {name}")


def _compare(found: np.ndarray, wanted: np.ndarray, tolerance: float, what: str) -> None:
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), what
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * max(np.abs(wanted).max(), 1e-30), err_msg=what)


def test_hostile_files_lead_to_what_is_expected(interop: Path) -> None:
    folder = interop / "hostile"
    for name, expected in json.loads((folder / "expected.json").read_text(encoding="utf-8")).items():
        path = folder / f"{name}.onnx"
        if expected["when"] == "import":
            with pytest.raises(ModelError, match=path.name):
                load_onnx(path)
        elif expected["when"] == "none":
            _run(path)
        else:
            with pytest.raises(ModelError):
                _run(path)


def test_damaged_copies_are_refused_or_computed(interop: Path, tmp_path: Path) -> None:
    """Copies that are cut or have flipped bits lead to a result or to a ModelError, and to nothing else."""
    random.seed(1)
    small = [folder for folder in cases(interop / "onnx") if (folder / "model.onnx").stat().st_size < 20_000]
    for number in range(5000 if IS_LONG else 60):
        content = bytearray((random.choice(small) / "model.onnx").read_bytes())
        if number % 4 == 0:
            del content[random.randrange(len(content)) :]
        for _ in range(random.randrange(1, 4) if content else 0):
            content[random.randrange(len(content))] ^= 1 << random.randrange(8)
        path = tmp_path / "damaged.onnx"
        path.write_bytes(content)
        with contextlib.suppress(ModelError):
            _run(path)


def _run(path: Path) -> object:
    """Run a model on ones, operator by operator."""
    net = load_onnx(path, max_rounds=50, limits=Limits(memory=100 << 20))
    inputs = [parameter.abstract for parameter in net.graph.parameters if parameter.default is None]
    shapes = [[min(length or 2, 64) for length in item.shape] if item is not None else [] for item in inputs]
    types = [ms.float32 if item is None else item.dtype for item in inputs]
    return net.construct(*[ms.Tensor(np.ones(s, t.numpy)) for s, t in zip(shapes, types, strict=True)])
