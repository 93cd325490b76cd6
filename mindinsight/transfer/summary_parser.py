"""MindInsight's `parse_summary`: writes the latest event file of a directory as scalar.csv and a folder of pictures.

Called by `mindinsight parse_summary`.
"""

from __future__ import annotations

import csv
import re
import secrets
import shutil
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

import numpy as np

from mindinsight.ingest.discovery import FoundFile, find_runs
from mindinsight.transfer.errors import TransferError, UnconvertibleError
from mindinsight.transfer.formats import from_mindspore, from_tensorboard
from mindinsight.transfer.formats.contents import Image
from mindinsight.transfer.new_file import cannot_write
from mindinsight.transfer.reading import Payloads, Progress, Window, read_file
from mindinsight.transfer.report import Report
from mindinsight.transfer.selection import Selection
from mindinsight.transfer.tables import SUMMARY_COLUMNS
from summaries.kinds import Kind
from summaries.naming import FileKind
from summaries.reading.decode import Flavour
from summaries.records import DamagedRecordError

_HALF_LETTER = re.compile(r"%.?$")
_LONGEST_NAME = 200
_ENDINGS = ((b"\xff\xd8\xff", "jpg"), (b"GIF8", "gif"))


class SummaryParser:
    """Writes the content of one event file into a new directory below `output`.

    Args:
        summary_dir: directory with event files. The latest one is parsed.
        output: parent of the new directory; created if missing.

    Raises:
        TransferError: there is no event file.
    """

    def __init__(self, summary_dir: Path, output: Path) -> None:
        self.report = Report()
        self.file = latest_file(summary_dir)
        self.directory = output / datetime.now().strftime("output_%Y%m%d_%H%M%S_%f")  # noqa: DTZ005  (a name)
        self._pictures: dict[str, int] = {}

    def write(self, progress: Progress) -> None:
        """Writes everything. Notes about the result are in `report`.

        Raises:
            TransferError: a file cannot be written. Then all of the output is removed.
        """
        part = self.directory.with_name(f".mindinsight-{secrets.token_hex(8)}.part")
        try:
            self._fill(part, progress)
            part.rename(self.directory)
        except BaseException as error:
            with suppress(OSError):
                shutil.rmtree(part)
            if isinstance(error, OSError):
                raise cannot_write(self.directory, error) from error
            raise

    def _fill(self, part: Path, progress: Progress) -> None:
        (part / "image").mkdir(parents=True)
        with (part / "scalar.csv").open("x", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(SUMMARY_COLUMNS)
            for window in read_file(self.file, Selection(kinds=(Kind.SCALAR, Kind.IMAGE)), self.report, progress):
                columns = zip(window.tag.tolist(), window.points.tolist(), strict=True)
                rows.writerows((window.tags[tag], *point) for tag, point in columns)
                self.report.points += len(window.points)
                self._write_pictures(window, part / "image")

    def _write_pictures(self, window: Window, directory: Path) -> None:
        payloads = Payloads(window.path)
        take = (from_tensorboard if window.flavour is Flavour.TENSORBOARD else from_mindspore).decode
        for place, tag in zip(window.places, window.place_tag.tolist(), strict=True):
            try:
                contents = take(Kind.IMAGE, _part(payloads, place))
            except UnconvertibleError as error:
                self.report.leave_out(error.what, error.why)
                continue
            for content in contents:
                if isinstance(content, Image):
                    self._picture_path(directory, window.tags[tag], place, content).write_bytes(content.encoded)
                    self.report.values += 1

    def _picture_path(self, directory: Path, tag: str, place: np.void, image: Image) -> Path:
        """MindInsight's name for a picture.

        If two pictures have the same name, the later one gets a number as suffix.
        """
        name = f"{_HALF_LETTER.sub('', quote(tag, safe='')[:_LONGEST_NAME])}_{int(place['step'])}"
        ending = next((ending for start, ending in _ENDINGS if image.encoded.startswith(start)), "png")
        path = directory / f"{name}.{ending}"
        while path.exists():
            self._pictures[name] = self._pictures.get(name, 1) + 1
            path = directory / f"{name}_{self._pictures[name]}.{ending}"
        return path


def _part(payloads: Payloads, place: np.void) -> bytes:
    try:
        return payloads.part(place)
    except (DamagedRecordError, OSError) as error:
        raise UnconvertibleError("images", "the file changed while it was read") from error


def latest_file(directory: Path) -> FoundFile:
    """Returns the newest event file in the directory itself.

    Raises:
        TransferError: there is no event file.
    """
    try:
        run = find_runs(directory).get(".")
    except OSError as error:
        raise TransferError(f"{directory} cannot be read: {error.strerror}.") from error
    files = (
        [file for file in run.files if file.kind is not FileKind.LINEAGE and "/" not in file.relative] if run else []
    )
    if not files:
        raise TransferError(f"There is no event file in {directory}. Name the directory of one run with --summary-dir.")
    return max(files, key=lambda file: (file.opened, file.relative))
