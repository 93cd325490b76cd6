"""Model files: the loaded program equals the exported one and runs without its source; damage is reported."""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, nn, ops
from framework.engine.call.cells import cell_programs
from framework.engine.call.compiled import Compiled
from framework.ir.text import to_text
from framework.ops import PrimitiveWithInfer, prim_attr_register
from framework.schema.model_pb2 import ModelFile, Program
from framework.train import ModelError
from tests.framework import programs
from tests.framework.sources import names_of

SOURCE = """
class LeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.relu, self.pool, self.flatten = nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten()
        self.fc1, self.fc2, self.fc3 = nn.Dense(400, 120), nn.Dense(120, 84), nn.Dense(84, 10)

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.flatten(self.pool(self.relu(self.conv2(x))))
        return self.fc3(self.relu(self.fc2(self.relu(self.fc1(x)))))


class Classifier(nn.Cell):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(4, 8, batch_first=True), nn.Dense(8, 3)

    def construct(self, x):
        y, (h, c) = self.lstm(x)
        return self.head(y[:, -1]), {"h": h, "c": [c]}


class Walk(nn.Cell):
    def __init__(self):
        super().__init__()
        self.step, self.norm = ms.Parameter(ms.Tensor([0.5, 1.5]), name="step"), nn.BatchNorm1d(2)

    def construct(self, x):
        def halve(y):
            return y if y.sum() < 6.0 else halve(y * 0.5) + 0.125

        y = self.norm(x).sum(0)
        while y.sum() < 20.0:
            y = y * 1.5 + self.step
            if y.max() > 9.0:
                y = y - 1.0
        return halve(y), y.shape[0]
"""
NETWORKS = {"LeNet": (2, 1, 32, 32), "Classifier": (2, 3, 4), "Walk": (3, 2)}


def network(name: str, source: str = SOURCE) -> Any:
    ms.set_seed(1)
    return names_of(source, nn=nn, ms=ms)[name]().set_train(False)


def example(*shape: int) -> Tensor:
    return Tensor(np.random.default_rng(0).normal(size=shape).astype(np.float32))


def exported(net: Any, *inputs: Any, at: Path) -> tuple[str, Any]:
    """The text of the exported program, and the result of loading the file."""
    path = ms.export(net, *inputs, file_name=at / "net")
    return to_text(Compiled(net).compile(*inputs).root), ms.load(path)


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaves(item) for item in value.values()]
    if isinstance(value, tuple | list):
        return [leaves(item) for item in value]
    return value.asnumpy().tolist() if isinstance(value, Tensor) else value  # type: ignore[no-any-return]


@pytest.mark.usefixtures("mode")
@pytest.mark.parametrize("name", NETWORKS)
def test_what_is_loaded_is_what_was_exported(tmp_path: Path, name: str) -> None:
    net, x = network(name), example(*NETWORKS[name])
    text, graph = exported(net, x, at=tmp_path)
    assert to_text(graph) == text
    assert leaves(nn.GraphCell(graph)(x)) == leaves(cell_programs(net)(x))


@pytest.mark.parametrize("program", programs.EVERY)
def test_control_flow_and_recursion_are_kept(tmp_path: Path, program: Callable[[Any], Any]) -> None:
    x = Tensor(np.array(programs.INPUTS[0]))
    text, graph = exported(program, x, at=tmp_path)
    assert to_text(graph) == text
    assert leaves(nn.GraphCell(graph)(x)) == leaves(ms.jit(program)(x))


