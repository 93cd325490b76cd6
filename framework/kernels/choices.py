"""The table of kernels that have a faster implementation beside the plain one, and the choice between the two.

`print(framework.kernels.table())` shows which one is used, and why. `use("numpy")` and the environment variable
MS_PLAIN_KERNELS choose the plain ones, all or by name. A faster kernel computes what it was made for and leaves the
rest to the plain one.
"""

from __future__ import annotations

import ctypes
import inspect
import itertools
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from framework.common import plain
from framework.common.device import ArrayModule
from framework.kernels.loops import halves

__all__ = ["CHOSEN", "FAST", "PLAIN", "Kernel", "Row", "Source", "Table", "listed", "table", "use"]

PLAIN: Final = "numpy"
FAST: Final = "fast"
_VARIABLE: Final = "MS_PLAIN_KERNELS"
_HALF: Final = np.dtype(np.float16)
_bits: Final = itertools.count()
_logger: Final = logging.getLogger("framework")
_kernels: dict[str, Kernel] = {}
#: The reasons that the log has told: several sources may miss the same library.
_logged: Final[set[str]] = set()
CHOSEN: Final = ctypes.c_int64(0)
"""One bit per kernel, set where the plain implementation is chosen. Machine code reads it before it calls fast ones."""


class Source:
    """Where faster kernels come from: a library that may be missing.

    Args:
        load: a function that returns the library's name and version, or raises ImportError.

    """

    def __init__(self, load: Callable[[], str]) -> None:
        self._load = load
        self._found: tuple[str, str] | None = None

    def find(self) -> tuple[str, str]:
        """Return the library's name and "", or "" and the reason why it is missing. The log has each reason once."""
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
        name: the name in the table.
        plain: the plain implementation, called with the array module and the arguments.
        fast: the faster one, called with the arguments; returns NotImplemented for what it cannot compute.
        source: the library of the faster one.
        does: what the faster one computes, in words.
        widens: whether arrays of Float16 in main memory are computed as Float32, and results rounded once.

    """

    def __init__(
        self, name: str, plain: Callable[..., Any], fast: Callable[..., Any], source: Source, does: str,
        widens: bool = False,
    ) -> None:  # fmt: skip
        self.name, self.plain, self.does = name, plain, does
        self._widens = widens
        self._fast, self._source = fast, source
        #: The implementation to try first; None where only the plain one is used.
        self._chosen: Callable[..., Any] | None = self._first
        self._why = ""
        self._bit = 1 << next(_bits)
        names = list(inspect.signature(plain).parameters)[1:]
        #: The position of the array to write into; none where the plain implementation takes none.
        self._place_of_out = names.index("out") if "out" in names else len(names)
        variable = _asked_by(name)
        if variable:
            self.use(PLAIN, f"{variable} asks for it")

    def __call__(self, xp: ArrayModule, *arguments: Any) -> Any:
        """Compute, with numpy or cupy as `xp`."""
        if self._chosen is not None and xp is np:
            made = self._chosen(*arguments)
            if made is not NotImplemented:
                return made
        if self._widens and xp is np:
            for item in arguments:
                if isinstance(item, np.ndarray) and item.dtype is _HALF:
                    return self._by_floats(*arguments)
        return self.plain(xp, *arguments)

    def _by_floats(self, *arguments: Any) -> Any:
        """Compute arrays of Float16 as Float32, and round the results once if none of them is of a wider float."""
        out = arguments[self._place_of_out] if len(arguments) > self._place_of_out else None
        given = [
            halves.widened(item) if isinstance(item, np.ndarray) and item.dtype is _HALF else item
            for item in arguments[: self._place_of_out]
        ]
        made = self(np, *given)
        if any(isinstance(item, np.ndarray | np.generic) and item.dtype.char in "fd" for item in arguments):
            return made
        if type(made) is tuple:
            return tuple(_as_half(item) for item in made)
        return _as_half(made, out)

    def _first(self, *arguments: Any) -> Any:
        """Find out at the first call whether there is a faster implementation, and call it."""
        self._chosen = self._fast if self._source.find()[0] else None
        return self._chosen(*arguments) if self._chosen is not None else NotImplemented

    def use(self, implementation: str, why: str) -> None:
        """Choose an implementation: `PLAIN` or `FAST`. Under `MS_PLAIN=1` it is always `PLAIN`."""
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
        """The kernel's row of the table."""
        found, missing = self._source.find()
        if self._chosen is None and self._why:
            return Row(self.name, PLAIN, self._why)
        return Row(self.name, found, self.does) if found else Row(self.name, PLAIN, missing)


def _as_half(made: Any, out: Any = None) -> Any:
    """A result in Float32 rounded to Float16; any other as it is."""
    if isinstance(made, np.generic):
        return np.float16(made) if made.dtype == np.float32 else made
    return halves.narrowed(made, out=out) if made.dtype == np.float32 else made


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table.

    Attributes:
        name: the kernel's name.
        implementation: the library that computes; "numpy" for the plain one.
        why: what the faster implementation is used for, or why it is not used.

    """

    name: str
    implementation: str
    why: str


class Table(tuple[Row, ...]):
    """The rows; printed, they are a table."""

    __slots__ = ()

    def __str__(self) -> str:
        """One line for each kernel."""
        head = Row("kernel", "implementation", "why")
        names, libraries = (
            max(len(getattr(row, part)) for row in (head, *self)) for part in ("name", "implementation")
        )
        return "\n".join(f"{row.name:{names}}  {row.implementation:{libraries}}  {row.why}" for row in (head, *self))


def listed(kernel: Kernel) -> Kernel:
    """Enter a kernel into the table and return it."""
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
