"""Writes programs after each pass, as text and as `anf_ir` messages for the dashboard's graph page.

`NN_pass.ir` is the text, `NN_pass.pb` the message. A program of several function graphs has a file `NN_pass.fgK.pb` for
each. The engine adds its code (`NN_code.py`), its plan of memory (`NN_memory.txt`), and a report of fusion
(`NN_fusion.txt`): which operators became one kernel, and why others did not.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from framework.ir.anf import FuncGraph
from framework.ir.anf_proto import to_protos
from framework.ir.text import to_text

__all__ = ["Dump"]


class Dump:
    """Dumps of one compilation.

    Args:
        directory: the directory to write to; it is created.
        suffix: text at the end of each file's name.
        passes: parts of the names of the passes that are written; all, if there are none.
    """

    def __init__(self, directory: str | Path, suffix: str = "", passes: Sequence[str] = ()) -> None:
        self.directory = Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.number = 0
        self._suffix = suffix
        self._passes = tuple(passes)
        #: Whether the engine adds its code and its reports.
        self.is_whole = not suffix

    def __call__(self, name: str, root: FuncGraph) -> None:
        """Write a program under the name of the pass that made it."""
        if self._passes and not any(part in f"_{name}" for part in self._passes):
            self.number += 1
            return
        stem = f"{self.number:02d}_{name}{self._suffix}"
        self.text(f"{name}{self._suffix}.ir", to_text(root))
        protos = to_protos(root)
        for place, proto in enumerate(protos):
            part = "" if len(protos) == 1 else f".fg{place}"
            (self.directory / f"{stem}{part}.pb").write_bytes(proto.SerializeToString())

    def text(self, name: str, text: str) -> None:
        """Write a text under the next number."""
        (self.directory / f"{self.number:02d}_{name}").write_text(text, encoding="utf-8")
        self.number += 1
