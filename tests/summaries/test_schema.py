"""The schemas: against descriptors built here from the format's field tables, and current generated code.

`FIELDS` restates the messages of scalar, image, histogram, tensor, loss landscape, graph and lineage records, maps
as the repeated pairs that they are on the wire. They go into a pool of their own under MindSpore's package name,
and bytes must mean the same in both worlds.
"""

import shutil
import subprocess
import sys

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from summaries.schema import (
    anf_ir_pb2,
    generate,
    lineage_pb2,
    scan_pb2,
    summary_pb2,
    tensorboard_graph_pb2,
    tensorboard_hparams_pb2,
    tensorboard_pb2,
)

# message: (number, name, type), with ! for required and * for repeated; a capital letter begins a message's name.
FIELDS = {
    "Event": "1 wall_time double!, 2 step int64, 3 version string, 4 graph_def GraphProto, 5 summary Summary",
    "Summary": "1 value SummaryValue*",
    "SummaryValue": "1 tag string!, 3 scalar_value float, 4 image Image, 8 tensor TensorProto, 9 histogram Histogram,"
    " 10 loss_landscape LossLandscape",
    "LossLandscape": "1 landscape Point, 2 loss_path LossPath, 3 metadata LossMetadata, 4 convergence_point Point",
    "Point": "1 x TensorProto, 2 y TensorProto, 3 z TensorProto",
    "LossPath": "1 intervals int32*, 2 points Point",
    "LossMetadata": "1 decomposition string, 2 unit string, 3 step_per_epoch int32",
    "Image": "1 height int32!, 2 width int32!, 3 colorspace int32!, 4 encoded_image bytes!",
    "Histogram": "1 buckets Bucket*, 2 nan_count int64, 3 pos_inf_count int64, 4 neg_inf_count int64, 5 max double,"
    " 6 min double, 7 sum double, 8 count int64",
    "Bucket": "1 left double!, 2 width double!, 3 count int64!",
    "TensorProto": "1 dims int64*, 2 data_type int32, 3 float_data float*, 4 int32_data int32*, 5 int64_data int64*,"
    " 6 double_data double*, 7 uint64_data uint64*, 8 raw_data bytes",
    "GraphProto": "1 node NodeProto*, 2 name string, 3 parameters ParameterProto*, 4 outputs OutputProto*,"
    " 5 const_vals NamedValueProto*",
    "OutputProto": "1 name string, 2 type TypeProto",
    "NodeProto": "1 input InputProto*, 2 name string, 3 op_type string, 4 scope string, 5 attribute AttributeProto*,"
    " 6 output_type TypeProto, 7 output_i uint64, 8 full_name string, 10 instance_name string",
    "InputProto": "1 name string, 2 type int32",
    "AttributeProto": "1 name string, 2 value ValueProto",
    "NamedValueProto": "1 key string, 2 value ValueProto",
    "ParameterProto": "1 name string, 2 type TypeProto, 3 default_val ValueProto",
    "ValueProto": "1 dtype int32, 2 bool_val bool, 3 int_val int64, 4 uint_val uint64, 5 float_val float,"
    " 6 double_val double, 7 str_val string, 8 tensor_val TensorProto, 10 bool_vals bool*, 11 int_vals int64*,"
    " 15 str_vals string*, 18 values ValueProto*, 19 dict_val NamedValueProto*, 20 type_val TypeProto",
    "TypeProto": "1 data_type int32, 2 tensor_type TensorType, 3 sequence_type SequenceType",
    "TensorType": "1 elem_type int32, 2 shape ShapeProto",
    "SequenceType": "1 elem_types TypeProto*",
    "ShapeProto": "1 dim Dimension*",
    "Dimension": "1 size int64, 2 name string",
    "LineageEvent": "1 wall_time double!, 2 step int64, 3 version string, 6 train_lineage TrainLineage,"
    " 7 evaluation_lineage Evaluation, 9 dataset_graph DatasetGraph, 10 user_defined_info UserDefinedInfo",
    "UserDefinedInfo": "1 user_info UserDefinedInfo*, 2 map_dict ToInfo*, 3 map_int32 ToInt*, 4 map_str ToText*,"
    " 5 map_double ToDouble*",
    "ToInfo": "1 key string, 2 value UserDefinedInfo",
    "ToInt": "1 key string, 2 value int32",
    "ToText": "1 key string, 2 value string",
    "ToDouble": "1 key string, 2 value double",
    "ToBool": "1 key string, 2 value bool",
    "ToList": "1 key string, 2 value StrList",
    "DatasetGraph": "1 children DatasetGraph*, 2 parameter OperationParameter, 3 operations Operation*,"
    " 4 sampler Operation",
    "Operation": "1 operationParam OperationParameter, 2 size int32*, 3 weights float*",
    "OperationParameter": "1 mapStr ToText*, 2 mapStrList ToList*, 3 mapBool ToBool*, 4 mapInt ToInt*,"
    " 5 mapDouble ToDouble*",
    "StrList": "1 strValue string*",
    "TrainLineage": "1 hyper_parameters HyperParameters, 2 train_dataset TrainDataset, 3 algorithm Algorithm,"
    " 4 model Model",
    "TrainDataset": "1 train_dataset_path string, 2 train_dataset_size int32",
    "Algorithm": "1 network string, 2 loss float",
    "HyperParameters": "1 optimizer string, 2 learning_rate float, 3 loss_function string, 4 epoch int32,"
    " 5 parallel_mode string, 6 device_num int32, 8 batch_size int32",
    "Model": "3 path string, 4 size int64",
    "Evaluation": "2 metric string, 3 valid_dataset ValidDataset",
    "ValidDataset": "1 valid_dataset_path string, 2 valid_dataset_size int32",
}
PACKED = {"float_data", "int32_data", "int64_data", "double_data", "uint64_data"}


