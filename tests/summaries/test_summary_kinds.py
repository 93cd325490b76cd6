"""SummaryWriter with everything but scalars: what gets into the file, from whatever library, and what is refused."""

import json
import logging
import re
import threading

import numpy as np
import pytest

from summaries import FileKind, SummaryWriter, WriterState, parse_name, writer_state
from summaries.schema.anf_ir_pb2 import DataType, GraphProto, ModelProto
from summaries.schema.lineage_pb2 import LineageEvent
from summaries.schema.summary_pb2 import Event
from summaries.tensor import read_tensor
from summaries.writing import tensorboard_calls


@pytest.fixture(autouse=True)
def only_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """The files hold what the tests record and nothing else."""
    monkeypatch.setenv("MINDINSIGHT_RECORD_ENVIRONMENT", "0")


@pytest.fixture
def events(payloads):
    """All events of a writer's file behind the first."""

    def events(writer: SummaryWriter) -> list[Event]:
        return [Event.FromString(payload) for payload in payloads(writer.path)][1:]

    return events


@pytest.fixture
def values(events):
    def values(writer: SummaryWriter) -> list:
        return [value for event in events(writer) for value in event.summary.value]

    return values


@pytest.fixture
def lineage(payloads):
    def lineage(writer: SummaryWriter) -> list[LineageEvent]:
        return [LineageEvent.FromString(payload) for payload in payloads(writer.lineage_path)]

    return lineage


def net() -> GraphProto:
    graph = GraphProto(name="net")
    graph.node.add(name="1", op_type="ReLU")
    return graph


def record_everything(writer: SummaryWriter) -> None:
    """One of each kind, with scalars in between."""
    for step in range(3):
        writer.add_scalar("loss", 1 / (step + 1), step)
        writer.add_histogram("weights", np.arange(100.0), step)
        writer.add_image("input", np.zeros((1, 4, 4)), step)
        writer.add_images("batch", np.zeros((9, 3, 4, 4), np.uint8), step)
        writer.add_tensor("logits", np.arange(6).reshape(2, 3), step)
        writer.add_tensor("spectrum", np.array([1j]), step)
        writer.add_text("note", f"# step {step}", step)
        writer.add_scalars("accuracy", {"train": 0.5, "test": float("nan")}, step)
    writer.add_graph(net())
    writer.add_hparams({"lr": 0.1}, {"accuracy": 0.9})


def test_a_file_with_everything_gives_exactly_its_scalars_and_counts_the_rest(tmp_path, drain):
    with SummaryWriter(tmp_path, purge_step=0) as writer:
        record_everything(writer)
    drained = drain(writer.path)
    assert drained.damages == []
    assert drained.reader.tail() is None
    assert drained.counts() == {"loss": 3, "accuracy/train": 3, "accuracy/test": 3}
    assert [value for tag, _, _, value in drained.points if tag == "loss"] == pytest.approx([1, 1 / 2, 1 / 3])
    assert drained.steps == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert drained.notices == {"histogram": 3, "image": 6, "tensor": 6, "text": 3, "graph": 1}


def test_kinds_that_later_work_writes_are_counted_by_their_names(tmp_path, drain, hand):
    kinds = {
        "environment": {"environment": {"python": "3.11"}},
        "profile": {"profile": {"first_step": 1}},
        "pass_graph": {"pass_graph": {"pass_name": "inline"}},
        "live_edit": {"live_edit": {"name": "lr"}},
        "data_pipeline": {"data_pipeline": {"seconds": 1.0}},
    }
    records = [hand.version(), *(Event(wall_time=1, step=2, **kind).SerializeToString() for kind in kinds.values())]
    path = tmp_path / "file"
    path.write_bytes(b"".join(map(hand.record, records)))
    drained = drain(path)
    assert drained.notices == dict.fromkeys(kinds, 1)
    assert drained.points == drained.damages == []


