"""Images with annotations, and the relatives of MNIST, in small files of the published formats."""

import gzip
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import framework as ms
import framework.dataset as ds
from tests.framework.dataset.files import idx


def image(path: Path, seed: int = 0) -> np.ndarray:
    pixels = np.random.default_rng(seed).integers(256, size=(6, 5, 3)).astype(np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)
    return pixels


def rows_of(dataset: ds.Dataset) -> list[dict[str, Any]]:
    return list(dataset.create_dict_iterator(num_epochs=1, output_numpy=True))


def first_again(dataset: ds.Dataset) -> None:
    """The pipeline comes back from JSON with the same first row."""
    back = ds.deserialize(dataset.to_json())
    for value, again in zip(rows_of(dataset)[0].values(), rows_of(back)[0].values(), strict=True):
        np.testing.assert_array_equal(value, again)


ANNOTATIONS: list[dict[str, Any]] = [
    {"id": 1, "image_id": 20, "bbox": [1, 2, 3.5, 4], "category_id": 7, "iscrowd": 1, "keypoints": [1, 2, 2],
     "num_keypoints": 1, "segmentation": {"counts": [3, 4], "size": [6, 5]}},
    {"id": 2, "image_id": 10, "bbox": [0, 0, 2, 2], "category_id": 9, "iscrowd": 0, "keypoints": [1, 1, 1, 4, 5, 2],
     "num_keypoints": 2, "segmentation": [[1, 1, 2, 2, 3, 1], [0, 0, 1, 1]]},
    {"id": 3, "image_id": 20, "bbox": [5, 6, 7, 8], "category_id": 9, "iscrowd": 0, "keypoints": [0, 0, 0, 1, 2, 1],
     "num_keypoints": 1, "segmentation": [[9, 8, 7, 6, 5, 4]]},
]  # fmt: skip


def write_coco(folder: Path, annotations: list[dict[str, Any]]) -> tuple[str, str]:
    for number in (10, 20, 30):
        image(folder / "images" / f"{number}.png", number)
    images = [{"id": number, "file_name": f"{number}.png"} for number in (20, 10, 30)]
    categories = [{"id": 7, "name": "cat", "isthing": 1}, {"id": 9, "name": "sky", "isthing": 0}]
    file = folder / "annotations.json"
    file.write_text(json.dumps({"images": images, "annotations": annotations, "categories": categories}))
    return str(folder / "images"), str(file)


def test_captions_of_coco(tmp_path: Path) -> None:
    captions = [
        {"id": 1, "image_id": 20, "caption": "a cat"},
        {"id": 2, "image_id": 10, "caption": "the sky"},
        {"id": 3, "image_id": 20, "caption": "a cat on a mat"},
    ]
    folder, file = write_coco(tmp_path, captions)
    data = ds.CocoDataset(folder, file, task="Captioning", shuffle=False)
    assert data.get_col_names() == ["image", "captions"]
    assert [row["captions"].tolist() for row in rows_of(data)] == [[["a cat"], ["a cat on a mat"]], [["the sky"]]]
    first_again(data)
    with pytest.raises(RuntimeError, match="the task Captioning has no categories"):
        data.get_class_indexing()
    for wrong, says in (({"caption": 3}, "a caption is a text, not 3"), ({}, "has no 'caption'")):
        _, file = write_coco(tmp_path, [{"id": 1, "image_id": 20, **wrong}])
        with pytest.raises(RuntimeError, match=f"annotation 0 of .*{says}"):
            rows_of(ds.CocoDataset(folder, file, task="Captioning"))


