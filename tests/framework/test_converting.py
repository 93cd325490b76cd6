"""Files of models and weights: what they have, and the same content in other formats."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import framework as ms
from framework import nn
from framework.converting import FORMATS, check, command, convert
from framework.nn.graph_cell import GraphCell
from framework.onnx import load_onnx
from tests.framework.onnx.networks import Rounds, inference, numbers, open_batch
from tests.framework.onnx.writing import graph, node, written


def run(*arguments: object) -> Result:
    """Run the command line."""
    return CliRunner().invoke(command, [str(item) for item in arguments])


@pytest.fixture
def lenet(tmp_path: Path) -> tuple[nn.Cell, ms.Tensor, Path]:
    net, spec, (images,) = inference()["lenet"]
    return net, images, ms.export(net, *spec, file_name=tmp_path / "lenet", file_format="ONNX")


def test_a_model_goes_there_and_back(lenet: tuple[nn.Cell, ms.Tensor, Path], tmp_path: Path) -> None:
    net, images, path = lenet
    assert run("convert", path, tmp_path / "own.msir").exit_code == 0
    own = GraphCell(ms.load(tmp_path / "own.msir"))
    assert np.array_equal(own(images).asnumpy(), net(images).asnumpy())
    assert run("convert", tmp_path / "own.msir", tmp_path / "back.onnx", "--opset", 17).exit_code == 0
    assert np.array_equal(load_onnx(tmp_path / "back.onnx")(images).asnumpy(), net(images).asnumpy())
    assert check(tmp_path / "back.onnx").open_dimensions == ["batch"]
    assert ".mindir is only read" in run("convert", path, tmp_path / "own.mindir").output


def test_weights_leave_a_model(lenet: tuple[nn.Cell, ms.Tensor, Path], tmp_path: Path) -> None:
    net, _, path = lenet
    weights = ms.load_checkpoint(convert(path, tmp_path / "weights.ckpt"))
    for item in net.get_parameters():
        assert np.array_equal(weights[item.name].asnumpy(), item.asnumpy())
    refused = run("convert", tmp_path / "weights.ckpt", tmp_path / "model.onnx")
    assert refused.exit_code == 1
    assert "has weights and no model" in refused.output


def test_shapes_of_inputs_can_be_given(lenet: tuple[nn.Cell, ms.Tensor, Path], tmp_path: Path) -> None:
    _, _, path = lenet
    assert run("convert", path, tmp_path / "five.onnx", "--shape", "x=5,1,32,32").exit_code == 0
    assert check(tmp_path / "five.onnx").inputs == ["x Float32 [5, 1, 32, 32]"]
    assert "no input 'y', only x" in run("convert", path, tmp_path / "a.onnx", "--shape", "y=1").output
    assert "write NAME=1,3,224,224" in run("convert", path, tmp_path / "a.onnx", "--shape", "x=one").output


def test_check_tells_what_a_model_has(tmp_path: Path) -> None:
    path = ms.export(Rounds(), open_batch(3), file_name=tmp_path / "rounds", file_format="ONNX")
    found = check(path)
    assert found.form == "ONNX, opset 20, by mindinsight"
    assert (found.weights, found.numbers, found.weight_bytes) == (2, 12, 48)
    assert found.operators["Loop"] == found.operators["If"] == 1
    done = run("check", path)
    assert done.exit_code == 0
    for text in ("input    x Float32 [batch, 3]", "open     batch", "1 Loop", "Nothing is missing."):
        assert text in done.output


def test_check_tells_what_is_missing(tmp_path: Path) -> None:
    nodes = [node("DeformConv", ["x"], ["y"]), node("Relu", ["y"], ["z"], steep=1)]
    done = run("check", written(tmp_path, graph(nodes, {"x": (1, [3])}, ["z"])))
    assert done.exit_code == 1
    for text in ("DeformConv 'the_y': there is no operator DeformConv (opset 18)", "no attribute 'steep'"):
        assert text in done.output


def test_formats_that_are_unknown(tmp_path: Path) -> None:
    (tmp_path / "a.tflite").write_bytes(b"")
    done = run("check", tmp_path / "a.tflite")
    assert done.exit_code == 1
    assert all(suffix in done.output for suffix in FORMATS)
    assert "there is no model file" in run("check", tmp_path / "none.onnx").output


def test_programs_are_told_by_their_operators(tmp_path: Path) -> None:
    net, _, _ = inference()["lenet"]
    path = ms.export(net, numbers(2, 1, 32, 32), file_name=tmp_path / "own")
    assert check(path).operators["Conv2D"] == 2


def test_hostile_files_give_one_sentence(tmp_path: Path) -> None:
    if not os.environ.get("CASES_INTEROP"):
        pytest.skip("CASES_INTEROP names no folder with hostile files")
    folder = Path(os.environ["CASES_INTEROP"]) / "hostile"
    for name, expected in json.loads((folder / "expected.json").read_text(encoding="utf-8")).items():
        done = run("check", folder / f"{name}.onnx")
        assert not isinstance(done.exception, Exception) or isinstance(done.exception, SystemExit), name
        if expected["when"] == "import":
            assert done.exit_code == 1, name
            assert len(done.output.strip().splitlines()) == 1 or "missing" in done.output, name
            assert run("convert", folder / f"{name}.onnx", tmp_path / "new.onnx").exit_code == 1, name