def build() -> descriptor_pool.DescriptorPool:
    field_type = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="summary.proto", package="mindspore.irpb", syntax="proto2")
    for message, fields in FIELDS.items():
        descriptor = file.message_type.add(name=message)
        for text in fields.split(","):
            number, name, kind = text.split()
            label = {"!": "LABEL_REQUIRED", "*": "LABEL_REPEATED"}.get(kind[-1], "LABEL_OPTIONAL")
            kind = kind.rstrip("!*")
            field = descriptor.field.add(name=name, number=int(number), label=label)
            if kind[0].isupper():
                field.type, field.type_name = field_type.TYPE_MESSAGE, f".mindspore.irpb.{kind}"
            else:
                field.type = getattr(field_type, f"TYPE_{kind.upper()}")
            if name in PACKED:
                field.options.packed = True
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool


@pytest.fixture(scope="module")
def theirs():
    pool = build()

    def get(name: str):
        return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"mindspore.irpb.{name}"))

    return get


def every_kind_of_value() -> summary_pb2.Event:
    event = summary_pb2.Event(wall_time=1795223313.5, step=7)
    add = event.summary.value.add
    add(tag="loss", scalar_value=0.25)
    add(tag="损失", scalar_value=float("nan"))
    image = add(tag="input", image={"height": 2, "width": 3, "colorspace": 3, "encoded_image": b"\x89PNG"})
    assert image.image.width == 3
    add(tag="w", tensor={"dims": [2, 2], "data_type": anf_ir_pb2.DT_FLOAT32, "float_data": [1, 2, 3, 4]})
    histogram = {"count": 5, "nan_count": 1, "max": 2, "min": -1, "sum": 3}
    buckets = [{"left": -1, "width": 1.5, "count": 3}, {"left": 0.5, "width": 1.5, "count": 1}]
    add(tag="h", histogram={**histogram, "buckets": buckets})
    plane = {"x": {"dims": [1], "int32_data": [1]}, "y": {"int64_data": [-1]}, "z": {"uint64_data": [1 << 63]}}
    path = {"intervals": [1, 2], "points": {"x": {"double_data": [0.5]}}}
    metadata = {"decomposition": "PCA", "unit": "epoch", "step_per_epoch": 3}
    landscape = {"landscape": plane, "loss_path": path, "metadata": metadata, "convergence_point": plane}
    add(tag="l", loss_landscape=landscape)
    return event


