"""What runs note about themselves: read from real files, from our writer's, and from broken and hostile ones."""

import json
import math

import numpy as np
import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st

from summaries import SummaryWriter
from summaries.damages import DamageReason
from summaries.reading.notes import MAX_ITEMS, MAX_PARAMETERS, MAX_RESULT_TAGS, MAX_TEXT
from summaries.reading.parameters import hparams_of, read_lineage
from summaries.schema.lineage_pb2 import LineageEvent
from summaries.schema.tensorboard_hparams_pb2 import HParamsPluginData
from summaries.schema.tensorboard_pb2 import Event


@pytest.fixture
def lineage_file(tmp_path, hand):
    """Writes a lineage file of messages or of payloads, framed by hand."""

    def lineage_file(*parts):
        path = tmp_path / "events.out.events.summary.1.0.host_lineage"
        payloads = [part if isinstance(part, bytes) else part.SerializeToString() for part in parts]
        path.write_bytes(b"".join(hand.record(payload) for payload in payloads))
        return path

    return lineage_file


def training(**parameters):
    event = LineageEvent(wall_time=1)
    for name, value in parameters.items():
        setattr(event.train_lineage.hyper_parameters, name, value)
    return event


def evaluation(metrics):
    event = LineageEvent(wall_time=1)
    event.evaluation_lineage.metric = metrics if isinstance(metrics, str) else json.dumps(metrics)
    return event


def user(**parameters):
    event = LineageEvent(wall_time=1)
    for name, value in parameters.items():
        event.user_defined_info.user_info.add().map_str[name] = value
    return event


def session(**parameters):
    data = HParamsPluginData()
    for name, value in parameters.items():
        if isinstance(value, list):
            data.session_start_info.hparams[name].list_value.extend(value)
        else:
            kind = {bool: "bool_value", str: "string_value"}.get(type(value), "number_value")
            setattr(data.session_start_info.hparams[name], kind, value)
    return data


def hparams_event(content, plugin="hparams"):
    event = Event(wall_time=1)
    value = event.summary.value.add(tag="_hparams_/session_start_info")
    value.metadata.plugin_data.plugin_name = plugin
    value.metadata.plugin_data.content = content
    return event.SerializeToString()


OPTIMIZERS = {"adam": "Adam", "mom": "Momentum", "rms": "RMSProp", "sgd": "SGD"}


def test_real_trainings_note_what_their_names_say(real_data):
    folders = sorted((real_data / "mindspore" / "lenet").iterdir())
    assert len(folders) == 8
    for folder in folders:
        first, second = (read_lineage(path) for path in sorted(folder.glob("*_lineage")))
        optimizer, _, batch = folder.name.split("_")
        assert first.params["optimizer"] == OPTIMIZERS[optimizer]
        assert first.params["batch_size"] == int(batch[1:])
        assert first.params["learning_rate"] == first.params["lr"]
        assert first.params["run"] == folder.name
        assert first.params["network"] == "LeNet5"
        assert first.params["train_dataset_size"] == 1408
        assert first.params["dataset_operations"] == ["GeneratorDataset", "Batch"]
        assert second.params == {"valid_dataset_size": 360}
        assert set(second.metrics) == {"Accuracy", "Loss"}
        assert first.damages == second.damages == []


def test_the_results_of_real_files_are_those_of_the_messages(real_data, payloads):
    folder = real_data / "mindspore" / "lenet" / "adam_lr001_b32"
    train, evaluated = sorted(folder.glob("*_lineage"))
    events = [LineageEvent.FromString(payload) for path in (train, evaluated) for payload in payloads(path)]
    (noted,) = (event.train_lineage for event in events if event.HasField("train_lineage"))
    assert np.float32(read_lineage(train).metrics["loss"]) == np.float32(noted.algorithm.loss)
    assert np.float32(read_lineage(train).params["learning_rate"]) == np.float32(noted.hyper_parameters.learning_rate)
    assert read_lineage(evaluated).metrics == json.loads(events[-1].evaluation_lineage.metric)


def test_real_hparams_are_read(real_data, payloads):
    (path,) = (real_data / "tensorboard" / "adam_lr0.001").glob("*/events.out.tfevents.*")
    notes = [hparams_of(payload) for payload in payloads(path)]
    assert [note.params for note in notes if note.params] == [{"lr": 0.001, "optimizer": "Adam", "width": 16}]
    assert all(not note.metrics and not note.damages for note in notes)
    assert [note.result_tags for note in notes if note.result_tags] == [["hparam/accuracy", "hparam/loss"]]


