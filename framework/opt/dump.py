"""Writes programs after each pass, as text and as `anf_ir` messages for the dashboard's graph page.

`NN_pass.ir` is the text; beside it `NN_pass.pb`, or for a program of several function graphs one `NN_pass.fgK.pb` each.
"""

from __future__ import annotations

from pathlib import Path

from framework.ir.anf import FuncGraph
from framework.ir.anf_proto import to_protos
from framework.ir.text import to_text

__all__ = ["Dump"]


class Dump:
    """Dumps of one compilation.

    Args:
        directory: where to write; it is made.
    """

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.number = 0

    def __call__(self, name: str, root: FuncGraph) -> None:
        """Write a program under the name of the pass that made it."""
        stem = f"{self.number:02d}_{name}"
        self.number += 1
        (self.directory / f"{stem}.ir").write_text(to_text(root), encoding="utf-8")
        protos = to_protos(root)
        for place, proto in enumerate(protos):
            part = "" if len(protos) == 1 else f".fg{place}"
            (self.directory / f"{stem}{part}.pb").write_bytes(proto.SerializeToString())
