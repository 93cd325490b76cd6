"""Pipelines as JSON, as the data set graph of lineage files, and back."""

import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework.dataset as ds
from framework.dataset import vision as V  # noqa: N812
from framework.dataset.ir import Node
from framework.dataset.transforms import (
    Compose,
    Concatenate,
    Duplicate,
    Fill,
    Lambda,
    Mask,
    OneHot,
    PadEnd,
    RandomApply,
    RandomChoice,
    RandomOrder,
    Relational,
    Slice,
    TypeCast,
    Unique,
)
from framework.dataset.transforms.operation import operation_from_json
from summaries.schema.lineage_pb2 import LineageEvent
from tests.framework.dataset.files import write_cifar, write_folder, write_mnist
from tests.framework.oracle.cases import DATA

OPERATIONS = [
    Compose([TypeCast("float32"), V.RandomCrop(3)]), Concatenate(1, append=[[1]]), Duplicate(), Fill(2),
    Mask(Relational.GT, 3, "uint8"), OneHot(5, 0.1), PadEnd([3, None], 1), RandomApply([Fill(1)], 0.25),
    RandomChoice([Fill(1), Fill(2)]), RandomOrder([Fill(1)]), Slice(1, None, slice(0, 4, 2), ..., [1, 2]),
    TypeCast("int8"), Unique(), V.CenterCrop((3, 4)), V.Crop((1, 2), 3), V.Decode(), V.Grayscale(3), V.HWC2CHW(),
    V.HorizontalFlip(), V.Invert(), V.Normalize([1, 2], [3, 4], is_hwc=False), V.Pad((1, 2), (1, 2, 3), V.Border.EDGE),
    V.RandomColorAdjust(0.5, hue=0.25), V.RandomCrop(3, 2, True, 4, V.Border.REFLECT),
    V.RandomErasing(0.25, value=(1, 2, 3)),
    V.RandomHorizontalFlip(0.25), V.RandomResizedCrop(4, (0.5, 1), interpolation=V.Inter.CUBIC),
    V.RandomRotation(20, V.Inter.BILINEAR, True, (1, 2), (1, 2, 3)), V.RandomVerticalFlip(0.75), V.Rescale(0.5, 1),
    V.Resize(5, V.Inter.NEAREST), V.Resize((5, 6), V.Inter.ANTIALIAS), V.Rotate(20), V.ToNumpy(), V.ToPIL(),
    V.ToTensor("float64"), V.ToType("int16"), V.VerticalFlip(), V.py_transforms.Normalize([1], [2]),
]  # fmt: skip


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: type(operation).__name__)
def test_transforms_come_back_from_json(operation: Any) -> None:
    made = json.loads(json.dumps(operation.to_json()))
    back = operation_from_json(made)
    assert back == operation
    assert back.to_json() == made


def pipelines(tmp_path: Path) -> list[ds.Dataset]:
    write_mnist(tmp_path / "mnist")
    write_cifar(tmp_path / "ten", 10)
    write_cifar(tmp_path / "hundred", 100)
    write_folder(tmp_path / "folder")
    chained = ds.RandomSampler(True, 4)
    chained.add_child(ds.SubsetSampler([1, 2, 3]))
    mnist = ds.MnistDataset(tmp_path / "mnist", "train", sampler=chained)
    mapped = mnist.map([V.Resize((9, 9)), V.Rescale(0.5, 0), V.HWC2CHW()], "image").map(OneHot(3), "label")
    ten = ds.Cifar10Dataset(tmp_path / "ten", "test", num_samples=2).rename("image", "other")
    train, _ = ds.MnistDataset(tmp_path / "mnist").split([10, 6])
    return [
        mapped.batch(2, drop_remainder=True),
        mapped.padded_batch(2, pad_info={"image": (None, 1.5)}),
        ds.zip((mnist, ten.project("other"))).shuffle(3).repeat(2).skip(1).take(3),
        ds.Cifar100Dataset(tmp_path / "hundred", shuffle=False) + ds.Cifar100Dataset(tmp_path / "hundred", "test"),
        ds.ImageFolderDataset(tmp_path / "folder", class_indexing={"dog": 3}, decode=True, num_shards=2, shard_id=1),
        ds.ImageFolderDataset(tmp_path / "folder", extensions=[".png"], sampler=ds.WeightedRandomSampler([1, 2, 3])),
        ds.KMnistDataset(tmp_path / "mnist", sampler=ds.PKSampler(2, 2)),
        ds.FashionMnistDataset(tmp_path / "mnist", sampler=ds.SubsetRandomSampler([3, 4])),
        train,
    ]


@pytest.mark.parametrize("number", range(9))
def test_pipelines_come_back_from_json_and_give_the_same_rows(tmp_path: Path, number: int) -> None:
    dataset = pipelines(tmp_path)[number]
    path = tmp_path / "pipeline.json"
    made = ds.engine.serialize(dataset, str(path))
    assert json.loads(path.read_text()) == made == dataset.to_json()
    for back in (ds.deserialize(made), ds.deserialize(json_filepath=str(path))):
        assert back.node == dataset.node
        assert ds.compare(back, dataset)
        ds.config.set_seed(9)
        try:
            for row, other in zip(dataset, back, strict=True):
                for value, again in zip(row, other, strict=True):
                    np.testing.assert_array_equal(value.asnumpy(), again.asnumpy())
        finally:
            ds.config.set_seed(5489)


