"""The table of kernels that have a faster implementation beside the plain one: which is used, why, and how to choose.

`print(framework.kernels.table())` shows it. `use("numpy")` and the environment variable MS_PLAIN_KERNELS choose the
plain ones, all or by name. A faster kernel takes what it is made for, and leaves the rest to the plain one.
"""

from __future__ import annotations

import ctypes
import itertools
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from framework.common import plain
from framework.common.device import ArrayModule

__all__ = ["CHOSEN", "FAST", "PLAIN", "Kernel", "Row", "Source", "Table", "listed", "table", "use"]

PLAIN: Final = "numpy"
FAST: Final = "fast"
_VARIABLE: Final = "MS_PLAIN_KERNELS"
_bits: Final = itertools.count()
_logger: Final = logging.getLogger("framework")
_kernels: dict[str, Kernel] = {}
#: Why libraries are missing: several sources may miss the same one.
_logged: Final[set[str]] = set()
CHOSEN: Final = ctypes.c_int64(0)
"""A bit for each kernel of which the plain implementation is chosen: machine code that calls the others looks at it."""


class Source:
    """Where faster kernels come from: a library that may be missing.

    Args:
        load: returns the library's name and version, or raises ImportError.

    """

    def __init__(self, load: Callable[[], str]) -> None:
        self._load = load
        self._found: tuple[str, str] | None = None

    def find(self) -> tuple[str, str]:
        """The library's name, or why there is none. The log says so once for each reason."""
        if self._found is None:
            try:
                self._found = self._load(), ""
            except ImportError as error:
                self._found = "", str(error)
                if str(error) not in _logged:
                    _logged.add(str(error))
                    _logger.warning("%s; numpy computes instead, slower", error)
        return self._found


class Kernel:
    """A kernel with a plain implementation and a faster one.

    Args:
        name: as the table shows it.
        plain: called with the array module and the arguments.
        fast: called with the arguments, Float32 arrays in main memory among them; returns NotImplemented for what it
            does not do.
        source: where the faster one comes from.
        does: what it does not leave to the plain one, in words.

    """

    def __init__(self, name: str, plain: Callable[..., Any], fast: Callable[..., Any], source: Source, does: str):
        self.name, self.plain, self.does = name, plain, does
        self._fast, self._source = fast, source
        #: What is called; None for the plain one alone.
        self._chosen: Callable[..., Any] | None = self._first
        self._why = ""
        self._bit = 1 << next(_bits)
        variable = _asked_by(name)
        if variable:
            self.use(PLAIN, f"{variable} asks for it")

    def __call__(self, xp: ArrayModule, *arguments: Any) -> Any:
        """Compute, with numpy or cupy as `xp`."""
        if self._chosen is not None and xp is np:
            made = self._chosen(*arguments)
            if made is not NotImplemented:
                return made
        return self.plain(xp, *arguments)

    def _first(self, *arguments: Any) -> Any:
        """The first call finds out whether there is a faster one."""
        self._chosen = self._fast if self._source.find()[0] else None
        return self._chosen(*arguments) if self._chosen is not None else NotImplemented

    def use(self, implementation: str, why: str) -> None:
        """Choose an implementation: `PLAIN` or `FAST`, which changes nothing under `MS_PLAIN=1`."""
        if plain.PLAIN:
            implementation, why = PLAIN, f"{plain.VARIABLE} asks for it"
        self._chosen = None if implementation == PLAIN else self._first
        self._why = why if implementation == PLAIN else ""
        CHOSEN.value = CHOSEN.value & ~self._bit | (self._bit if implementation == PLAIN else 0)

    @property
    def is_fast(self) -> bool:
        """Whether the faster implementation is there and chosen."""
        return self._chosen is not None and bool(self._source.find()[0])

    def row(self) -> Row:
        """Its row of the table."""
        found, missing = self._source.find()
        if self._chosen is None and self._why:
            return Row(self.name, PLAIN, self._why)
        return Row(self.name, found, self.does) if found else Row(self.name, PLAIN, missing)


@dataclass(frozen=True, slots=True)
class Row:
    """What the table says of a kernel.

    Attributes:
        name: of the kernel.
        implementation: the library that computes; "numpy" where that is the plain one.
        why: what the faster one is used for, or why it is not used.

    """

    name: str
    implementation: str
    why: str


class Table(tuple[Row, ...]):
    """Rows, which print as a table."""

    __slots__ = ()

    def __str__(self) -> str:
        """One line for each kernel."""
        head = Row("kernel", "implementation", "why")
        names, libraries = (
            max(len(getattr(row, part)) for row in (head, *self)) for part in ("name", "implementation")
        )
        return "\n".join(f"{row.name:{names}}  {row.implementation:{libraries}}  {row.why}" for row in (head, *self))


def listed(kernel: Kernel) -> Kernel:
    """The kernel, which is in the table from now on."""
    _kernels[kernel.name] = kernel
    return kernel


def table() -> Table:
    """All kernels that have a faster implementation, and which one is used."""
    return Table(kernel.row() for kernel in _kernels.values())


def use(implementation: str, *names: str) -> None:
    """Choose how kernels compute from now on, in programs that are compiled already too.

    Args:
        implementation: "numpy", the plain implementation; "fast", the faster one where there is one.
        names: of kernels, as the table has them; all where none is named.

    Raises:
        ValueError: there is no such implementation or kernel.

    """
    if implementation not in (PLAIN, FAST):
        raise ValueError(f"kernels can be used as {PLAIN!r} or as {FAST!r}, not {implementation!r}")
    for name in names:
        if name not in _kernels:
            raise ValueError(f"there is no kernel {name!r}, but {', '.join(_kernels)}")
    for name in names or _kernels:
        _kernels[name].use(implementation, "the program asks for it")


def _asked_by(name: str) -> str:
    """The environment variable that asks for the plain implementation of a kernel; empty if none does."""
    if plain.PLAIN:
        return plain.VARIABLE
    named = [part.strip() for part in os.environ.get(_VARIABLE, "").split(",")]
    return _VARIABLE if "all" in named or name in named else ""
