"""`SummaryCollector`: its records of a training, compared with those of real MindSpore."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import framework as ms
from framework import nn, ops
from framework.train import Model, ModelCheckpoint
from summaries.schema.lineage_pb2 import DatasetGraph
from tests.framework.train.lenet_of_mindspore import train_like_mindspore
from tests.framework.train.networks import batches, classifier
from tests.framework.train.recorded import Run, read_run

REAL = Path(os.environ.get("MINDINSIGHT_TEST_DATA", Path(__file__).parents[4] / "shared/data")) / "mindspore/lenet"


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run like the real ones."""
    directory = tmp_path_factory.mktemp("lenet")
    train_like_mindspore(directory)
    return directory


@pytest.fixture(scope="module")
def real() -> Run:
    directory = REAL / "mom_lr01_b32"
    if not directory.is_dir():
        pytest.skip(f"no real runs in {REAL}; MINDINSIGHT_TEST_DATA names the directory that has them")
    return read_run(directory)


def test_tags_and_kinds_are_those_of_the_real_run(ours: Path, real: Run) -> None:
    run = read_run(ours)
    assert run.tags() == real.tags()
    steps = run.steps("scalar", "loss/auto")
    assert steps == [1, 5, 10]
    assert real.steps("scalar", "loss/auto")[:3] == steps
    assert all(run.steps(*tag) == steps for tag in run.tags())


def test_pictures_and_histograms_have_the_form_of_the_real_ones(ours: Path, real: Run) -> None:
    run = read_run(ours)
    mine, theirs = (r.values["image", "input_data/auto"][0][1].image for r in (run, real))
    assert (mine.height, mine.width, mine.colorspace) == (theirs.height, theirs.width, theirs.colorspace)
    for tag in (tag for kind, tag in real.tags() if kind == "histogram"):
        mine, theirs = (r.values["histogram", tag][0][1].histogram for r in (run, real))
        assert (mine.count, len(mine.buckets)) == (theirs.count, len(theirs.buckets)), tag


def test_lineage_notes_what_the_real_one_notes(ours: Path, real: Run) -> None:
    run = read_run(ours)
    assert run.notes.keys() == real.notes.keys()
    of_the_outcome = {"loss", "Loss", "Accuracy", "epoch", "train_dataset_size", "valid_dataset_size"}
    differing = {name for name in run.notes if run.notes[name] != real.notes[name]}
    assert differing <= of_the_outcome
    assert run.notes["train_dataset_size"] == 352
    assert run.notes["valid_dataset_size"] == 64


def test_the_data_pipeline_is_the_real_one(ours: Path, real: Run) -> None:
    mine, theirs = (DatasetGraph.FromString(run.pipeline or b"") for run in (read_run(ours), real))
    for key in ("mapStr", "mapBool"):
        assert getattr(mine.parameter, key) == getattr(theirs.parameter, key)
        assert getattr(mine.children[0].parameter, key) == getattr(theirs.children[0].parameter, key)
    assert mine.parameter.mapInt["batch_size"] == theirs.parameter.mapInt["batch_size"] == 32


def test_the_graph_has_the_parameters_scopes_and_operators_of_the_real_one(ours: Path, real: Run) -> None:
    (mine,), (theirs,) = read_run(ours).graphs, real.graphs
    named = {parameter.name: parameter.type for parameter in mine.parameters}
    wanted = {parameter.name: parameter.type for parameter in theirs.parameters}
    assert wanted.keys() <= named.keys()
    assert all(named[name] == wanted[name] for name in wanted)
    weighty = ["Conv2D", "MatMul", "BiasAdd", "ReLU", "MaxPool", "ApplyMomentum", "Conv2DBackpropFilter"]
    weighty += ["Flatten", "Load"]
    counts = [{kind: [n.op_type for n in g.node].count(kind) for kind in weighty} for g in (mine, theirs)]
    assert counts[0] == counts[1]
    forward = [{n.scope for n in g.node if n.op_type in ("Conv2D", "BiasAdd", "ApplyMomentum")} for g in (mine, theirs)]
    assert forward[0] == forward[1]
    assert len({node.full_name for node in mine.node}) == len(mine.node)


