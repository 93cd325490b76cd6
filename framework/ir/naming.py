"""The names of operators: `scope/Type-opN`, the same name in both modes and in every compilation.

N numbers the places in the scope that execute an operator of the type. A place is a path through the source: the calls
from the outermost function down to the operator, each with the number of times it was reached before in the same call
of its function. So each iteration of an unrolled loop is a place of its own. A loop or a recursion that a tensor
controls stays one in the program, and so its iterations are one place.
"""

from __future__ import annotations

import contextlib
import os
import types
import weakref
from collections.abc import Hashable
from pathlib import Path
from typing import Any, Final

__all__ = [
    "COMPILED",
    "GRADIENTS",
    "MOST_ROUNDS",
    "RECOMPUTED",
    "Names",
    "Passage",
    "Site",
    "gradient_scope",
    "is_internal",
    "names_of",
]

COMPILED: Final = "Compiled"
"""The scope of operators that only compiled programs have, such as zeros for a choice."""

GRADIENTS: Final = "Gradients"
"""The scope of backward operators. The scope of the differentiated operator follows it."""

RECOMPUTED: Final = "Recomputed"
"""The scope of operators that are computed again going backward. Their own scope follows it."""

MOST_ROUNDS: Final = 1000
"""The limit of places for one operator or call; later passes are the same place. Longer loops are not unrolled."""

Site = tuple[int, int]
"""The line (from 1) and the column (from 0) where a call or an operator begins in the source."""

_ROOT: Final = Path(__file__).parent.parent
#: All modules between a user's line and the operator that it executes. Layers and optimizers count as users' programs.
_INTERNAL: Final = (
    *(
        f"{_ROOT / part}{os.sep}"
        for part in ("ad", "common", "engine", "infer", "ir", "kernels", "onnx", "ops", "opt", "parse", "pynative")
    ),
    *(str(_ROOT / part) for part in ("jit.py", "graph_mode.py", "observe.py", "nn/cell.py")),
    contextlib.__file__,
)


def is_internal(file: str) -> bool:
    """Whether a source file is part of how operators are executed, rather than of a program."""
    return file.startswith(_INTERNAL)


class Names:
    """The numbers of the places of one function or Cell. They are given at the first visit and never change."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], dict[Hashable, int]] = {}

    def full_name(self, scope: str, kind: str, place: Hashable) -> str:
        """The full name of an operator.

        Args:
            scope: the Cells around it, such as `Default/conv1-Conv2d`.
            kind: the operator's name.
            place: the place where it executes.
        """
        numbers = self._numbers.setdefault((scope, kind), {})
        return f"{scope}/{kind}-op{numbers.setdefault(place, len(numbers))}"


class Passage:
    """One path through a function's source, with the number of times that each place on it was reached.

    Args:
        outer: the passage with the call that led here; None for the outermost function.
        site: the site of that call.
        again: another passage with the same places: of the previous iteration, or of the outer call of a recursion.
    """

    def __init__(self, outer: Passage | None = None, site: Site = (0, 0), again: Passage | None = None) -> None:
        self.outer = outer
        self.site = site
        self.again = again
        self.passed: dict[tuple[Site, str], int] = {}
        self._path: tuple[Any, ...] | None = None

    @property
    def path(self) -> tuple[Any, ...]:
        """The calls that led here. Reading it for the first time counts the last one."""
        if self._path is None:
            if self.again is not None:
                self._path = self.again.path
            else:
                self._path = () if self.outer is None else self.outer.place(self.site, "")
        return self._path

    def begin(self) -> None:
        """Count the call that led here, even if nothing executes on this path."""
        assert self.path is not None  # noqa: S101

    def place(self, site: Site, kind: str) -> tuple[Any, ...]:
        """Count a place and return it.

        Args:
            site: its line and column.
            kind: the operator that executes there; empty for a call.
        """
        path = self.path
        count = self.passed.get((site, kind), 0)
        self.passed[site, kind] = count + 1
        return (*path, (site, min(count, MOST_ROUNDS)))


def gradient_scope(full_name: str, what: str = "Grad") -> str:
    """The scope of the backward operators of an operator, named as in MindSpore.

    It is `Gradients/Default/Grad_Mul` for `Default/Mul-op0`. MindSpore has one scope for all operators of a type; here
    all but the first keep their number, as in `Gradients/Default/Grad_Mul-op1`.

    Args:
        full_name: the full name of the operator.
        what: `Grad` for its backward function, `Sum` for adding up the gradients of its output.
    """
    scope, _, name = full_name.removeprefix(f"{GRADIENTS}/").rpartition("/")
    own = f"{what}_{name.removesuffix('-op0')}"
    return f"{GRADIENTS}/{scope}/{own}" if scope else f"{GRADIENTS}/{own}"


_names: weakref.WeakKeyDictionary[Any, Names] = weakref.WeakKeyDictionary()


def names_of(root: Any) -> Names:
    """The names within an outermost function or Cell. A compiled function or a gradient uses those of its function.

    A function without closure variables is identified by its code, so that it can be found by Python's stack, too. Many
    closures share one code, so each has names of its own.
    """
    while not hasattr(root, "construct") and hasattr(root, "function"):
        root = root.function
    if isinstance(root, types.MethodType):
        root = root.__self__ if hasattr(root.__self__, "construct") else root.__func__
    key = root if getattr(root, "__closure__", None) else getattr(root, "__code__", root)
    if isinstance(key, types.CodeType) and key.co_freevars:
        return Names()
    try:
        return _names.setdefault(key, Names())
    except TypeError:
        return Names()
