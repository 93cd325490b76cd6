"""What operators are called: `scope/Type-opN`, the same name in both modes and in every compilation.

N counts the places that execute an operator of the type in the scope. A place is the way there through the source: the
calls from the outermost function down, each with how often it had been passed before in the same call of its function.
So the rounds of a loop are places of their own, as they are in a program whose loops are unrolled; the rounds of a
loop, and the calls of a recursion, that go on as long as a tensor says are one place, as they are in the program.
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
"""The scope of operators that compilation makes and that PyNative mode never executes, such as zeros for a choice."""

GRADIENTS: Final = "Gradients"
"""The scope of what goes backward; behind it comes that of the operator whose gradients these are."""

RECOMPUTED: Final = "Recomputed"
"""The scope of operators that are computed once more going backward; behind it comes their own."""

MOST_ROUNDS: Final = 1000
"""A place that is passed more often is one place from then on; loops of more rounds are not unrolled either."""

Site = tuple[int, int]
"""A line, from 1, and a column, from 0, where a call or an operator begins in the source."""

_ROOT: Final = Path(__file__).parent.parent
#: Everything between a user's line and the operator that it executes; layers and optimizers are programs like a user's.
_INTERNAL: Final = (
    *(
        f"{_ROOT / part}{os.sep}"
        for part in ("ad", "common", "engine", "infer", "ir", "kernels", "ops", "opt", "parse", "pynative")
    ),
    *(str(_ROOT / part) for part in ("jit.py", "observe.py", "nn/cell.py", "nn/graph_mode.py")),
    contextlib.__file__,
)


def is_internal(file: str) -> bool:
    """Whether a source file is part of how operators are executed, rather than of a program."""
    return file.startswith(_INTERNAL)


class Names:
    """The numbers of one function or Cell, given in the order in which places are first met and kept for ever."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], dict[Hashable, int]] = {}

    def full_name(self, scope: str, kind: str, place: Hashable) -> str:
        """The name of an operator.

        Args:
            scope: the Cells around it, such as `Default/conv1-Conv2d`.
            kind: the operator's name.
            place: where it executes.
        """
        numbers = self._numbers.setdefault((scope, kind), {})
        return f"{scope}/{kind}-op{numbers.setdefault(place, len(numbers))}"


class Passage:
    """One way through a function's source: how often each place has been passed on it.

    Args:
        outer: that of the call that led here, None for the outermost function.
        site: of that call.
        again: another one whose places these are too: of the round before, of the outer call of a recursion.
    """

    def __init__(self, outer: Passage | None = None, site: Site = (0, 0), again: Passage | None = None) -> None:
        self.outer = outer
        self.site = site
        self.again = again
        self.passed: dict[tuple[Site, str], int] = {}
        self._path: tuple[Any, ...] | None = None

    @property
    def path(self) -> tuple[Any, ...]:
        """The calls that led here; the last one counts as passed when this is first asked for."""
        if self._path is None:
            if self.again is not None:
                self._path = self.again.path
            else:
                self._path = () if self.outer is None else self.outer.place(self.site, "")
        return self._path

    def begin(self) -> None:
        """Let it count as passed, whether anything executes on it or not."""
        assert self.path is not None  # noqa: S101

    def place(self, site: Site, kind: str) -> tuple[Any, ...]:
        """Pass a place.

        Args:
            site: where.
            kind: the operator that executes there, empty for a call.
        """
        path = self.path
        count = self.passed.get((site, kind), 0)
        self.passed[site, kind] = count + 1
        return (*path, (site, min(count, MOST_ROUNDS)))


def gradient_scope(full_name: str, what: str = "Grad") -> str:
    """The scope of what goes backward through an operator, as MindSpore calls it.

    `Gradients/Default/Grad_Mul` for `Default/Mul-op0`; MindSpore has one for all of a type in a scope, where here those
    after the first carry their number, as `Gradients/Default/Grad_Mul-op1`.

    Args:
        full_name: of the operator.
        what: `Grad` for its backward function, `Sum` for the gradients of its output being added up.
    """
    scope, _, name = full_name.removeprefix(f"{GRADIENTS}/").rpartition("/")
    own = f"{what}_{name.removesuffix('-op0')}"
    return f"{GRADIENTS}/{scope}/{own}" if scope else f"{GRADIENTS}/{own}"


_names: weakref.WeakKeyDictionary[Any, Names] = weakref.WeakKeyDictionary()


def names_of(root: Any) -> Names:
    """The names within an outermost function or Cell; compiled functions and gradients have those of what they run.

    A function that captures nothing is known by its code, so that Python's stack tells it too; closures, of which many
    share a code, each have names of their own.
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
