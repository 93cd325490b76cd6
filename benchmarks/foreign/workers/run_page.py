"""Runs the blocks of code of one page in order, in one namespace, each as far as it comes."""

from __future__ import annotations

import linecache
import signal
import sys
import time
import types
from pathlib import Path

from telling import Asked, error_of  # type: ignore[import-not-found]


def _out_of_time(number: int, frame: types.FrameType | None) -> None:
    raise TimeoutError("a block takes too long")


def main() -> None:
    """Tells of each block whether it ran, or what stopped it."""
    asked = Asked()
    if asked.of["mode"] == "graph":
        import mindspore as ms

        ms.set_context(mode=ms.GRAPH_MODE)
    page = types.ModuleType("__main__")
    sys.modules["__main__"] = page
    sys.argv = ["page.py"]
    signal.signal(signal.SIGALRM, _out_of_time)
    for number, block in enumerate(asked.of["blocks"]):
        # A file of its own, so that graph mode finds the source of what the block defines.
        path = str(Path.cwd() / f"block_{number:03}.py")
        Path(path).write_text(block, encoding="utf-8")
        linecache.checkcache(path)
        page.__file__ = path
        began = time.monotonic()
        signal.alarm(asked.of["seconds"])
        error = None
        try:
            exec(compile(block, path, "exec"), page.__dict__)  # noqa: S102 - what the page is for
        except BaseException as raised:
            error = error_of(raised, str(Path.cwd() / "block_"))
        signal.alarm(0)
        asked.tell(block=number, error=error, seconds=time.monotonic() - began)


if __name__ == "__main__":
    main()
