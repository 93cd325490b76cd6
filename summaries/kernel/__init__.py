"""The compiled part of this package in C, and how parts in C are compiled and loaded.

`python -m summaries.kernel.build` compiles `walk.c` to `_walk.so` beside it. The library is optional: Python does the
same without it, slower. Readers and writers of event files use it through ctypes. Other packages compile and load
their own parts with `compiling` and `loading`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from summaries.kernel.library import LIBRARY, MISSING

__all__ = ["LIBRARY", "MISSING"]


# Not imported at once: the package is also imported to compile the library, before numpy is installed.
def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.library"), name)