def test_a_process_without_the_source_runs_it(tmp_path: Path) -> None:
    source = tmp_path / "networks.py"
    source.write_text(f"import framework as ms\nfrom framework import nn\n{SOURCE}")
    names: dict[str, Any] = {}
    exec(compile(source.read_text(), source, "exec"), names)  # noqa: S102
    expected = {}
    for name, shape in NETWORKS.items():
        net = names[name]().set_train(False)
        ms.export(net, example(*shape), file_name=tmp_path / name)
        expected[name] = leaves(net(example(*shape)))
    source.unlink()
    code = """if True:
        import json, sys
        import numpy as np
        import framework as ms
        from framework import nn
        sys.path.insert(0, sys.argv[1])
        from tests.framework.train.test_model_files import NETWORKS, example, leaves
        for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
            ms.set_context(mode=mode)
            nets = {name: nn.GraphCell(ms.load(f"{sys.argv[2]}/{name}.msir")) for name in NETWORKS}
            print(json.dumps({name: leaves(nets[name](example(*shape))) for name, shape in NETWORKS.items()}))
    """
    root = Path(__file__).resolve().parents[3]
    command = [sys.executable, "-c", code, str(root), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        got = json.loads(line)
        for name, values in expected.items():
            for one, other in zip(flat(got[name]), flat(values), strict=True):
                assert one == pytest.approx(other, rel=1e-5, abs=1e-6)


def flat(value: Any) -> list[float]:
    return [item for part in value for item in flat(part)] if isinstance(value, list) else [value]


@pytest.mark.usefixtures("mode")
def test_a_dimension_that_was_left_open_has_any_length(tmp_path: Path) -> None:
    net = network("Walk")
    _, graph = exported(net, Tensor(shape=[None, 2], dtype=ms.float32), at=tmp_path)
    cell = nn.GraphCell(graph)
    for length in (1, 4, 7):
        assert flat(leaves(cell(example(length, 2)))) == pytest.approx(flat(leaves(net(example(length, 2)))))
    assert cell_programs(cell).compilations == 1
    with pytest.raises(ValueError, match=r"argument 1 of GraphCell is <Tensor\[Float32\], \(4, 3\)>"):
        cell(example(4, 3))
    with pytest.raises(ValueError, match=r"GraphCell of Walk is .*\(4, 3\)"):
        ms.jit(lambda x: cell(x))(example(4, 3))


@pytest.mark.usefixtures("mode")
def test_gradients_go_through_it_and_its_parameters_are_trained(tmp_path: Path) -> None:
    net, x = network("Walk"), example(3, 2)
    _, graph = exported(net, x, at=tmp_path)
    cell = nn.GraphCell(graph)
    ours, theirs = ({p.name: p for p in one.trainable_params()} for one in (net, cell))
    assert ours.keys() == theirs.keys()
    found = []
    for one, weights in ((net, ours), (cell, theirs)):
        total = lambda x, one=one: (one(x * 1.25)[0] ** 2).sum()  # noqa: E731
        found.append(ms.grad(total, weights=[weights[name] for name in ours])(x))
        found.append(ms.grad(lambda x, total=total: (ms.grad(total)(x) ** 2).sum())(x))
    assert flat(leaves(found[2])) == pytest.approx(flat(leaves(found[0])), rel=1e-5)
    assert flat(leaves(found[3])) == pytest.approx(flat(leaves(found[1])), rel=1e-5)
    ms.load_param_into_net(cell, {"step": Parameter(Tensor([3.0, 4.0]))})
    net.step.set_data(Tensor([3.0, 4.0]))
    assert flat(leaves(cell(x))) == pytest.approx(flat(leaves(net(x))))


@pytest.mark.usefixtures("mode")
def test_what_changes_parameters_goes_on_doing_so(tmp_path: Path) -> None:
    net, x = network("Walk").set_train(), example(3, 2)
    _, graph = exported(net, x, at=tmp_path)
    cell = nn.GraphCell(graph)
    names = ["norm.moving_mean", "norm.moving_variance"]
    before = [leaves(cell.parameters_dict()[name]) for name in names]
    twice = lambda one: one(x) + one(x + 1.0)  # noqa: E731
    assert flat(leaves(twice(cell))) == pytest.approx(flat(leaves(twice(net))))
    twice_compiled = ms.jit(twice)
    assert flat(leaves(twice_compiled(cell))) == pytest.approx(flat(leaves(twice_compiled(net))))
    ms.grad(lambda x: cell(x)[0].sum())(x)
    ms.grad(lambda x: net(x)[0].sum())(x)
    after = [leaves(cell.parameters_dict()[name]) for name in names]
    assert flat(after) == pytest.approx(flat([leaves(net.parameters_dict()[name]) for name in names]))
    assert after != before


def test_a_part_of_another_network_has_its_parameters_there(tmp_path: Path) -> None:
    _, graph = exported(network("LeNet"), example(*NETWORKS["LeNet"]), at=tmp_path)
    whole = nn.SequentialCell(nn.GraphCell(graph), nn.Softmax())
    assert "0.conv1.weight" in whole.parameters_dict()
    assert whole(example(*NETWORKS["LeNet"])).asnumpy().sum(1) == pytest.approx([1.0, 1.0])
    first = nn.GraphCell(graph, params_init={"fc3.bias": Tensor(np.full(10, 9.0, np.float32))})
    assert first.parameters_dict()["fc3.bias"].asnumpy()[0] == 9.0
    with pytest.raises(ValueError, match=r"has no parameter 'fc4\.bias'"):
        nn.GraphCell(graph, params_init={"fc4.bias": Tensor([1.0])})


class Twice(PrimitiveWithInfer):
    @prim_attr_register
    def __init__(self, by: float = 2.0) -> None:
        self.init_prim_io_names(["x"], ["y"])

    def infer_shape(self, x: Any) -> Any:
        return x

    def infer_dtype(self, x: Any) -> Any:
        return x

    def compute(self, xp: Any, x: Any) -> Any:
        return x * self.by


def speaks(x: Any) -> Any:
    assert x.sum() > 0.0, "all of it"
    print("seen", f"{x.sum():.2f}", x.sum() > 1.0, sep="-")  # noqa: T201
    return Twice(3.0)(x)[::-1]


def test_operators_of_ones_own_and_messages(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text, graph = exported(speaks, Tensor([1.0, 2.0]), at=tmp_path)
    assert to_text(graph) == text
    assert nn.GraphCell(graph)(Tensor([2.0, 3.0])).asnumpy().tolist() == [9.0, 6.0]
    assert capfd.readouterr().out == "seen-5.00-True\n"
    with pytest.raises(AssertionError, match="all of it"):
        nn.GraphCell(graph)(Tensor([-2.0, 1.0]))


def changed(path: Path, change: Callable[[Program], Any]) -> None:
    """Change the program in a file as somebody would who knows how it is protected."""
    file = ModelFile.FromString(path.read_bytes())
    program = Program.FromString(file.program)
    change(program)
    file.program = program.SerializeToString()
    file.digest = hashlib.sha256(file.program).digest()
    path.write_bytes(file.SerializeToString())


def operator_of(program: Program) -> Any:
    return next(
        node.inputs[0].constant.value.operator
        for node in program.graphs[0].nodes
        if node.inputs[0].constant.value.operator.type_name == "Twice"
    )


def test_an_operator_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = ms.export(lambda x: Twice()(x), Tensor([1.0]), file_name=tmp_path / "net")
    changed(path, lambda program: setattr(operator_of(program), "type_name", "Thrice"))
    with pytest.raises(ModelError, match=r"net\.msir cannot be loaded: there is no operator Thrice: import tests"):
        ms.load(path)


def _with_name(program: Program) -> None:
    program.weights[0].name = "w\nimport os"


def _with_getattr(program: Program) -> None:
    operator = operator_of(program)
    operator.kind, operator.name = operator.SYNTAX, "getattr"


def _with_class(program: Program) -> None:
    program.graphs[0].output.constant.value.type_name = "eval"


@pytest.mark.parametrize(
    ("change", "message"),
    [(_with_name, "is not a name"), (_with_getattr, "no operator 'getattr'"), (_with_class, "no class 'eval'")],
)
def test_a_file_cannot_run_what_is_no_operator(tmp_path: Path, change: Callable[[Program], Any], message: str) -> None:
    weight = Parameter(Tensor([1.0]), name="w")
    path = ms.export(lambda x: Twice()(x) + weight, Tensor([1.0]), file_name=tmp_path / "net")
    changed(path, change)
    with pytest.raises(ModelError, match=message):
        ms.load(path)


def test_damage_is_told(tmp_path: Path) -> None:
    path = ms.export(network("Walk"), example(3, 2), file_name=tmp_path / "net")
    whole, draw = path.read_bytes(), random.Random(7)
    program = ModelFile.FromString(whole).program
    for _ in range(60):
        place, bit = draw.randrange(len(whole)), 1 << draw.randrange(8)
        for damaged in (whole[:place], whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :]):
            path.write_bytes(damaged)
            with pytest.raises(ModelError, match=r"net\.msir cannot be loaded: "):
                ms.load(path)
    # Damage that somebody has hidden gives a clear error as well, or another program.
    refused = 0
    for _ in range(120):
        place, bit = draw.randrange(len(program)), 1 << draw.randrange(8)
        forged = program[:place] + bytes([program[place] ^ bit]) + program[place + 1 :]
        digest = hashlib.sha256(forged).digest()
        path.write_bytes(
            ModelFile(format="framework model", version=1, digest=digest, program=forged).SerializeToString()
        )
        try:
            ms.load(path)
        except ModelError:
            refused += 1
    assert refused > 10


def test_what_cannot_be_exported_or_loaded_says_why(tmp_path: Path) -> None:
    def hands_out(x: Any) -> Any:
        return x * 2.0, ops

    path = tmp_path / "net.msir"
    path.write_bytes(b"what was here")
    with pytest.raises(ModelError, match=r"module .* cannot be written to a model file"):
        ms.export(hands_out, Tensor([1.0]), file_name=path)
    assert path.read_bytes() == b"what was here"
    with pytest.raises(ModelError, match=r"it is not a model file|it was not written by export"):
        ms.load(path)
    with pytest.raises(FileNotFoundError, match=r"there is no model file .*has net\.msir"):
        ms.load(tmp_path / "nett.msir")
    with pytest.raises(ValueError, match="as MSIR or ONNX, not as AIR"):
        ms.export(hands_out, Tensor([1.0]), file_name=path, file_format="AIR")
    with pytest.raises(TypeError, match=r"as ms\.load returns it"):
        nn.GraphCell("net.msir")  # type: ignore[arg-type]
