"""Programs that tests make as text, in a form in which graph mode finds their source."""

from __future__ import annotations

import itertools
import linecache
from typing import Any

_numbers = itertools.count()


def names_of(source: str, **given: Any) -> dict[str, Any]:
    """The names that a source defines, which tools can look up as that of a notebook's cell.

    Args:
        source: Python statements.
        given: names that it may use.

    """
    file = f"<made program {next(_numbers)}>"
    linecache.cache[file] = (len(source), None, [line + "\n" for line in source.splitlines()], file)
    names = dict(given)
    exec(compile(source, file, "exec"), names)  # noqa: S102
    return names
