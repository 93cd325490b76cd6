"""What every worker does: reads its arguments, puts the alias in place, and tells lines of results."""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path
from typing import Any


class Asked:
    """The arguments of a worker, and the file into which it tells.

    Attributes:
        of: the arguments by name.
    """

    def __init__(self) -> None:
        self.of: dict[str, Any] = json.loads(sys.argv[1])
        # Programs read their own arguments when they are imported.
        del sys.argv[1:]
        # The folder of the workers is no place in which programs look for modules.
        sys.path[:] = [place for place in sys.path if Path(place or ".").resolve() != Path(__file__).parent]
        if self.of["alias"]:
            from framework import alias

            alias.install()

    def tell(self, **line: Any) -> None:
        """Appends a line to the results, at once: a process that dies keeps what it had told."""
        with Path(self.of["results"]).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def error_of(error: BaseException, *places: str) -> dict[str, Any]:
    """What the benchmark needs to know of an error.

    Args:
        error: what was raised.
        places: parts of paths of the program's own files; the innermost line in one of them is told.
    """
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if any(place in frame.filename for place in places)] or list(frames[-1:])
    last = own[-1] if own else None
    return {
        "types": [kind.__name__ for kind in type(error).__mro__ if kind is not object],
        "text": str(error)[:2000],
        "at": f"{last.filename}:{last.lineno} {last.line}" if last else "",
    }
