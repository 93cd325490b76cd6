"""Stores the differences of two graphs beside their merged graph. Written by the task, read by the views."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import orjson

from mindinsight.graphs.atomic_directories import appearing
from mindinsight.graphs.json_text import json_text

if TYPE_CHECKING:
    from mindinsight.graphs.diff import GraphDiff


@dataclass(frozen=True, slots=True)
class StoredDifference:
    """The stored differences of two graphs.

    Attributes:
        directory: its directory.
    """

    directory: Path

    def exists(self) -> bool:
        """Whether it exists."""
        return (self.directory / "changes.json").is_file()

    def status(self) -> npt.NDArray[np.uint8]:
        """Returns the number of each node's status."""
        return np.asarray(np.load(self.directory / "status.npy", mmap_mode="r"))

    def edge_status(self) -> npt.NDArray[np.uint8]:
        """Returns the number of each edge's status."""
        return np.asarray(np.load(self.directory / "edge_status.npy", mmap_mode="r"))

    def changes(self) -> list[dict[str, Any]]:
        """Returns the changes: status, node, and differences of the node."""
        return list(orjson.loads((self.directory / "changes.json").read_bytes()))

    def batch(self) -> tuple[int, int] | None:
        """Returns the sizes of the batch in both graphs, if they differ in it."""
        try:
            left, right = orjson.loads((self.directory / "batch.json").read_bytes())
        except FileNotFoundError:
            return None
        return int(left), int(right)

    def write(self, difference: GraphDiff) -> None:
        """Writes a difference atomically."""
        with appearing(self.directory, replace=True) as making:
            np.save(making / "status.npy", difference.status)
            np.save(making / "edge_status.npy", difference.edge_status)
            rows = [
                {
                    "status": change.status.name.lower(),
                    "node": change.node,
                    "what": [
                        {"field": json_text(what.field), "left": _optional(what.left), "right": _optional(what.right)}
                        for what in change.what
                    ],
                }
                for change in difference.changes()
            ]
            (making / "changes.json").write_bytes(orjson.dumps(rows))
            if difference.batch is not None:
                sizes = [difference.batch.left, difference.batch.right]
                (making / "batch.json").write_bytes(orjson.dumps(sizes))


def _optional(text: str | None) -> str | None:
    return None if text is None else json_text(text)