def test_histograms_are_recorded(tmp_path, values):
    with SummaryWriter(tmp_path) as writer:
        writer.add_histogram("w", np.arange(20, dtype=np.float32), 3)
        writer.add_histogram("w", np.arange(20), 4, bins=4, walltime=9.0)
        writer.add_histogram("w", np.arange(20), 5, "auto", max_bins=512)
    first, second, third = values(writer)
    assert first.tag == "w"
    assert [bucket.count for bucket in first.histogram.buckets] == [7, 6, 7]
    assert [bucket.count for bucket in second.histogram.buckets] == [5] * 4
    assert len(third.histogram.buckets) == 3


def test_images_tensors_and_texts_are_recorded(tmp_path, values):
    with SummaryWriter(tmp_path) as writer:
        writer.add_image("i", np.zeros((4, 5), np.uint8), 1, dataformats="HW")
        writer.add_images("i", np.zeros((2, 4, 5, 1)), 1, dataformats="NHWC")
        writer.add_tensor("t", np.array([[2**60 + 1]]), 1)
        writer.add_text("说明", "**粗体** 😀", 1)
    image, images, tensor, text = values(writer)
    assert (image.image.height, image.image.width) == (4, 5)
    assert (images.image.height, images.image.width) == (4, 10)
    assert read_tensor(tensor).tolist() == [[2**60 + 1]]
    assert (text.tag, text.text.content) == ("说明", "**粗体** 😀")


def test_steps_and_times_are_kept_in_both_spellings(tmp_path, events):
    with SummaryWriter(tmp_path) as writer:
        for record, value in (
            (writer.add_scalar, 1.0),
            (writer.add_histogram, [1.0]),
            (writer.add_tensor, [1.0]),
            (writer.add_text, "x"),
            (writer.add_image, np.zeros((1, 2, 2))),
            (writer.add_images, np.zeros((1, 1, 2, 2))),
        ):
            record(record.__name__, value, global_step=np.int64(5), walltime=7.0)
            record(record.__name__, value, step=6, wall_time=8.0)
            record(record.__name__, value)
    found = {}
    for event in events(writer):
        for value in event.summary.value:
            found.setdefault(value.tag, []).append(event.step)
    assert set(map(tuple, found.values())) == {(5, 6, 0)}
    assert {event.wall_time for event in events(writer)} > {7.0, 8.0}


def test_the_names_of_torch_s_arguments_are_understood(tmp_path, values):
    with SummaryWriter(logdir=tmp_path) as writer:
        writer.add_scalar(tag="a", scalar_value=1.0, global_step=1)
        writer.add_scalars(main_tag="b", tag_scalar_dict={"c": 2.0}, global_step=1)
        writer.add_histogram(tag="d", values=[1.0], global_step=1, bins="tensorflow")
        writer.add_image(tag="e", img_tensor=np.zeros((1, 2, 2)), global_step=1, dataformats="CHW")
        writer.add_text(tag="f", text_string="x", global_step=1)
    assert [value.tag for value in values(writer)] == ["a", "b/c", "d", "e", "f"]
    assert writer.get_logdir() == writer.logdir == str(tmp_path)


class Torch:
    """Behaves as PyTorch's tensors do."""

    def __init__(self, array, *, on_cpu=True, grad=False, kind="torch.float32"):
        self.array, self.is_cpu, self.grad, self.dtype = array, on_cpu, grad, kind

    def detach(self):
        return Torch(self.array, on_cpu=self.is_cpu, kind=self.dtype)

    def cpu(self):
        return self if self.is_cpu else Torch(self.array.copy(), kind=self.dtype)

    def float(self):
        return Torch(np.float32(self.array))

    def numpy(self):
        if self.grad or not self.is_cpu:
            raise RuntimeError("Can't call numpy() on this tensor")
        if self.dtype == "torch.bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.array


class MindSpore:
    def __init__(self, array):
        self.array = array

    def asnumpy(self):
        return self.array


class Interface:
    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


