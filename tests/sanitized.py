"""Runs tests with parts in C that check themselves: the pytest plugin of `summaries/test_sanitizers.py`.

The libraries are those in a folder that an environment variable names. Tests that compile a part themselves get the
same checks.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from summaries.kernel.compiling import CompiledPart

#: Without optimization: with it the checks of the loops take minutes to compile.
FLAGS: Final = ("-g1", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
VARIABLE: Final = "SANITIZED_TEST_LIBRARIES"


def use(folder: Path) -> None:
    """Take the libraries from a folder."""
    build = CompiledPart.build

    def checked(part: CompiledPart, target: Path | None = None, *, flags: tuple[str, ...] = ()) -> None:
        build(part, target, flags=(*flags, *FLAGS))

    def place(kind: type[CompiledPart]) -> None:
        kind.target = property(lambda part: folder / f"_{part.source.stem}.so")  # type: ignore[assignment,method-assign]

    CompiledPart.build = checked  # type: ignore[method-assign]
    CompiledPart.__init_subclass__ = classmethod(place)  # type: ignore[assignment]
    place(CompiledPart)


if VARIABLE in os.environ:
    use(Path(os.environ[VARIABLE]))