def test_an_experiment_names_the_results_of_its_own_run():
    data = HParamsPluginData()
    for tag, group in (
        ("accuracy", ""),
        ("of another run", "validation"),
        ("", ""),
        ("x" * 5000, ""),
        ("accuracy", ""),
    ):
        metric = data.experiment.metric_infos.add()
        metric.name.tag, metric.name.group = tag, group
    for index in range(2 * MAX_RESULT_TAGS):
        data.experiment.metric_infos.add().name.tag = f"m{index}"
    tags = hparams_of(hparams_event(data.SerializeToString())).result_tags
    assert tags[:2] == ["accuracy", "m0"]
    assert len(tags) == MAX_RESULT_TAGS


def test_what_our_writer_notes_comes_back(tmp_path):
    noted = {"lr": 0.1, "layers": 3, "name": "naïve", "model": {"width": 64, "act": "relu"}, "big": 1 << 40}
    with SummaryWriter(tmp_path) as writer:
        writer.add_hparams(noted, {"accuracy": 0.75, "loss": math.nan, "worst": math.inf})
    notes = read_lineage(writer.lineage_path)
    assert notes.params == {
        "lr": 0.1,
        "layers": 3,
        "name": "naïve",
        "model/width": 64,
        "model/act": "relu",
        "big": float(1 << 40),
    }
    assert notes.metrics == pytest.approx({"accuracy": 0.75, "loss": math.nan, "worst": math.inf}, nan_ok=True)
    assert notes.damages == []


def test_later_records_replace_and_the_user_comes_first(lineage_file):
    path = lineage_file(user(optimizer="mine"), training(optimizer="SGD", epoch=1), training(epoch=2))
    assert read_lineage(path).params == {"optimizer": "mine", "epoch": 2}


def test_what_is_empty_is_not_noted(lineage_file):
    event = training(optimizer="", epoch=0)
    event.train_lineage.model.path = '{"ckpt": null}'
    event.train_lineage.model.size = 0
    assert read_lineage(lineage_file(event)).params == {"epoch": 0}


@pytest.mark.parametrize("path", ['{"ckpt": "/m/net.ckpt"}', "/m/net.ckpt"])
def test_the_checkpoint_is_noted(lineage_file, path):
    event = LineageEvent(wall_time=1)
    event.train_lineage.model.path = path
    event.train_lineage.model.size = 123
    assert read_lineage(lineage_file(event)).params == {"model_path": "/m/net.ckpt", "model_size": 123}


def test_results_that_are_no_plain_numbers(lineage_file):
    results = {"f1": [0.5, 0.25], "top": {"1": 0.9, "5": True}, "best": "NaN", "comment": "fine", "none": None}
    notes = read_lineage(lineage_file(evaluation(results)))
    nan = notes.metrics.pop("best")
    assert math.isnan(nan)
    assert notes.metrics == {"f1/0": 0.5, "f1/1": 0.25, "top/1": 0.9, "top/5": 1.0}
    assert notes.params == {"comment": "fine"}


@pytest.mark.parametrize("text", ["{", "[1]", "7", "[" * 100_000, '{"a": ' + "9" * 10_000 + "}"])
def test_results_that_are_no_json_object_are_damage(lineage_file, text):
    notes = read_lineage(lineage_file(evaluation(text), training(epoch=1)))
    assert notes.params == {"epoch": 1}
    (damage,) = notes.damages
    assert (damage.offset, damage.reason) == (0, DamageReason.UNPARSABLE)
    assert len(damage.message) < 500


def test_numbers_out_of_range(lineage_file):
    notes = read_lineage(lineage_file(evaluation('{"a": 1e999, "b": ' + "9" * 400 + ', "c": -Infinity}')))
    assert notes.metrics == {"a": math.inf, "b": math.inf, "c": -math.inf}


def test_a_broken_record_costs_only_itself(lineage_file, hand):
    path = lineage_file(training(epoch=1), training(batch_size=2), evaluation({"acc": 0.5}))
    data = bytearray(path.read_bytes())
    second = len(hand.record(training(epoch=1).SerializeToString()))
    data[second + 14] ^= 1
    path.write_bytes(data)
    notes = read_lineage(path)
    assert (notes.params, notes.metrics) == ({"epoch": 1}, {"acc": 0.5})
    (damage,) = notes.damages
    assert (damage.offset, damage.reason) == (second, DamageReason.PAYLOAD_CRC)
    assert notes.file == str(path)


def test_a_truncated_file_gives_what_is_whole(lineage_file):
    path = lineage_file(training(epoch=1), evaluation({"acc": 0.5}))
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    notes = read_lineage(path)
    assert (notes.params, notes.metrics) == ({"epoch": 1}, {})
    assert [damage.reason for damage in notes.damages] == [DamageReason.UNFINISHED]


def test_a_record_that_is_no_message_is_damage(lineage_file):
    notes = read_lineage(lineage_file(b"\xff\xff\xff", training(epoch=1)))
    assert notes.params == {"epoch": 1}
    assert [(damage.offset, damage.reason) for damage in notes.damages] == [(0, DamageReason.UNPARSABLE)]