ARRAY = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.mark.parametrize(
    "value",
    [
        ARRAY,
        ARRAY.tolist(),
        tuple(map(tuple, ARRAY.tolist())),
        np.asfortranarray(ARRAY),
        ARRAY.astype(">f4"),
        Torch(ARRAY),
        Torch(ARRAY, grad=True),
        Torch(ARRAY, on_cpu=False, grad=True),
        Torch(ARRAY, kind="torch.bfloat16"),
        MindSpore(ARRAY),
        Interface(ARRAY),
        memoryview(ARRAY),
    ],
)
def test_arrays_of_any_library_are_taken(tmp_path, values, value):
    with SummaryWriter(tmp_path) as writer:
        writer.add_tensor("t", value, 1)
    (found,) = values(writer)
    assert read_tensor(found).tolist() == ARRAY.tolist()


def test_bfloat16_stays_bfloat16(tmp_path, values):
    with SummaryWriter(tmp_path) as writer:
        writer.add_tensor("t", Torch(ARRAY, kind="torch.bfloat16"), 1)
    assert values(writer)[0].tensor.data_type == DataType.DT_BFLOAT16


@pytest.mark.parametrize("wrap", [lambda array: array, Torch, MindSpore, Interface, memoryview])
@pytest.mark.parametrize("size", [10, 1 << 18])
def test_what_the_training_changes_afterwards_is_not_recorded(tmp_path, values, wrap, size):
    array = np.zeros(size, np.float32)
    with SummaryWriter(tmp_path, flush_secs=3600) as writer:
        for step in range(20):
            array[:] = step
            writer.add_histogram("h", wrap(array), step)
            writer.add_tensor("t", wrap(array[:8]), step)
        array[:] = -1
    found = values(writer)
    assert [value.histogram.min for value in found if value.HasField("histogram")] == list(range(20))
    assert [value.tensor.float_data[0] for value in found if value.HasField("tensor")] == list(range(20))


@pytest.mark.parametrize("record", ["add_histogram", "add_tensor", "add_image"])
@pytest.mark.parametrize("value", ["x", None, object(), [[1], [1, 2]], {"a": 1}, np.array(["x"]), np.array([None])])
def test_what_is_no_array_is_refused_where_it_happens(tmp_path, values, record, value):
    with SummaryWriter(tmp_path) as writer, pytest.raises(TypeError, match="'bad'"):
        getattr(writer, record)("bad", value, 1)
    assert values(writer) == []


def test_other_mistakes_are_refused_where_they_happen(tmp_path, values):
    with SummaryWriter(tmp_path) as writer:
        with pytest.raises(TypeError, match="real"):
            writer.add_histogram("h", np.array([1j]), 1)
        with pytest.raises(ValueError, match="does not describe"):
            writer.add_image("i", np.zeros((2, 2)), 1)
        with pytest.raises(TypeError, match="str"):
            writer.add_text("t", 5, 1)
        with pytest.raises(ValueError, match="not valid text"):
            writer.add_text("t", "\ud800", 1)
        with pytest.raises(ValueError, match="tag"):
            writer.add_text("", "x", 1)
        with pytest.raises(TypeError, match="step"):
            writer.add_tensor("t", [1.0], 1.5)
        with pytest.raises(TypeError, match="GraphProto"):
            writer.add_graph("graph")
        with pytest.raises(TypeError, match="Event"):
            writer.add_graph(Event(wall_time=1))
        with pytest.raises(ValueError, match="bins"):
            writer.add_histogram("h", [1.0], 1, bins=0)
    assert values(writer) == []


def test_a_closed_writer_refuses_everything(tmp_path):
    writer = SummaryWriter(tmp_path)
    writer.close()
    for call in (
        lambda: writer.add_histogram("h", [1.0]),
        lambda: writer.add_text("t", "x"),
        lambda: writer.add_graph(net()),
        lambda: writer.add_hparams({"lr": 0.1}),
    ):
        with pytest.raises(ValueError, match="closed"):
            call()


@pytest.mark.parametrize("form", [net(), net().SerializeToString(), ModelProto(graph=net())])
def test_graphs_are_recorded_in_every_form(tmp_path, events, form):
    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(form)
    (event,) = events(writer)
    assert event.graph_def == net()
    assert not event.HasField("step")


