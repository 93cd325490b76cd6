"""Images with annotations: COCO, Pascal VOC, CelebA and manifests. Annotations are read when a row is first needed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import numpy as np

from framework.dataset.runtime.rows import Array

__all__ = ["COCO_COLUMNS", "CelebAImages", "CocoImages", "ManifestImages", "VOCImages"]

Decoder = Callable[[Array], Array] | None

#: The columns of each task of COCO, behind the image.
COCO_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "Detection": ("bbox", "category_id", "iscrowd"),
    "Stuff": ("segmentation", "iscrowd"),
    "Keypoint": ("keypoints", "num_keypoints"),
    "Panoptic": ("bbox", "category_id", "iscrowd", "area"),
    "Captioning": ("captions",),
}


class _Images:
    """Base class of sources of images.

    Args:
        decode: makes pixels of the bytes of a file; None to return the bytes.
    """

    #: Several threads may read files at once.
    concurrent = True

    def __init__(self, decode: Decoder) -> None:
        self._decode = decode

    def image(self, path: Path) -> Array:
        """The bytes of a file, or its pixels.

        Raises:
            RuntimeError: there is no such file.
        """
        if not path.is_file():
            raise RuntimeError(f"there is no image {path}")
        data = np.fromfile(path, np.uint8)
        return data if self._decode is None else self._decode(data)

    def labels(self) -> Array | None:
        """None: an image may have several classes."""
        return None


class CocoImages(_Images):
    """The images of a COCO annotation file (https://cocodataset.org/#format-data) that have annotations.

    Args:
        folder: folder of the images.
        file: the annotation file.
        task: "Detection", "Stuff", "Keypoint", "Panoptic" or "Captioning".
        decode: makes pixels of the bytes of a file; None to return the bytes.
        names: also return the name of each file without its ending.
    """

    def __init__(self, folder: str, file: str, task: str, decode: Decoder, names: bool) -> None:
        super().__init__(decode)
        self.folder, self.file, self.task, self._names = folder, file, task, names
        self.columns = ("image", *COCO_COLUMNS[task], *(("_meta-filename",) if names else ()))

    @cached_property
    def _found(self) -> dict[str, Any]:
        try:
            found = json.loads(Path(self.file).read_text())
        except ValueError as error:
            raise RuntimeError(f"{self.file} is not JSON: {error}") from error
        wanted = ["images", "annotations", *(["categories"] if self.task in ("Detection", "Panoptic") else [])]
        for name in wanted:
            if not isinstance(found, dict) or not isinstance(found.get(name), list):
                raise RuntimeError(f"{self.file} has no list {name!r}")
        return dict(found)

    def _field(self, place: str, entry: Mapping[str, Any], name: str) -> Any:
        if not isinstance(entry, Mapping) or name not in entry:
            raise RuntimeError(f"{place} of {self.file} has no {name!r}")
        return entry[name]

    @cached_property
    def classes(self) -> dict[str, list[int]]:
        """The numbers of each category by its name: its id, and for panoptic tasks whether it is a thing."""
        fields = ("id", "isthing") if self.task == "Panoptic" else ("id",)
        return {
            str(self._field(f"category {place}", entry, "name")): [
                int(self._field(f"category {place}", entry, field)) for field in fields
            ]
            for place, entry in enumerate(self._found["categories"])
        }

    @cached_property
    def _rows(self) -> list[tuple[str, tuple[Array, ...]]]:
        names = {
            self._field(f"image {place}", entry, "id"): str(self._field(f"image {place}", entry, "file_name"))
            for place, entry in enumerate(self._found["images"])
        }
        by_image: dict[Any, list[tuple[Any, ...]]] = {}
        for place, entry in enumerate(self._found["annotations"]):
            image = self._field(f"annotation {place}", entry, "image_id")
            if image not in names:
                raise RuntimeError(f"annotation {place} of {self.file}: there is no image {image}")
            by_image.setdefault(image, []).extend(self._items(f"annotation {place}", entry))
        made = []
        for image, name in names.items():
            try:
                made += [(name, self._arrays(by_image[image]))] if by_image.get(image) else []
            except (TypeError, ValueError, OverflowError) as error:
                raise RuntimeError(f"an annotation of {name} in {self.file} holds no numbers: {error}") from error
        if not made:
            raise RuntimeError(f"{self.file} has no annotations of images for the task {self.task}")
        return made

    def _items(self, place: str, entry: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
        """What an annotation adds to each column: numbers of a row first, then single ones."""
        if self.task == "Captioning":
            caption = self._field(place, entry, "caption")
            if not isinstance(caption, str):
                raise RuntimeError(f"{place} of {self.file}: a caption is a text, not {caption!r}")
            yield (caption,)
            return
        if self.task == "Keypoint":
            yield self._field(place, entry, "keypoints"), self._field(place, entry, "num_keypoints")
            return
        if self.task == "Stuff":
            crowd, segmentation = int(self._field(place, entry, "iscrowd")), self._field(place, entry, "segmentation")
            shapes = segmentation if not crowd else [self._field(place, segmentation, "counts")]
            if not all(isinstance(shape, list) for shape in shapes):
                raise RuntimeError(f"{place} of {self.file}: the segmentation is neither polygons nor a list of counts")
            yield from ((shape, crowd) for shape in shapes)
            return
        panoptic = self.task == "Panoptic"
        for part in self._field(place, entry, "segments_info") if panoptic else (entry,):
            box, category = self._field(place, part, "bbox"), int(self._field(place, part, "category_id"))
            if len(box) != 4:
                raise RuntimeError(f"{place} of {self.file}: a bbox has 4 numbers, not {len(box)}")
            if category not in self._categories:
                raise RuntimeError(f"{place} of {self.file}: there is no category {category}")
            area = (int(self._field(place, part, "area")),) if panoptic else ()
            yield (box, category, int(part.get("iscrowd", 0)), *area)

    @cached_property
    def _categories(self) -> set[int]:
        return {numbers[0] for numbers in self.classes.values()}

    @staticmethod
    def _arrays(items: Sequence[tuple[Any, ...]]) -> tuple[Array, ...]:
        """Float32 (n, longest) filled up with -1, and UInt32 (n, 1) for each single number; captions (n, 1)."""
        if isinstance(items[0][0], str):
            return (np.asarray(items),)
        longest = max(len(numbers) for numbers, *_ in items)
        rows = np.full((len(items), longest), -1, np.float32)
        for row, (numbers, *_) in zip(rows, items, strict=True):
            row[: len(numbers)] = numbers
        singles = zip(*[single for _, *single in items], strict=True)
        return (rows, *[np.asarray(single, np.uint32)[:, None] for single in singles])

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, index: int) -> tuple[Array, ...]:
        """The image and its annotations."""
        name, arrays = self._rows[index]
        stem = (np.asarray(name.split(".")[0]),) if self._names else ()
        return (self.image(Path(self.folder, name)), *[array.copy() for array in arrays], *stem)

    def describe(self, index: int) -> str:
        """The image's file."""
        return str(Path(self.folder, self._rows[index][0]))


class VOCImages(_Images):
    """The images of Pascal VOC (Everingham et al. 2010) that an image set lists.

    Args:
        folder: folder of `JPEGImages`, `ImageSets` and so on.
        task: "Segmentation" or "Detection".
        usage: name of the image set.
        class_indexing: labels by class; None to number the classes in order.
        decode: makes pixels of the bytes of a file; None to return the bytes.
        names: also return the name of each image.
    """

    def __init__(
        self,
        folder: str,
        task: str,
        usage: str,
        class_indexing: Mapping[str, int] | None,
        decode: Decoder,
        names: bool,
    ) -> None:
        super().__init__(decode)
        self.folder, self.task, self._indexing, self._names = Path(folder), task, class_indexing, names
        columns = ("target",) if task == "Segmentation" else ("bbox", "label", "difficult", "truncate")
        self.columns = ("image", *columns, *(("_meta-filename",) if names else ()))
        home = "Segmentation" if task == "Segmentation" else "Main"
        self.list_file = self.folder / "ImageSets" / home / f"{usage}.txt"

    @cached_property
    def _ids(self) -> list[str]:
        # A list of a class has a second word, which says whether the class is there.
        ids = [line.split()[0] for line in self.list_file.read_text().splitlines() if line.strip()]
        if not ids:
            raise RuntimeError(f"{self.list_file} names no image")
        if self.task == "Segmentation":
            return ids
        kept = [name for name in ids if self._objects[name]]
        if not kept:
            raise RuntimeError(f"no image of {self.list_file} has an object of class_indexing")
        return kept

    @cached_property
    def _objects(self) -> dict[str, list[tuple[str, list[float]]]]:
        names = [line.split()[0] for line in self.list_file.read_text().splitlines() if line.strip()]
        return {name: list(self._objects_of(self.folder / "Annotations" / f"{name}.xml")) for name in names}

    def _objects_of(self, path: Path) -> Iterator[tuple[str, list[float]]]:
        if not path.is_file():
            raise RuntimeError(f"there is no annotation {path}")
        text = path.read_text()
        if "<!" in text.replace("<!--", ""):
            raise RuntimeError(f"{path} declares entities or types, which annotations have no use for")
        try:
            root = ElementTree.fromstring(text)  # noqa: S314 - it declares no entities
        except ElementTree.ParseError as error:
            raise RuntimeError(f"{path} is damaged: {error}") from error
        for number, entry in enumerate(root.iterfind("object")):
            name = (entry.findtext("name") or "").strip()
            texts = [entry.findtext(f"bndbox/{side}", "0") for side in ("xmin", "ymin", "xmax", "ymax")]
            flags = [entry.findtext(flag, "0") for flag in ("difficult", "truncated")]
            try:
                left, top, right, bottom, *marks = (float(text) for text in [*texts, *flags])
            except ValueError as error:
                raise RuntimeError(f"object {number} of {path}: {error}") from error
            if not (0 < left < right and 0 < top < bottom):
                raise RuntimeError(f"object {number} of {path} has no bndbox from above 0 on, but {', '.join(texts)}")
            if name and (not self._indexing or name in self._indexing):
                yield name, [left, top, right - left, bottom - top, *marks]

    @cached_property
    def classes(self) -> dict[str, int]:
        """The label of each class that occurs."""
        found = sorted({name for objects in self._objects.values() for name, _ in objects})
        return {name: self._indexing[name] if self._indexing else number for number, name in enumerate(found)}

    def __len__(self) -> int:
        return len(self._ids)

    def row(self, index: int) -> tuple[Array, ...]:
        """The image with its target, or with its boxes."""
        name = self._ids[index]
        stem = (np.asarray(name),) if self._names else ()
        image = self.image(self.folder / "JPEGImages" / f"{name}.jpg")
        if self.task == "Segmentation":
            return image, self.image(self.folder / "SegmentationClass" / f"{name}.png"), *stem
        objects = self._objects[name]
        numbers = np.asarray([numbers for _, numbers in objects])
        labels = np.asarray([[self.classes[name]] for name, _ in objects], np.uint32)
        marks = numbers[:, 4:].astype(np.uint32)
        return image, numbers[:, :4].astype(np.float32), labels, marks[:, :1], marks[:, 1:], *stem

    def describe(self, index: int) -> str:
        """The image's file."""
        return str(self.folder / "JPEGImages" / f"{self._ids[index]}.jpg")


class CelebAImages(_Images):
    """The faces of CelebA (Liu et al. 2015) with their 40 attributes.

    Args:
        folder: folder of the images, `list_attr_celeba.txt` and `list_eval_partition.txt`.
        usage: "all", "train", "valid" or "test".
        extensions: file name extensions of images; empty for all.
        decode: makes pixels of the bytes of a file; None to return the bytes.
    """

    columns = ("image", "attr")

    def __init__(self, folder: str, usage: str, extensions: Sequence[str], decode: Decoder) -> None:
        super().__init__(decode)
        self.folder, self._usage = Path(folder), usage
        self._extensions = tuple(extension.lower() for extension in extensions)

    @cached_property
    def _rows(self) -> list[tuple[str, Array]]:
        path = self.folder / "list_attr_celeba.txt"
        lines = path.read_text().splitlines()
        if len(lines) < 2 or not lines[0].strip().isdigit():
            raise RuntimeError(f"line 1 of {path} must be the number of images, and line 2 the attributes' names")
        count, parts = len(lines[1].split()), self._parts()
        found = []
        for number, line in enumerate(lines[2:], 3):
            name, *values = line.split() or [""]
            if not name or (parts is not None and name not in parts):
                continue
            if self._extensions and Path(name).suffix.lower() not in self._extensions:
                continue
            if len(values) != count or not set(values) <= {"1", "-1", "0"}:
                raise RuntimeError(f"line {number} of {path} must have {count} attributes, each 1 or -1")
            found.append((name, (np.asarray(values, np.int64) > 0).astype(np.uint32)))
        if not found:
            raise RuntimeError(f"{path} names no image for the usage {self._usage!r}")
        return found

    def _parts(self) -> set[str] | None:
        """The images of the usage; None for all."""
        if self._usage == "all":
            return None
        path = self.folder / "list_eval_partition.txt"
        if not path.is_file():
            raise RuntimeError(f"there is no {path}, which says what is {self._usage}")
        wanted = str(("train", "valid", "test").index(self._usage))
        lines = [line.split() for line in path.read_text().splitlines()]
        return {words[0] for words in lines if len(words) == 2 and words[1] == wanted}

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, index: int) -> tuple[Array, ...]:
        """The image, and 1 for each attribute that it has."""
        name, attributes = self._rows[index]
        path = self.folder / name
        return self.image(path if path.exists() else self.folder / "img_align_celeba" / name), attributes.copy()

    def describe(self, index: int) -> str:
        """The image's file."""
        return str(self.folder / self._rows[index][0])