def graph_event() -> summary_pb2.Event:
    event = summary_pb2.Event(wall_time=1)
    graph = event.graph_def
    graph.name = "net"
    shape = {"dim": [{"size": 32}, {"size": 10}]}
    kind = {"data_type": "DT_TENSOR", "tensor_type": {"elem_type": "DT_FLOAT32", "shape": shape}}
    inputs = [{"name": "x"}, {"name": "cst1", "type": "CONTROL_EDGE"}]
    attribute = [{"name": "stride", "value": {"dtype": "DT_TUPLE", "values": [{"int_val": -1}]}}]
    graph.node.add(
        name="1",
        op_type="ReLU",
        scope="Default",
        full_name="Default/ReLU-op1",
        instance_name="relu",
        output_i=0,
        input=inputs,
        attribute=attribute,
        output_type=kind,
    )
    graph.parameters.add(name="x", type=kind)
    graph.outputs.add(name="1", type=kind)
    graph.const_vals.add(key="cst1", value={"str_val": "U"})
    graph.const_vals.add(key="cst2", value={"dict_val": [{"key": "a", "value": {"uint_val": 1, "bool_vals": [True]}}]})
    graph.const_vals.add(key="cst3", value={"tensor_val": {"dims": [1], "float_data": [2]}, "type_val": kind})
    return event


def lineage_event() -> lineage_pb2.LineageEvent:
    event = lineage_pb2.LineageEvent(wall_time=1, step=3)
    event.train_lineage.hyper_parameters.learning_rate = 0.5
    event.train_lineage.hyper_parameters.batch_size = 32
    event.train_lineage.model.path = '{"ckpt": null}'
    event.train_lineage.model.size = 1 << 40
    return event


def user_event() -> lineage_pb2.LineageEvent:
    event = lineage_pb2.LineageEvent(wall_time=1)
    info = event.user_defined_info
    info.user_info.add().map_int32["batch"] = -32
    info.user_info.add().map_double["lr"] = 0.1
    info.user_info.add().map_str["优化器"] = "Adam"
    info.user_info.add().map_dict["inner"].map_str["a"] = "b"
    return event


def dataset_event() -> lineage_pb2.LineageEvent:
    event = lineage_pb2.LineageEvent(wall_time=1)
    graph = event.dataset_graph
    graph.parameter.mapStr["op_type"] = "Batch"
    graph.parameter.mapBool["drop_remainder"] = True
    graph.parameter.mapInt["batch_size"] = 32
    graph.parameter.mapDouble["share"] = 0.5
    child = graph.children.add()
    child.parameter.mapStrList["columns"].strValue.extend(["image", "label"])
    child.operations.add(size=[2, 3], weights=[0.5]).operationParam.mapStr["tensor_op_name"] = "Rescale"
    child.sampler.operationParam.mapStr["sampler_name"] = "RandomSampler"
    return event


def other_lineage_event() -> lineage_pb2.LineageEvent:
    event = lineage_event()
    event.train_lineage.train_dataset.train_dataset_size = 60000
    event.train_lineage.algorithm.network = "LeNet5"
    return event


def evaluation_event() -> lineage_pb2.LineageEvent:
    event = lineage_pb2.LineageEvent(wall_time=1)
    event.evaluation_lineage.metric = '{"Accuracy": 0.9}'
    event.evaluation_lineage.valid_dataset.valid_dataset_size = 360
    return event


@pytest.mark.parametrize(
    ("message", "name"),
    [
        (every_kind_of_value(), "Event"),
        (graph_event(), "Event"),
        (lineage_event(), "LineageEvent"),
        (other_lineage_event(), "LineageEvent"),
        (evaluation_event(), "LineageEvent"),
        (user_event(), "LineageEvent"),
        (dataset_event(), "LineageEvent"),
    ],
    ids=["values", "graph", "training", "dataset size", "evaluation", "user", "dataset graph"],
)
def test_messages_mean_the_same_to_mindspore_s_descriptors(theirs, message, name):
    data = message.SerializeToString(deterministic=True)
    other = theirs(name).FromString(data)
    assert not list(_unknown(other))
    assert other.SerializeToString(deterministic=True) == data
    assert type(message).FromString(other.SerializeToString()).SerializeToString(deterministic=True) == data


def _unknown(message):
    from google.protobuf.unknown_fields import UnknownFieldSet

    yield from UnknownFieldSet(message)
    for field, value in message.ListFields():
        if field.message_type is not None:
            for item in value if field.is_repeated else [value]:
                yield from _unknown(item)


