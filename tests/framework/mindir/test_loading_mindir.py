"""Files in MindSpore's format that are written here, against numpy and against what the format says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import framework as ms
from framework import nn
from framework.train.mindir import ModelError
from summaries.schema.mind_ir_pb2 import Model
from tests.framework.mindir.writing_mindir import File, a_loop

W = np.linspace(-0.6, 0.7, 12, dtype=np.float32).reshape(4, 3)
X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)


def _dense(weight: np.ndarray = W) -> File:
    """y = x @ w.T of an open batch, as MindSpore writes it: flags of MatMul are inputs."""
    file = File()
    main = file.model.graph
    w = file.weight("fc.weight", weight)
    x = file.input(main, "x", [-1, 3])
    loaded = file.apply(main, "Load", [w, file.constant(main, "u", "U")], "loaded")
    flags = [file.constant(main, "no", False), file.constant(main, "yes", True)]
    file.returns(main, file.apply(main, "MatMul", [x, loaded, *flags], "y"))
    return file


def _both(net: nn.GraphCell, *inputs: ms.Tensor) -> list[np.ndarray]:
    return [net.construct(*inputs).asnumpy(), net(*inputs).asnumpy()]


def test_weights_are_parameters_under_their_names(tmp_path: Path) -> None:
    net = nn.GraphCell(ms.load(_dense().write(tmp_path)))
    assert [parameter.name for parameter in net.trainable_params()] == ["fc.weight"]
    for found in _both(net, ms.Tensor(X)):
        np.testing.assert_allclose(found, X @ W.T, rtol=1e-6)
    with pytest.raises(ModelError, match="x Float32"):
        net(ms.Tensor(X.astype(np.float64)))


def _looped(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    while x.sum() < 20:
        x = x + x if x[0] > 1 else x * w
    return x - 1


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_loops_and_branches_run_and_have_gradients(tmp_path: Path, mode: int) -> None:
    ms.set_context(mode=mode)
    net = nn.GraphCell(ms.load(a_loop().write(tmp_path)))
    (weight,) = net.trainable_params()
    for start in ([0.1, 0.2, 0.3], [5.0, 1.0, 0.5], [9.0, 9.0, 9.0]):
        x = np.float32(start)
        np.testing.assert_allclose(net(ms.Tensor(x)).asnumpy(), _looped(x, weight.asnumpy()), rtol=1e-6)
    x = np.float32([0.1, 0.2, 0.3])
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.L1Loss()), nn.SGD([weight], 0.0625))
    step(ms.Tensor(x), ms.Tensor(np.float32([-9, -9, -9])))
    before, slopes = np.float64([1.5, 2.0, 2.5]), []
    for place in range(3):
        ends = []
        for sign in (1e-6, -1e-6):
            w = before.copy()
            w[place] += sign
            ends.append(_looped(x.astype(np.float64), w).mean())
        slopes.append((ends[0] - ends[1]) / 2e-6)
    np.testing.assert_allclose(before - weight.asnumpy(), 0.0625 * np.array(slopes), rtol=1e-4)


def test_what_is_missing_is_listed_at_once_with_its_nodes(tmp_path: Path) -> None:
    file = _dense()
    main = file.model.graph
    for name in ("Wink", "Nod"):
        file.apply(main, name, [main.input[0].name], name.lower())
    file.call(main, "nobody", [], "call")
    with pytest.raises(ModelError, match=r"net\.mindir cannot be loaded") as refused:
        ms.load(file.write(tmp_path))
    for part in ("Wink 'Default/Wink-op0'", "no operator Nod", "no operator and no graph 'nobody'"):
        assert part in str(refused.value)


def _beside(folder: Path, location: str = "net_variables/data_0", *, offset: int = 64, head: bytes = b"\x01") -> Path:
    """The dense network with its weight in a file beside it, as MindSpore writes networks above 1 GiB."""
    file = _dense()
    tensor = file.model.graph.parameter[0]
    tensor.ClearField("raw_data")
    tensor.external_data.location, tensor.external_data.offset = location, offset
    tensor.external_data.length = W.nbytes
    (folder / "net_variables").mkdir()
    (folder / "net_variables" / "data_0").write_bytes(head + bytes(63) + W.tobytes() + bytes(16))
    return file.write(folder)


def test_weights_are_read_from_files_beside(tmp_path: Path) -> None:
    net = nn.GraphCell(ms.load(_beside(tmp_path)))
    np.testing.assert_allclose(net(ms.Tensor(X)).asnumpy(), X @ W.T, rtol=1e-6)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"location": "../secret"}, "outside of the model's folder"),
        ({"location": "/etc/hostname"}, "outside of the model's folder"),
        ({"location": "net_variables/link"}, "cannot be opened"),
        ({"offset": 200}, "48 bytes at 200"),
        ({"offset": -1}, "48 bytes at -1"),
        ({"head": b"\x00"}, "encrypted, incomplete or of a big-endian machine"),
    ],
)
def test_weights_beside_stay_in_the_folder_and_in_their_file(
    tmp_path: Path, change: dict[str, object], reason: str
) -> None:
    path = _beside(tmp_path, **change)  # type: ignore[arg-type]
    (tmp_path.parent / "secret").write_bytes(bytes(500))
    (tmp_path / "net_variables" / "link").symlink_to(tmp_path.parent / "secret")
    with pytest.raises(ModelError, match=reason):
        ms.load(path)


def _damaged(what: str) -> Model:
    model = _dense().model
    graph = model.graph
    match what:
        case "bytes":
            graph.parameter[0].dims[0] = 1 << 40
        case "negative":
            graph.parameter[0].dims[0] = -4
        case "element type":
            graph.parameter[0].data_type = 18
        case "compressed":
            graph.parameter[0].compression_type = 3
        case "twice":
            graph.node.append(graph.node[-1])
        case "order":
            graph.node.insert(0, graph.node[-1])
            del graph.node[-1]
        case "itself":
            graph.node[-1].input[0] = graph.node[-1].output[0]
        case "name":
            graph.node[-1].input[0] = "never"
        case "version":
            model.mind_ir_version = 99
        case "output":
            del graph.output[:]
        case "whole program":
            graph.node[-1].op_type = f"REF::{graph.name}"
        case "flag":
            graph.node[-1].input[2] = graph.input[0].name
    return model


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("bytes", r"needs 13,194,139,533,312 bytes|need 13,194,139,533,312 bytes"),
        ("negative", "negative dimension"),
        ("element type", "type number 18"),
        ("compressed", "compressed"),
        ("twice", "is made twice"),
        ("order", "before it is made"),
        ("itself", "before it is made"),
        ("name", "'never', which nothing makes"),
        ("version", "version 99"),
        ("output", "0 outputs"),
        ("whole program", "calls the whole program"),
        ("flag", "'transpose_a' must be a constant"),
    ],
)
def test_unsound_files_are_refused_in_one_sentence(tmp_path: Path, what: str, reason: str) -> None:
    path = tmp_path / "net.mindir"
    path.write_bytes(_damaged(what).SerializeToString())
    with pytest.raises(ModelError, match=reason) as refused:
        ms.load(path)
    assert "\n" not in str(refused.value)


def test_an_encrypted_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "net.mindir"
    path.write_bytes((0x7F3A5ED8).to_bytes(4, "little") + bytes(100))
    with pytest.raises(ModelError, match="encrypted with AES-GCM"):
        ms.load(path)


def test_a_value_beyond_the_budget_is_refused_before_it_is_made(tmp_path: Path) -> None:
    file = File()
    main = file.model.graph
    x = file.input(main, "x", [1])
    file.returns(main, file.apply(main, "Tile", [x, file.constant(main, "times", (1 << 45,))], "y"))
    net = nn.GraphCell(ms.load(file.write(tmp_path)))
    for run in (net, net.construct):
        with pytest.raises(ModelError, match="140,737,488,355,328 bytes"):
            run(ms.Tensor(np.ones(1, np.float32)))


def test_a_change_in_place_that_is_seen_afterwards_is_refused(tmp_path: Path) -> None:
    file = File()
    main = file.model.graph
    x = file.input(main, "x", [2])
    one, factor = file.constant(main, "one", 1), file.constant(main, "factor", 1)
    changed = file.apply(main, "InplaceAddsExt", [x, one, factor], "changed")
    file.returns(main, changed)
    found = nn.GraphCell(ms.load(file.write(tmp_path)))(ms.Tensor(np.float32([1, 2])))
    np.testing.assert_array_equal(found.asnumpy(), [2, 3])
    main.output[0].name = file.apply(main, "Add", [changed, x], "y")
    with pytest.raises(ModelError, match="changes 'x' in place, which is read afterwards"):
        ms.load(file.write(tmp_path))


def test_assignments_happen_in_the_order_of_the_file(tmp_path: Path) -> None:
    file = File()
    main = file.model.graph
    count = file.weight("count", np.zeros(2, np.float32))
    x, u = file.input(main, "x", [2]), file.constant(main, "u", "U")
    before = file.apply(main, "Load", [count, u], "before", kind=1)
    assigned = file.apply(main, "AssignAdd", [count, x, u], "assigned")
    state = file.apply(main, "UpdateState", [u, assigned], "state", kind=1)
    after = file.apply(main, "Load", [count, state], "after", kind=1)
    file.returns(main, file.apply(main, "MakeTuple", [before, after], "both", kind=1))
    net = nn.GraphCell(ms.load(file.write(tmp_path)))
    for run in (net, net.construct):
        (parameter,) = net.get_parameters()
        parameter.set_data(ms.Tensor(np.float32([1, 2])))
        first, second = run(ms.Tensor(np.float32([10, 20])))
        np.testing.assert_array_equal(first.asnumpy(), [1, 2])
        np.testing.assert_array_equal(second.asnumpy(), [11, 22])


def test_the_statistics_of_batch_normalization_are_not_trained(tmp_path: Path) -> None:
    file = File()
    main = file.model.graph
    x = file.input(main, "x", [-1, 2])
    names = ("gamma", "beta", "moving_mean", "moving_variance")
    values = np.float32([[1, 2], [3, 4], [5, 6], [7, 8]])
    weights = [file.weight(name, row) for name, row in zip(names, values, strict=True)]
    arguments = [
        file.constant(main, name, value)
        for name, value in (("is_training", False), ("epsilon", 1e-5), ("momentum", 0.1), ("format", 0))
    ]
    made = file.apply(main, "BatchNorm", [x, *weights, *arguments], "made")
    file.returns(main, file.apply(main, "TupleGetItem", [made, file.constant(main, "first", 0)], "y", kind=1))
    net = nn.GraphCell(ms.load(file.write(tmp_path)))
    assert [item.name for item in net.trainable_params()] == ["gamma", "beta"]
    gamma, beta, mean, variance = values
    wanted = (X[:, :2] - mean) / np.sqrt(variance + 1e-5) * gamma + beta
    for found in _both(net, ms.Tensor(X[:, :2])):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


@pytest.mark.parametrize("indexing", ["ij", "xy"])
def test_numbers_stand_for_words_in_arguments(tmp_path: Path, indexing: str) -> None:
    file = File()
    main = file.model.graph
    given = [file.input(main, name, [length]) for name, length in (("a", 3), ("b", 2))]
    both = file.apply(main, "MakeTuple", given, "both", kind=1)
    number = file.constant(main, "indexing", ["ij", "xy"].index(indexing))
    file.returns(main, file.apply(main, "Meshgrid", [both, number], "grid"))
    a, b = np.float32([1, 2, 3]), np.float32([4, 5])
    net = nn.GraphCell(ms.load(file.write(tmp_path)))
    for run in (net, net.construct):
        found = run(ms.Tensor(a), ms.Tensor(b))
        for one, other in zip(found, np.meshgrid(a, b, indexing=indexing), strict=True):
            np.testing.assert_array_equal(one.asnumpy(), other)


def test_a_program_of_mindspore_finds_what_it_has_exported(tmp_path: Path) -> None:
    x = ms.Tensor(X)
    written = ms.export(nn.ReLU(), x, file_name=tmp_path / "net", file_format="MINDIR")
    assert written == tmp_path / "net.msir"
    (tmp_path / "old.mindir").write_bytes(written.read_bytes())
    for name in ("net.mindir", "net.msir", "old.mindir"):
        found = nn.GraphCell(ms.load(tmp_path / name))(x)
        np.testing.assert_array_equal(found.asnumpy(), np.maximum(X, 0))
    named = ms.export(nn.ReLU(), x, file_name=tmp_path / "named.mindir", file_format="MINDIR")
    assert named == tmp_path / "named.mindir"