class ManifestImages(_Images):
    """The images that the JSON lines of a manifest name.

    Args:
        file: the manifest.
        usage: "train", "eval" or "inference".
        class_indexing: labels by class; None to number the classes in order.
        decode: makes pixels of the bytes of a file; None to return the bytes.
    """

    columns = ("image", "label")

    def __init__(self, file: str, usage: str, class_indexing: Mapping[str, int] | None, decode: Decoder) -> None:
        super().__init__(decode)
        self.file, self._usage, self._indexing = file, usage, class_indexing

    @cached_property
    def _rows(self) -> list[tuple[str, list[str]]]:
        found = []
        for number, line in enumerate(Path(self.file).read_text().splitlines(), 1):
            if not line.strip():
                continue
            try:
                entry = json.loads(line)
                if str(entry.get("usage", "")).lower() != self._usage:
                    continue
                source, names = str(entry["source"]), [str(one["name"]) for one in entry["annotation"]]
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise RuntimeError(
                    f"line {number} of {self.file} is no JSON with source, usage and the annotation's names: {error}"
                ) from error
            kept = [name for name in names if not self._indexing or name in self._indexing]
            if kept:
                found.append((source, kept))
        if not found:
            raise RuntimeError(f"{self.file} names no image for the usage {self._usage!r}")
        return found

    @cached_property
    def classes(self) -> dict[str, int]:
        """The label of each class that occurs."""
        found = sorted({name for _, names in self._rows for name in names})
        return {name: self._indexing[name] if self._indexing else number for number, name in enumerate(found)}

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, index: int) -> tuple[Array, ...]:
        """The image and its labels: one number, or an array of several."""
        source, names = self._rows[index]
        labels = np.asarray([self.classes[name] for name in names], np.int32)
        return self.image(Path(source)), labels[0].reshape(()) if len(names) == 1 else labels

    def describe(self, index: int) -> str:
        """The image's file."""
        return self._rows[index][0]

    def labels(self) -> Array | None:
        """The label of each image, if each has one."""
        if any(len(names) > 1 for _, names in self._rows):
            return None
        return np.asarray([self.classes[names[0]] for _, names in self._rows])
