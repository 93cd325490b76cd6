"""A folder of images, with a file that maps its folders to labels, to MindRecord files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from framework.dataset.mindrecord.converters.writing import LARGE_PAGE, checked_count, checked_path, write_rows
from framework.dataset.mindrecord.refusals import PathNotExistsError
from framework.dataset.mindrecord.writer import FileWriter

__all__ = ["ImageNetToMR"]

_SCHEMA: Final = {"label": {"type": "int32"}, "image": {"type": "bytes"}, "file_name": {"type": "string"}}
_ENDS: Final = ("JPEG", "jpg")


class ImageNetToMR:
    """Converts ImageNet: rows of `label`, the bytes of the file, `image`, and its path, `file_name`.

    Args:
        map_file: a file with lines of a folder's name and its label: `n02119789 0`.
        image_dir: folder with these folders.
        destination: path of the MindRecord file.
        partition_number: number of files.

    Raises:
        ValueError: an argument has a wrong type.

    """

    def __init__(self, map_file: str, image_dir: str, destination: str, partition_number: int = 1) -> None:
        self.map_file = checked_path("map_file", map_file)
        self.image_dir = checked_path("image_dir", image_dir)
        self.destination = checked_path("destination", destination)
        self.partition_number = checked_count(partition_number)

    def run(self) -> int:
        """Write the files. Folders without a label, empty files and those that are no JPEG by name are left out.

        Returns:
            SUCCESS.

        Raises:
            OSError: a file cannot be read.
            ValueError: a line of the map is damaged.
            PathNotExistsError: none of the folders is there.
        """
        folders = self._folders()
        writer = FileWriter(self.destination, self.partition_number)
        writer.set_page_size(LARGE_PAGE)
        return write_rows(writer, _SCHEMA, "imagenet_schema", ["label", "file_name"], _rows(folders))

    def transform(self) -> int:
        """Write the files, as `run` does."""
        return self.run()

    def _folders(self) -> list[tuple[int, Path]]:
        found = []
        for number, line in enumerate(Path(self.map_file).read_text().splitlines(), 1):
            words = line.split()
            if not words:
                continue
            if len(words) != 2 or not words[1].isdecimal():
                raise ValueError(f"{self.map_file}, line {number}: {line[:80]!r} is not a folder and its label")
            folder = Path(self.image_dir) / words[0]
            if folder.is_dir():
                found.append((int(words[1]), folder))
        if not found:
            raise PathNotExistsError(f"{self.image_dir} has none of the folders that {self.map_file} names")
        return found


def _rows(folders: list[tuple[int, Path]]) -> Iterator[dict[str, Any]]:
    for label, folder in folders:
        for path in sorted(folder.iterdir()):
            if path.name.endswith(_ENDS) and path.stat().st_size:
                yield {"label": label, "image": path.read_bytes(), "file_name": str(path)}