def test_a_graph_that_changes_afterwards_is_recorded_as_it_was(tmp_path, events):
    graph = net()
    with SummaryWriter(tmp_path, flush_secs=3600) as writer:
        writer.add_graph(graph)
        graph.Clear()
    assert events(writer)[0].graph_def == net()


@pytest.fixture
def nothing_said(monkeypatch):
    monkeypatch.setattr(tensorboard_calls, "_warned", set())


def test_models_of_other_libraries_are_passed_over_with_one_warning(tmp_path, events, caplog, nothing_said):
    with SummaryWriter(tmp_path) as writer:
        for _ in range(3):
            writer.add_graph(lambda x: x, np.zeros(3))
    assert events(writer) == []
    assert caplog.text.count("add_graph takes a GraphProto") == 1


@pytest.mark.parametrize("name", tensorboard_calls.INSTEAD)
def test_calls_that_are_not_supported_warn_once_and_say_what_to_do(tmp_path, caplog, nothing_said, name):
    with SummaryWriter(tmp_path) as writer:
        for _ in range(3):
            assert getattr(writer, name)("tag", object(), global_step=1) is None
    (record,) = caplog.records
    assert re.match(rf"SummaryWriter\.{name} is not supported and records nothing: \w+", record.message)


def test_every_other_name_is_an_error(tmp_path):
    with SummaryWriter(tmp_path) as writer, pytest.raises(AttributeError, match="add_skalar"):
        writer.add_skalar("x", 1.0)


def test_broken_bytes_are_left_out_with_one_word(tmp_path, events, caplog):
    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(b"\xff\xff")
        writer.add_graph(b"\xff\xff")
        writer.add_text("after", "x", 1)
    assert len(events(writer)) == 1
    assert caplog.text.count("The graph is left out of") == 1


def test_hyper_parameters_go_into_a_lineage_file_beside_the_events(tmp_path, lineage):
    with SummaryWriter(tmp_path) as writer:
        assert writer.lineage_path is None
        given = {"lr": 0.1, "batch": 32, "optimizer": "Adam", "nesterov": True, "wide": np.float32(0.5)}
        more = {"seed": 2**40, "huge": 2**70 + 1, "sizes": [1, 2], "none": None, "inner": {"depth": np.int64(3)}}
        writer.add_hparams(given | more, {"accuracy": 0.9, "loss": np.float64(0.25)}, run_name="first", global_step=7)
    user, evaluation = lineage(writer)
    assert writer.lineage_path.parent == writer.path.parent
    assert parse_name(writer.lineage_path.name).kind is FileKind.LINEAGE
    assert writer_state(writer.lineage_path) is WriterState.CLOSED
    assert user.step == evaluation.step == 7
    found = {}
    for info in user.user_defined_info.user_info:
        for kind in ("map_int32", "map_double", "map_str"):
            found |= {name: (kind, value) for name, value in getattr(info, kind).items()}
        for name, inner in info.map_dict.items():
            found[name] = dict(inner.map_int32)
    assert found == {
        "lr": ("map_double", 0.1),
        "batch": ("map_int32", 32),
        "optimizer": ("map_str", "Adam"),
        "nesterov": ("map_int32", 1),
        "wide": ("map_double", 0.5),
        "seed": ("map_double", 2.0**40),
        "huge": ("map_str", str(2**70 + 1)),
        "sizes": ("map_str", "[1, 2]"),
        "none": ("map_str", "None"),
        "inner": {"depth": 3},
        "run_name": ("map_str", "first"),
    }
    assert json.loads(evaluation.evaluation_lineage.metric) == {"accuracy": 0.9, "loss": 0.25}