def test_every_edge_of_the_graph_leads_somewhere_and_operators_know_their_line(ours: Path) -> None:
    (graph,) = read_run(ours).graphs
    names = {n.name for n in graph.node} | {p.name for p in graph.parameters} | {c.key for c in graph.const_vals}
    assert {edge.name for node in graph.node for edge in node.input} <= names
    assert graph.outputs[0].name in names
    assert [node.name for node in graph.node] == [str(number) for number in range(1, len(graph.node) + 1)]
    convolutions = [node for node in graph.node if node.op_type == "Conv2D"]
    assert all(b"self.conv2d(x" in b"".join(node.source_address) for node in convolutions)
    assert all(node.output_type.tensor_type.shape.dim for node in convolutions)


class Noting(nn.Cell):
    """The loss with a scalar, a histogram and a tensor of each step."""

    def __init__(self) -> None:
        super().__init__()
        self.loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        self.scalar, self.tensor = ops.ScalarSummary(), ops.TensorSummary()

    def construct(self, logits: Any, labels: Any) -> Any:
        loss = self.loss(logits, labels)
        self.scalar("loss", loss)
        self.tensor("logits", logits)
        return loss


def small(**settings: Any) -> Model:
    network = classifier()
    optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9)
    return Model(network, Noting(), optimizer, metrics={"accuracy"}, **settings)


@pytest.mark.parametrize("sink", [False, True], ids=["fed", "sinking"])
def test_summary_operators_are_recorded_at_the_steps_that_are_due(tmp_path: Path, mode: int, sink: bool) -> None:
    collector = ms.SummaryCollector(tmp_path, collect_freq=6, collect_tensor_freq=8)
    small().train(2, batches(), callbacks=[collector], dataset_sink_mode=sink)
    run = read_run(tmp_path)
    assert run.steps("scalar", "loss") == [1, 6, 12]
    assert run.steps("scalar", "loss/auto") == [1, 6, 12]
    assert run.steps("tensor", "logits") == [1, 8, 16]
    assert run.scalars("loss") == run.scalars("loss/auto")
    weights = [tag for kind, tag in run.values if kind == "histogram"]
    assert weights == ["0.weight/auto", "0.bias/auto", "3.weight/auto", "3.bias/auto"]
    assert ("image", "input_data/auto") not in run.tags()
    assert len(run.graphs) == 1


def test_both_modes_record_the_same_numbers(tmp_path: Path) -> None:
    found = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        small().train(1, batches(), callbacks=[ms.SummaryCollector(tmp_path / str(mode), collect_freq=1)])
        run = read_run(tmp_path / str(mode))
        found.append((run.scalars("loss"), run.graphs[0].SerializeToString(deterministic=True)))
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-6)
    assert found[0][1] == found[1][1]


def test_evaluations_of_a_fit_are_noted_and_leave_the_training_s_record_alone(tmp_path: Path, mode: int) -> None:
    collector = ms.SummaryCollector(tmp_path, collect_freq=4)
    small().fit(2, batches(), batches(2), callbacks=[collector])
    run = read_run(tmp_path)
    assert run.steps("scalar", "loss") == [1, 4, 8, 12, 16]
    assert len(run.environments) == 1
    assert run.notes["accuracy"] >= 0
    assert run.notes["epoch"] == 2
    assert len(run.files) == 2


def test_only_what_is_asked_for_is_collected(tmp_path: Path) -> None:
    collector = ms.SummaryCollector(
        tmp_path, collect_freq=1, collect_specified_data={"collect_metric": True}, keep_default_action=False
    )
    small().train(1, batches(2), callbacks=[collector])
    run = read_run(tmp_path)
    assert run.tags() == {("scalar", "loss/auto"), ("scalar", "loss"), ("tensor", "logits")}
    assert run.graphs == []
    assert run.notes == {}
    assert run.environments == []


def test_a_regular_expression_chooses_parameters(tmp_path: Path) -> None:
    chosen = {"histogram_regular": r".*\.weight"}
    small().train(1, batches(1), callbacks=[ms.SummaryCollector(tmp_path, collect_specified_data=chosen)])
    tags = {tag for kind, tag in read_run(tmp_path).tags() if kind == "histogram"}
    assert tags == {"0.weight/auto", "3.weight/auto"}