def test_texts_that_are_no_utf_8_are_read_as_far_as_possible(lineage_file):
    named = user(name="abcd", other="1").SerializeToString().replace(b"abcd", b"ab\xff\xff")
    naming = user(abcd="2").SerializeToString().replace(b"abcd", b"cd\xff\xff")
    results = evaluation({"acc": 0.5}).SerializeToString().replace(b"acc", b"ac\xff")
    notes = read_lineage(lineage_file(named, naming, results))
    assert notes.params == {"name": "ab\ufffd\ufffd", "other": "1"}
    assert [damage.reason for damage in notes.damages] == [DamageReason.UNPARSABLE] * 2


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_lineage(tmp_path / "x_lineage")


def test_texts_and_lists_are_cut(lineage_file):
    notes = read_lineage(lineage_file(user(text="x" * 100_000)))
    assert notes.params == {"text": "x" * (MAX_TEXT - 1) + "…"}
    content = session(many=[float(number) for number in range(1000)]).SerializeToString()
    assert len(hparams_of(hparams_event(content)).params["many"]) == MAX_ITEMS


def test_more_names_than_allowed_are_left_out_and_said_once(lineage_file):
    path = lineage_file(user(**{f"p{number:05}": "1" for number in range(2 * MAX_PARAMETERS)}))
    notes = read_lineage(path)
    assert len(notes.params) == MAX_PARAMETERS
    assert notes.params["p00000"] == "1"
    assert [damage.reason for damage in notes.damages] == [DamageReason.TOO_LARGE]


def test_names_that_nobody_could_show_are_left_out(lineage_file):
    notes = read_lineage(lineage_file(user(**{"": "1", "x" * 2000: "2", "a\0b": "c\0d"})))
    assert notes.params == {"a\ufffdb": "c\ufffdd"}
    assert [damage.reason for damage in notes.damages] == [DamageReason.BAD_TAG]


def test_deep_nesting_ends(lineage_file):
    event = LineageEvent(wall_time=1)
    info = event.user_defined_info
    for _ in range(40):
        info = info.map_dict["x" * 500]
    info.map_int32["deep"] = 1
    notes = read_lineage(lineage_file(event, evaluation('{"a":' * 900 + "1" + "}" * 900)))
    assert notes.params == notes.metrics == {}
    assert [damage.reason for damage in notes.damages] == [DamageReason.BAD_TAG]


def test_hparams_of_all_types():
    noted = {"lr": 0.5, "adam": True, "name": "x", "layers": [64.0, 32.0], "mixed": ["a", True]}
    assert hparams_of(hparams_event(session(**noted).SerializeToString())).params == noted


def test_lists_have_no_numbers_that_json_lacks():
    noted = session(lr=[0.5, math.nan, math.inf, -math.inf], clip=math.inf)
    params = hparams_of(hparams_event(noted.SerializeToString())).params
    assert params == {"lr": [0.5, "NaN", "Infinity", "-Infinity"], "clip": math.inf}


def test_hparams_of_other_events():
    assert hparams_of(hparams_event(session(lr=1).SerializeToString(), plugin="text")).params == {}
    assert hparams_of(Event(wall_time=1, file_version="brain.Event:2").SerializeToString()).params == {}
    experiment = HParamsPluginData()
    experiment.experiment.metric_infos.add().name.tag = "accuracy"
    notes = hparams_of(hparams_event(experiment.SerializeToString()))
    assert (notes.params, notes.metrics) == ({}, {})


@pytest.mark.parametrize("payload", [b"\xff", hparams_event(b"\x1a\x05abc")])
def test_broken_hparams_are_damage_with_file_and_offset(payload):
    notes = hparams_of(payload, file="runs/a/events", offset=96)
    (damage,) = notes.damages
    assert (notes.file, damage.offset, damage.length) == ("runs/a/events", 96, len(payload) + 16)
    assert "byte 96" in damage.message


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_reported(payload):
    notes = hparams_of(payload)
    try:
        Event.FromString(payload)
    except DecodeError:
        assert notes.damages


@given(st.dictionaries(st.text(), st.recursive(st.none() | st.floats() | st.integers() | st.text(), st.lists)))
def test_any_json_gives_values_that_json_and_databases_take(tmp_path_factory, hand, results):
    path = tmp_path_factory.getbasetemp() / "x_lineage"
    path.write_bytes(hand.record(evaluation(results).SerializeToString()))
    notes = read_lineage(path)
    text = json.dumps([notes.params, notes.metrics], ensure_ascii=False)
    assert "\\u0000" not in text
    text.encode()
    assert all(isinstance(value, float) for value in notes.metrics.values())
