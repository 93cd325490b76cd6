"""Opens a dump, whichever program wrote it."""

from __future__ import annotations

from pathlib import Path

from debugging.dumps.dump import Dump, DumpError
from debugging.dumps.formats.mindspore import is_mindspore, read_mindspore
from debugging.dumps.formats.msprobe import is_msprobe, read_msprobe

__all__ = ["open_dump"]


def open_dump(folder: str | Path) -> Dump:
    """Read the folders and file names of a dump. Values are opened when they are asked for.

    Args:
        folder: With `rank_N` of MindSpore, or `stepS` of msprobe.

    Raises:
        DumpError: It is neither.
    """
    root = Path(folder)
    if not root.is_dir():
        raise DumpError(f"{root} is no folder")
    if is_mindspore(root):
        return read_mindspore(root)
    if is_msprobe(root):
        return read_msprobe(root)
    raise DumpError(
        f"{root} is no dump: it has neither a folder rank_N (MindSpore) nor a folder stepS (msprobe). "
        "Give the folder that the setting `path` or `dump_path` named."
    )