def test_gradients_are_recorded_as_the_optimizer_takes_them(tmp_path: Path, mode: int) -> None:
    network = classifier()
    before = {item.name: item.asnumpy().copy() for item in network.trainable_params()}
    optimizer = nn.SGD(network.trainable_params(), 1.0)
    collector = ms.SummaryCollector(tmp_path, collect_freq=1, collect_specified_data={"collect_gradients": True})
    Model(network, Noting(), optimizer).train(1, batches(1), callbacks=[collector])
    run = read_run(tmp_path)
    for item in network.trainable_params():
        (step, value), *others = run.values["histogram", f"{item.name}/grad"]
        assert (step, others) == (1, [])
        # A step of the length 1 against the gradient.
        gradient = before[item.name] - item.asnumpy()
        assert value.histogram.min == pytest.approx(gradient.min(), abs=1e-6)
        assert value.histogram.max == pytest.approx(gradient.max(), abs=1e-6)
        assert value.histogram.count == gradient.size


def test_gradients_are_noted_in_recorded_steps_of_trainings_that_ask_for_it(tmp_path: Path, mode: int) -> None:
    trained, gradients = small(), {("histogram", f"{name}/grad") for name in ("0.weight", "0.bias")}
    wanted = {"collect_gradients": True}
    trained.train(
        1, batches(), callbacks=[ms.SummaryCollector(tmp_path / "a", collect_freq=4, collect_specified_data=wanted)]
    )
    trained.train(1, batches(), callbacks=[ms.SummaryCollector(tmp_path / "b", collect_freq=4)])
    assert read_run(tmp_path / "a").steps("histogram", "0.weight/grad") == [1, 4, 8]
    assert not gradients & read_run(tmp_path / "b").tags()


def test_the_newest_checkpoint_is_noted(tmp_path: Path) -> None:
    kept = ModelCheckpoint("points", tmp_path / "kept")
    small().train(1, batches(2), callbacks=[kept, ms.SummaryCollector(tmp_path / "run")])
    notes = read_run(tmp_path / "run").notes
    assert notes["model_path"] == kept.latest_ckpt_file_name
    assert notes["model_size"] == Path(kept.latest_ckpt_file_name).stat().st_size


class Looping(nn.Cell):
    """A network whose program keeps a loop and a choice."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(8, 3)

    def construct(self, x: Any) -> Any:
        x = self.dense(x)
        while x.sum() > 10:
            x = x * 0.5
        return x if x.max() > 0 else x * 2


def test_a_network_with_a_loop_has_one_graph_too(tmp_path: Path, mode: int) -> None:
    network = Looping()
    optimizer = nn.SGD(network.trainable_params(), 0.1)
    trained = Model(network, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), optimizer)
    trained.train(1, batches(1), callbacks=[ms.SummaryCollector(tmp_path)])
    (graph,) = read_run(tmp_path).graphs
    names = {n.name for n in graph.node} | {p.name for p in graph.parameters} | {c.key for c in graph.const_vals}
    assert {edge.name for node in graph.node for edge in node.input} <= names
    assert "Switch" in {node.op_type for node in graph.node}


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"collect_freq": 0}, ValueError, "collect_freq"),
        ({"collect_tensor_freq": -1}, ValueError, "collect_tensor_freq"),
        ({"collect_specified_data": {"collect_everything": True}}, ValueError, "collect_everything"),
        ({"collect_specified_data": {"collect_metric": 1}}, TypeError, "True or False"),
        ({"collect_specified_data": {"histogram_regular": "("}}, ValueError, "is not a regular expression"),
        ({"keep_default_action": None}, TypeError, "keep_default_action"),
        ({"custom_lineage_data": {"a": [1]}}, TypeError, "texts and numbers"),
    ],
)
def test_wrong_settings_are_refused(
    tmp_path: Path, settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ms.SummaryCollector(tmp_path, **settings)


def test_two_collectors_of_one_training_are_refused(tmp_path: Path) -> None:
    both = [ms.SummaryCollector(tmp_path / "a"), ms.SummaryCollector(tmp_path / "b")]
    with pytest.raises(RuntimeError, match="one SummaryCollector"):
        small().train(1, batches(1), callbacks=both)