OWN_EVENTS = {
    "writer": {"host": "here"},
    "segment": {"id": "a", "follows": "b", "from_step": 7},
    "environment": {"packages": [{"name": "numpy", "version": "2"}], "variables": {"A": "b"}},
    "profile": {"steps": [{"step": 1, "duration": 0.5}], "spans": [{"track": "main", "name": "load"}]},
    "pass_graph": {"number": 0, "pass_name": "inline", "graph": {"name": "net"}},
    "live_edit": {"name": "lr", "before": {"double_val": 0.1}, "after": {"double_val": 0.01}},
    "data_pipeline": {"operators": [{"number": 0, "op_type": "Map", "rows": 8}]},
}
OWN_VALUES = {
    "text": {"content": "# 标题", "form": "MARKDOWN"},
    "exact": {"dims": [1], "data_type": "DT_INT64", "content": b"\x01" + bytes(7)},
}


@pytest.mark.parametrize("name", OWN_EVENTS)
def test_our_own_events_are_unknown_to_mindspore_and_do_no_harm(theirs, name):
    event = summary_pb2.Event(wall_time=1, version="MindSpore.Event:1", **{name: OWN_EVENTS[name]})
    data = event.SerializeToString()
    other = theirs("Event").FromString(data)
    assert other.version == "MindSpore.Event:1"
    assert [found.field_number for found in _unknown(other)] == [event.DESCRIPTOR.fields_by_name[name].number]
    assert summary_pb2.Event.FromString(data) == event


def test_our_own_values_are_unknown_to_mindspore_and_do_no_harm(theirs):
    event = summary_pb2.Event(wall_time=1)
    for name, content in OWN_VALUES.items():
        event.summary.value.add(tag=name, **{name: content})
    event.summary.value.add(tag="w", tensor={"float_data": [1]}, exact=OWN_VALUES["exact"])
    other = theirs("Event").FromString(event.SerializeToString())
    assert [value.tag for value in other.summary.value] == ["text", "exact", "w"]
    assert list(other.summary.value[2].tensor.float_data) == [1]
    assert [found.field_number for found in _unknown(other)] == [1000, 1001, 1001]


def test_numbers_from_1000_on_are_ours_and_in_event_and_value_only():
    messages = list(summary_pb2.DESCRIPTOR.message_types_by_name.values())
    messages += [inner for message in messages for inner in message.nested_types]
    ours: dict[str, dict[str, int]] = {}
    for message in messages:
        for found in message.fields:
            if found.number >= 1000:
                ours.setdefault(message.name, {})[found.name] = found.number
    assert ours == {
        "Event": dict(zip(OWN_EVENTS, range(1000, 1000 + len(OWN_EVENTS)), strict=True)),
        "Value": dict(zip(OWN_VALUES, range(1000, 1000 + len(OWN_VALUES)), strict=True)),
    }


def test_the_scanning_schema_knows_every_number_of_ours():
    for theirs_, ours in ((scan_pb2.Event, summary_pb2.Event), (scan_pb2.Value, summary_pb2.Summary.Value)):
        own = {found.number: found.name for found in ours.DESCRIPTOR.fields if found.number >= 1000}
        seen = {found.number: found.name for found in theirs_.DESCRIPTOR.fields if found.number >= 1000}
        assert seen == own


def test_names_do_not_clash_with_mindspore_s():
    tensorboard = (tensorboard_pb2, tensorboard_graph_pb2, tensorboard_hparams_pb2)
    for module in (anf_ir_pb2, summary_pb2, lineage_pb2, *tensorboard):
        assert module.DESCRIPTOR.name.startswith("summaries/schema/")
        assert module.DESCRIPTOR.package.split(".")[0] == "summaries"


def test_required_fields_are_required():
    assert not summary_pb2.Event(step=1).IsInitialized()
    assert not summary_pb2.Summary.Value(scalar_value=1).IsInitialized()
    assert not lineage_pb2.LineageEvent().IsInitialized()


def test_the_committed_code_is_what_the_sources_give():
    assert generate.main(["--check"]) == 0


def test_check_names_what_is_not_current(tmp_path):
    """In a copy, so that the project's own files stay as they are."""
    copy = tmp_path / "summaries"
    shutil.copytree(generate.ROOT / "summaries", copy, ignore=shutil.ignore_patterns("__pycache__"))
    source = copy / "schema" / "lineage.proto"
    source.write_text(source.read_text().replace("int32 epoch = 4", "int64 epoch = 4"))
    (copy / "schema" / "left_over_pb2.py").touch()
    command = [sys.executable, "-m", "summaries.schema.generate", "--check"]
    result = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    assert result.returncode == 1
    assert "lineage_pb2.py " in result.stderr
    assert "left_over_pb2.py" in result.stderr
    assert "summary_pb2.py" not in result.stderr
    assert "make proto" in result.stderr