def test_hyper_parameters_are_recorded_all_or_none(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        with pytest.raises(TypeError, match="'accuracy'"):
            writer.add_hparams({"lr": 0.1}, {"accuracy": "good"})
        with pytest.raises(TypeError, match="tag"):
            writer.add_hparams({1: 0.1})
        assert writer.lineage_path is None


def test_a_lineage_file_that_cannot_be_made_does_not_stop_the_training(tmp_path, values, monkeypatch, caplog):
    with SummaryWriter(tmp_path) as writer:

        def refuse(*_, **__):
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr("summaries.writing.run_files.EventFile", refuse)
            writer.add_hparams({"lr": 0.1})
        assert writer.lineage_path is None
        assert "not recorded: [Errno 28] No space left" in caplog.text
        writer.add_scalar("loss", 1.0, 1)
        writer.add_hparams({"lr": 0.1})
    assert writer.lineage_path is not None
    assert len(values(writer)) == 1


def test_many_hyper_parameters_share_one_file_and_writers_do_not(tmp_path, lineage):
    writers = [SummaryWriter(tmp_path) for _ in range(5)]
    for number, writer in enumerate(writers):
        writer.add_hparams({"number": number})
        writer.add_hparams({"number": number + 10})
    for writer in writers:
        writer.close()
    assert len({writer.lineage_path for writer in writers}) == 5
    for number, writer in enumerate(writers):
        found = [event.user_defined_info.user_info[0].map_int32["number"] for event in lineage(writer)]
        assert found == [number, number + 10]


def test_a_lineage_file_is_flushed_too(tmp_path, lineage):
    with SummaryWriter(tmp_path, flush_secs=3600) as writer:
        writer.add_hparams({"lr": 0.1})
        assert writer.flush()
        assert len(lineage(writer)) == 1


def test_each_file_begins_a_segment(tmp_path, payloads):
    def segment(writer):
        return Event.FromString(payloads(writer.path)[0]).segment

    with SummaryWriter(tmp_path) as first, SummaryWriter(tmp_path, purge_step=100) as second:
        pass
    assert not segment(first).HasField("from_step")
    assert segment(second).from_step == 100
    assert segment(first).id != segment(second).id != ""


def test_without_a_directory_runs_are_named_by_time_and_host(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with SummaryWriter(comment="_lr0.1") as writer:
        pass
    assert re.fullmatch(r"runs/\w{3}\d\d_\d\d-\d\d-\d\d_.+_lr0\.1", str(writer.log_dir))
    with pytest.raises(ValueError, match="same argument"):
        SummaryWriter("a", logdir="b")


def test_large_arrays_wait_for_the_thread_and_none_is_lost(tmp_path, values, monkeypatch):
    monkeypatch.setattr("summaries.writing.recorder._MAX_QUEUED_BYTES", 4 << 20)
    array = np.ones(1 << 18, np.float32)
    with SummaryWriter(tmp_path, flush_secs=3600) as writer:
        for step in range(50):
            writer.add_histogram("h", array, step)
    assert len(values(writer)) == 50


def test_threads_may_share_a_writer_for_arrays(tmp_path, events):
    def work(number: int) -> None:
        array = np.empty(1 << 16, np.float32)
        for step in range(20):
            array[:] = number * 100 + step
            writer.add_histogram(str(number), array, step)

    with SummaryWriter(tmp_path) as writer:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    found = [(value.tag, event.step, value.histogram) for event in events(writer) for value in event.summary.value]
    assert len(found) == 80
    for tag, step, histogram in found:
        assert histogram.min == histogram.max == int(tag) * 100 + step


def test_nothing_is_encoded_in_the_training_s_thread(tmp_path, monkeypatch):
    threads = set()
    for name in ("writing.histogram.fill_histogram", "writing.image.fill_image", "tensor.fill_tensor"):
        monkeypatch.setattr(f"summaries.{name}", lambda *_, **__: threads.add(threading.current_thread().name))
    with SummaryWriter(tmp_path) as writer:
        record_everything(writer)
    assert threads == {"SummaryWriter"}


def test_a_value_that_cannot_be_encoded_does_not_stop_the_rest(tmp_path, drain, monkeypatch, caplog):
    def fail(*_, **__):
        raise RuntimeError("boom")

    monkeypatch.setattr("summaries.writing.image.fill_image", fail)
    with caplog.at_level(logging.ERROR), SummaryWriter(tmp_path) as writer:
        record_everything(writer)
    assert drain(writer.path).counts()["loss"] == 3
    assert sorted(record.message.split(" is left")[0] for record in caplog.records) == [
        "The image 'batch'",
        "The image 'input'",
    ]