def test_the_form_of_the_json(tmp_path: Path) -> None:
    write_folder(tmp_path)
    sampler = ds.WeightedRandomSampler([0.5, 0.25, 0.25], 4)
    sampler.add_child(ds.SequentialSampler(0, 3))
    dataset = ds.ImageFolderDataset(tmp_path, num_parallel_workers=2, sampler=sampler, decode=True).repeat(2)
    assert ds.serialize(dataset) == {
        "op_type": "Repeat",
        "count": 2,
        "children": [
            {
                "op_type": "ImageFolderDataset",
                "children": [],
                "class_indexing": {},
                "connector_queue_size": 16,
                "dataset_dir": str(tmp_path),
                "decode": True,
                "extensions": [],
                "num_parallel_workers": 2,
                "recursive": False,
                "sampler": {
                    "sampler_name": "WeightedRandomSampler",
                    "num_samples": 4,
                    "replacement": True,
                    "weights": [0.5, 0.25, 0.25],
                    "child_sampler": [{"sampler_name": "SequentialSampler", "num_samples": 3, "start_index": 0}],
                },
            }
        ],
    }


def test_python_code_is_named_but_does_not_come_back(tmp_path: Path) -> None:
    write_mnist(tmp_path)
    mnist, slices = ds.MnistDataset(tmp_path), ds.NumpySlicesDataset([1])

    def brighter(image: Any) -> Any:
        return image

    mapped = mnist.map([brighter, Lambda(brighter)], "image")
    assert mapped.to_json()["operations"] == [{"is_python_front_end_op": True, "tensor_op_name": "brighter"}] * 2
    for dataset, words in (
        (mapped, "'brighter' is a Python function"),
        (slices, "reads from Python objects"),
        (mnist.filter(lambda x: True, "label"), "Filter calls a Python function"),
        (mnist.batch(lambda info: 2), "Batch calls a Python function"),
        (mnist.use_sampler(ds.IterSampler([1])), "cannot represent the sampler 'IterSampler'"),
    ):
        with pytest.raises(NotImplementedError, match=words):
            ds.deserialize(dataset.to_json())
    with pytest.raises(ValueError, match="no operator 'Mop'"):
        ds.deserialize({"op_type": "Mop", "children": []})
    with pytest.raises(ValueError, match="no transform 'Bend'"):
        operation_from_json({"tensor_op_name": "Bend"})
    with pytest.raises(ValueError, match="give input_dict"):
        ds.deserialize()


def test_show_writes_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="framework"):
        ds.show(ds.NumpySlicesDataset([1]).batch(2))
    assert json.loads(caplog.records[-1].getMessage())["op_type"] == "Batch"


def test_nodes_do_not_change() -> None:
    node = ds.NumpySlicesDataset([1]).node
    with pytest.raises(AttributeError):
        node.op_type = "Other"  # type: ignore[misc]
    assert node == Node(node.op_type, parameters=dict(node.parameters), sampler=node.sampler)


def test_the_data_set_graph_of_lineage(tmp_path: Path) -> None:
    write_mnist(tmp_path)
    mnist = ds.MnistDataset(tmp_path, "train", num_parallel_workers=1, sampler=ds.WeightedRandomSampler([0.5, 1]))
    graph = ds.dataset_graph(mnist.map([V.Resize((4, 5)), V.HWC2CHW()], "image", num_parallel_workers=3).node)
    assert graph.parameter.mapStr == {"op_type": "Map"}
    assert graph.parameter.mapInt == {"connector_queue_size": 16, "num_parallel_workers": 3}
    assert list(graph.parameter.mapStrList["input_columns"].strValue) == ['"image"']
    assert [dict(operation.operationParam.mapStr) for operation in graph.operations] == [
        {
            "tensor_op_name": "Resize",
            "tensor_op_params": '{"device_target": "CPU", "interpolation": 0, "size": [4, 5]}',
        },
        {"tensor_op_name": "HwcToChw", "tensor_op_params": "None"},
    ]
    (source,) = graph.children
    assert source.parameter.mapStr == {"op_type": "MnistDataset", "dataset_dir": str(tmp_path), "usage": "train"}
    assert list(source.sampler.weights) == [0.5, 1]
    assert source.sampler.operationParam.mapBool == {"replacement": True}
    assert source.sampler.operationParam.mapStr == {"sampler_name": "WeightedRandomSampler"}


RECORDED = sorted((DATA / "mindspore/lenet").glob("*/*_lineage"))


def recorded_graphs(path: Path) -> list[LineageEvent]:
    """The events of a lineage file of MindSpore's that hold a data set graph."""
    data, events = path.read_bytes(), []
    while data:
        size = int.from_bytes(data[:8], "little")
        events.append(LineageEvent.FromString(data[12 : 12 + size]))
        data = data[16 + size :]
    return [event for event in events if event.HasField("dataset_graph")]


@pytest.mark.skipif(not RECORDED, reason=f"no lineage files of MindSpore below {DATA}")
def test_the_data_set_graph_is_the_one_that_mindspore_wrote() -> None:
    found = [event for path in RECORDED for event in recorded_graphs(path)]
    assert found
    for event in found:
        recorded = event.dataset_graph
        size = recorded.parameter.mapInt["batch_size"]
        source = ds.GeneratorDataset([(1,), (2,)], ["x"])
        drop = recorded.parameter.mapBool["drop_remainder"]
        made = ds.dataset_graph(source.batch(size, drop_remainder=drop, num_parallel_workers=2).node)
        assert made == recorded
        event.dataset_graph.CopyFrom(made)
        assert made.SerializeToString(deterministic=True) == recorded.SerializeToString(deterministic=True)