def test_boxes_of_coco(tmp_path: Path) -> None:
    folder, file = write_coco(tmp_path, ANNOTATIONS)
    data = ds.CocoDataset(folder, file, shuffle=False, decode=True, extra_metadata=True)
    assert data.get_col_names() == ["image", "bbox", "category_id", "iscrowd", "_meta-filename"]
    first, second = rows_of(data)
    np.testing.assert_array_equal(first["image"], image(tmp_path / "again.png", 20))
    assert first["bbox"].tolist() == [[1, 2, 3.5, 4], [5, 6, 7, 8]]
    assert [first["bbox"].dtype, first["category_id"].dtype] == [np.float32, np.uint32]
    assert first["category_id"].tolist() == [[7], [9]]
    assert first["iscrowd"].tolist() == [[1], [0]]
    assert second["_meta-filename"] == "10"
    assert data.get_class_indexing() == {"cat": [7], "sky": [9]}
    assert len(rows_of(ds.CocoDataset(folder, file, num_shards=2, shard_id=1))) == 1
    first_again(data)


def test_other_tasks_of_coco(tmp_path: Path) -> None:
    folder, file = write_coco(tmp_path, ANNOTATIONS)
    first, second = rows_of(ds.CocoDataset(folder, file, "Stuff", shuffle=False))
    assert first["segmentation"].tolist() == [[3, 4, -1, -1, -1, -1], [9, 8, 7, 6, 5, 4]]
    assert second["segmentation"].tolist() == [[1, 1, 2, 2, 3, 1], [0, 0, 1, 1, -1, -1]]
    assert second["iscrowd"].tolist() == [[0], [0]]
    first, _ = rows_of(ds.CocoDataset(folder, file, "Keypoint", shuffle=False))
    assert first["keypoints"].tolist() == [[1, 2, 2, -1, -1, -1], [0, 0, 0, 1, 2, 1]]
    assert first["num_keypoints"].tolist() == [[1], [1]]
    with pytest.raises(RuntimeError, match="the task Stuff has no categories"):
        ds.CocoDataset(folder, file, "Stuff").get_class_indexing()
    parts = [{"id": 1, "bbox": [1, 2, 3, 4], "category_id": 7, "iscrowd": 0, "area": 12}]
    folder, file = write_coco(tmp_path, [{"image_id": 30, "file_name": "30.png", "segments_info": parts}])
    data = ds.CocoDataset(folder, file, "Panoptic")
    (row,) = rows_of(data)
    assert [row[name].tolist() for name in ("bbox", "category_id", "iscrowd", "area")] == [
        [[1, 2, 3, 4]], [[7]], [[0]], [[12]],
    ]  # fmt: skip
    assert data.get_class_indexing() == {"cat": [7, 1], "sky": [9, 0]}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"image_id": 99}, r"annotation 1 of .*: there is no image 99"),
        ({"category_id": 5}, r"annotation 1 of .*: there is no category 5"),
        ({"bbox": [1, 2, 3]}, r"annotation 1 of .*: a bbox has 4 numbers, not 3"),
        ({"bbox": [1, 2, "x", 4]}, r"an annotation of 10.png in .* holds no numbers"),
        ({"bbox": None}, r"annotation 1 of .* has no 'bbox'"),
    ],
)
def test_what_is_wrong_with_coco(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    wrong = {name: value for name, value in {**ANNOTATIONS[1], **change}.items() if value is not None}
    folder, file = write_coco(tmp_path, [ANNOTATIONS[0], wrong])
    with pytest.raises(RuntimeError, match=words):
        rows_of(ds.CocoDataset(folder, file))


def test_a_missing_image_is_named(tmp_path: Path) -> None:
    folder, file = write_coco(tmp_path, ANNOTATIONS)
    (Path(folder) / "20.png").unlink()
    with pytest.raises(RuntimeError, match=r"there is no image .*20.png"):
        rows_of(ds.CocoDataset(folder, file, shuffle=False))


def test_files_of_coco_that_are_none(tmp_path: Path) -> None:
    folder, file = write_coco(tmp_path, ANNOTATIONS)
    with pytest.raises(ValueError, match="no folder"):
        ds.CocoDataset(tmp_path / "none", file)
    with pytest.raises(ValueError, match="annotation_file: there is no file"):
        ds.CocoDataset(folder, tmp_path / "none.json")
    with pytest.raises(ValueError, match="task"):
        ds.CocoDataset(folder, file, "Captions")
    text = Path(file).read_text()
    for cut, words in ((text[:50], "is not JSON"), ("{}", "has no list 'images'")):
        Path(file).write_text(cut)
        with pytest.raises(RuntimeError, match=words):
            rows_of(ds.CocoDataset(folder, file))


def voc_object(name: str, box: str, difficult: int) -> str:
    named = zip(("xmin", "ymin", "xmax", "ymax"), box.split(), strict=True)
    sides = "".join(f"<{side}>{value}</{side}>" for side, value in named)
    return (
        f"<object><name>{name}</name><truncated>1</truncated><difficult>{difficult}</difficult>"
        f"<bndbox>{sides}</bndbox></object>"
    )


def write_voc(folder: Path) -> Path:
    objects = {
        "a": voc_object("person", "1 2 4 6", 0) + voc_object("car", "2 2 3 5", 1),
        "b": voc_object("train", "1 1 2 2", 0),
    }
    for number, (name, content) in enumerate(objects.items()):
        image(folder / "JPEGImages" / f"{name}.jpg", number)
        image(folder / "SegmentationClass" / f"{name}.png", number)
        (folder / "Annotations").mkdir(exist_ok=True)
        (folder / "Annotations" / f"{name}.xml").write_text(f"<annotation>{content}</annotation>")
    for home in ("Main", "Segmentation"):
        (folder / "ImageSets" / home).mkdir(parents=True, exist_ok=True)
        (folder / "ImageSets" / home / "train.txt").write_text("a\r\nb\r\n")
    return folder


def test_boxes_of_voc(tmp_path: Path) -> None:
    folder = write_voc(tmp_path)
    data = ds.VOCDataset(folder, "Detection", shuffle=False, decode=True, extra_metadata=True)
    first, second = rows_of(data)
    assert list(first) == ["image", "bbox", "label", "difficult", "truncate", "_meta-filename"]
    assert first["image"].shape == (6, 5, 3)
    assert first["bbox"].tolist() == [[1, 2, 3, 4], [2, 2, 1, 3]]
    assert data.get_class_indexing() == {"car": 0, "person": 1, "train": 2}
    assert first["label"].tolist() == [[1], [0]]
    assert first["label"].dtype == first["difficult"].dtype == np.uint32
    assert [first["difficult"].tolist(), first["truncate"].tolist()] == [[[0], [1]], [[1], [1]]]
    assert second["_meta-filename"] == "b"
    chosen = ds.VOCDataset(folder, "Detection", class_indexing={"car": 5}, shuffle=False)
    (row,) = rows_of(chosen)
    assert row["label"].tolist() == [[5]]
    assert chosen.get_class_indexing() == {"car": 5}
    first_again(chosen)


def test_targets_of_voc(tmp_path: Path) -> None:
    data = ds.VOCDataset(write_voc(tmp_path), shuffle=False, decode=True)
    first, _ = rows_of(data)
    assert list(first) == ["image", "target"]
    np.testing.assert_array_equal(first["target"], image(tmp_path / "again.png", 0))
    with pytest.raises(RuntimeError, match="Segmentation has no classes"):
        data.get_class_indexing()


def test_what_is_wrong_with_voc(tmp_path: Path) -> None:
    folder = write_voc(tmp_path)
    with pytest.raises(ValueError, match=r"usage: there is no file .*val.txt"):
        ds.VOCDataset(folder, usage="val")
    with pytest.raises(ValueError, match="class_indexing can be given for the task Detection only"):
        ds.VOCDataset(folder, class_indexing={"car": 1})
    file = folder / "Annotations" / "b.xml"
    for text, words in (
        ("<annotation><object>", "b.xml is damaged"),
        (f"<annotation>{voc_object('x', '3 1 2 2', 0)}</annotation>", "object 0 of .*b.xml has no bndbox"),
        (f"<annotation>{voc_object('x', 'a 1 2 2', 0)}</annotation>", "object 0 of .*b.xml: could not convert"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a/>', "b.xml declares entities"),
    ):
        file.write_text(text)
        with pytest.raises(RuntimeError, match=words):
            rows_of(ds.VOCDataset(folder, "Detection"))
    file.unlink()
    with pytest.raises(RuntimeError, match=r"there is no annotation .*b.xml"):
        rows_of(ds.VOCDataset(folder, "Detection"))


def write_celeba(folder: Path) -> Path:
    names = " ".join(f"Attribute_{number}" for number in range(40))
    lines = [f"{name}.jpg  " + " ".join(["1", "-1"] * 20) for name in "abc"]
    (folder / "list_attr_celeba.txt").write_text("\n".join(["3", names, *lines]) + "\n")
    (folder / "list_eval_partition.txt").write_text("a.jpg 0\nb.jpg 1\nc.jpg 2\n")
    for number, name in enumerate("abc"):
        image(folder / f"{name}.jpg", number)
    return folder


def test_faces_of_celeba(tmp_path: Path) -> None:
    folder = write_celeba(tmp_path)
    data = ds.CelebADataset(folder, shuffle=False, decode=True)
    rows = rows_of(data)
    assert len(rows) == 3
    assert rows[0]["attr"].tolist() == [1, 0] * 20
    assert rows[0]["attr"].dtype == np.uint32
    assert rows[0]["image"].shape == (6, 5, 3)
    for usage in ("train", "valid", "test"):
        assert ds.CelebADataset(folder, usage=usage).get_dataset_size() == 1
    first_again(ds.CelebADataset(folder, usage="valid", extensions=[".jpg"]))
    with pytest.raises(RuntimeError, match="names no image for the usage 'all'"):
        rows_of(ds.CelebADataset(folder, extensions=[".png"]))
    with pytest.raises(ValueError, match="there is no file"):
        ds.CelebADataset(folder.parent)
    file = folder / "list_attr_celeba.txt"
    file.write_text(file.read_text()[:-10])
    with pytest.raises(RuntimeError, match=r"line 5 of .* must have 40 attributes"):
        rows_of(ds.CelebADataset(folder))


def test_images_of_a_manifest(tmp_path: Path) -> None:
    for number in range(3):
        image(tmp_path / f"{number}.png", number)
    entries = [
        {"source": f"{tmp_path}/0.png", "usage": "TRAIN", "annotation": [{"name": "dog"}]},
        {"source": f"{tmp_path}/1.png", "usage": "train", "annotation": [{"name": "cat"}, {"name": "dog"}]},
        {"source": f"{tmp_path}/2.png", "usage": "eval", "annotation": [{"name": "cat"}]},
    ]
    file = tmp_path / "manifest"
    file.write_text("\n".join(map(json.dumps, entries)))
    data = ds.ManifestDataset(file, shuffle=False, decode=True)
    assert [row["label"].tolist() for row in rows_of(data)] == [1, [0, 1]]
    assert data.get_class_indexing() == {"cat": 0, "dog": 1}
    first_again(data)
    chosen = ds.ManifestDataset(file, "eval", class_indexing={"cat": 4})
    assert [row["label"].tolist() for row in rows_of(chosen)] == [4]
    with pytest.raises(RuntimeError, match="names no image for the usage 'inference'"):
        rows_of(ds.ManifestDataset(file, "inference"))
    file.write_text(file.read_text() + '\n{"source": "x", "usage": "train"}')
    with pytest.raises(RuntimeError, match=r"line 4 of .* is no JSON with source"):
        rows_of(ds.ManifestDataset(file))
    with pytest.raises(ValueError, match="dataset_file: there is no file"):
        ds.ManifestDataset(tmp_path / "none")


def test_letters_of_emnist(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    images = {usage: rng.integers(256, size=(count, 28, 28)) for usage, count in (("train", 3), ("test", 2))}
    for usage, pixels in images.items():
        name = tmp_path / f"emnist-letters-{usage}"
        Path(f"{name}-images-idx3-ubyte.gz").write_bytes(gzip.compress(idx(pixels)))
        Path(f"{name}-labels-idx1-ubyte").write_bytes(idx(np.arange(len(pixels))))
    data = ds.EMnistDataset(tmp_path, "letters", shuffle=False)
    rows = rows_of(data)
    assert [row["label"].item() for row in rows] == [0, 1, 2, 0, 1]
    np.testing.assert_array_equal(rows[3]["image"][..., 0], images["test"][0])
    assert rows[0]["label"].dtype == np.uint32
    assert data.num_classes() == 3
    first_again(ds.EMnistDataset(tmp_path, "letters", "test", sampler=[1]))
    with pytest.raises(RuntimeError, match="there is no emnist-digits-train-images-idx3-ubyte"):
        rows_of(ds.EMnistDataset(tmp_path, "digits", "train"))
    with pytest.raises(ValueError, match="name"):
        ds.EMnistDataset(tmp_path, "signs")


def test_labels_of_qmnist(tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).integers(256, size=(3, 28, 28))
    labels = np.arange(24).reshape(3, 8)
    head = struct.pack(">III", 0x0C02, 3, 8)
    (tmp_path / "qmnist-train-images-idx3-ubyte").write_bytes(idx(pixels))
    file = tmp_path / "qmnist-train-labels-idx2-int"
    file.write_bytes(head + labels.astype(">u4").tobytes())
    rows = rows_of(ds.QMnistDataset(tmp_path, "train", shuffle=False))
    assert [row["label"].item() for row in rows] == [0, 8, 16]
    whole = ds.QMnistDataset(tmp_path, "train", compat=False, shuffle=False)
    assert rows_of(whole)[2]["label"].tolist() == list(range(16, 24))
    assert rows_of(whole)[2]["label"].dtype == np.uint32
    first_again(whole)
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(RuntimeError, match="labels-idx2-int is damaged: its header declares 3 labels"):
        rows_of(ds.QMnistDataset(tmp_path, "train"))
    file.write_bytes(b"no")
    with pytest.raises(RuntimeError, match="is not a file of QMNIST's labels"):
        rows_of(ds.QMnistDataset(tmp_path, "train"))
    with pytest.raises(RuntimeError, match="there is no xnist-images"):
        rows_of(ds.QMnistDataset(tmp_path, "nist"))


def test_random_rows_have_the_schemas_form() -> None:
    schema = ds.Schema()
    schema.add_column("a", ms.int8, [2, 3])
    schema.add_column("b", ms.float32, [])
    schema.add_column("c", "string", [2])
    data = ds.RandomDataset(5, schema)
    rows, again = rows_of(data), rows_of(data)
    assert data.get_dataset_size() == 5
    assert [list(row["a"].shape) for row in rows] == [[2, 3]] * 5
    assert [str(kind) for kind in data.output_types()[:2]] == ["int8", "float32"]
    assert all(np.array_equal(one["a"], other["a"]) for one, other in zip(rows, again, strict=True))
    assert len({row["a"].tobytes() for row in rows}) == 5
    assert ds.RandomDataset(5, schema, columns_list=["b"]).get_col_names() == ["b"]
    assert 1 <= ds.RandomDataset().get_dataset_size() <= 1000
    with pytest.raises(ValueError, match="no column 'z', only a, b, c"):
        ds.RandomDataset(5, schema, columns_list=["z"])
    schema.add_column("d", ms.int8, [-1])
    with pytest.raises(ValueError, match="column 'd' needs a shape without -1"):
        ds.RandomDataset(5, schema)
