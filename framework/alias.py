"""`import mindspore` for this core: once `install` is called, MindSpore's module paths are those of `framework`.

    from framework import alias

    alias.install()
    import mindspore  # The very module `framework`.

`python -m framework run train.py` does this for a program that cannot be changed. Without `install`, nothing here has
an effect, and an installed MindSpore is what `import mindspore` finds.
"""

from __future__ import annotations

import dis
import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

from framework.compat.absent import reason_for

__all__ = ["install", "is_installed", "uninstall"]

_THEIRS: Final = "mindspore"
_OURS: Final = __name__.partition(".")[0]
_IMPORT_FROM: Final = dis.opmap["IMPORT_FROM"]
#: Where all names are listed.
_PAGE: Final = "docs/reference/mindspore.md"


def install() -> None:
    """Have `import mindspore` and every path below it find the modules of `framework`, until `uninstall`.

    Names that are not here are then refused by an ImportError or AttributeError that says why.

    Raises:
        ImportError: MindSpore itself is imported already.

    """
    if is_installed():
        return
    if _THEIRS in sys.modules:
        raise ImportError(
            "MindSpore is imported already, from "
            f"{getattr(sys.modules[_THEIRS], '__file__', None)}: call framework.alias.install() before"
        )
    # A module that is in sys.modules is never set as an attribute of its parent, where a function may have its name.
    for name, module in list(sys.modules.items()):
        if module is not None and (name == _OURS or name.startswith(_OURS + ".")):
            sys.modules[_as_theirs(name)] = module
            _explain_missing_names(module, name)
    sys.meta_path.insert(0, _FINDER)


def uninstall() -> None:
    """Have `import mindspore` find MindSpore again, if it is installed."""
    if not is_installed():
        return
    sys.meta_path.remove(_FINDER)
    for name in [name for name in sys.modules if name == _THEIRS or name.startswith(_THEIRS + ".")]:
        del sys.modules[name]
    for module, before in _explained.values():
        if before is None:
            del module.__dict__["__getattr__"]
        else:
            module.__dict__["__getattr__"] = before
    _explained.clear()


def is_installed() -> bool:
    """Whether `import mindspore` finds `framework`."""
    return _FINDER in sys.meta_path


class _Finder(MetaPathFinder):
    """Finds the modules of `framework` under MindSpore's names, and refuses all others below `mindspore`."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The specification of a module below `mindspore`; None for all others."""
        if fullname != _THEIRS and not fullname.startswith(_THEIRS + "."):
            return None
        ours = _OURS + fullname.removeprefix(_THEIRS)
        if ours not in sys.modules and importlib.util.find_spec(ours) is None:
            raise ModuleNotFoundError(f"No module named {fullname!r}: {reason_for(fullname)}", name=fullname)
        return ModuleSpec(fullname, _TheSame(ours))


class _TheSame(Loader):
    """Loads a module by importing another, which stays as it is."""

    def __init__(self, ours: str) -> None:
        self.ours = ours
        self.spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module of `framework`."""
        module = importlib.import_module(self.ours)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Undo the import system's changes to the module, which was executed before."""
        module.__spec__ = self.spec
        _explain_missing_names(module, self.ours)


_FINDER: Final = _Finder()
#: Modules whose missing names are explained, and their own `__getattr__`, by the modules' ids.
_explained: dict[int, tuple[ModuleType, Callable[[str], object] | None]] = {}


def _as_theirs(name: str) -> str:
    return _THEIRS + name.removeprefix(_OURS)


def _explain_missing_names(module: ModuleType, name: str) -> None:
    """Give a module a `__getattr__` whose errors say why a name is not there."""
    if id(module) in _explained:
        return
    own: Callable[[str], object] | None = module.__dict__.get("__getattr__")
    _explained[id(module)] = module, own
    theirs = _as_theirs(name)

    def __getattr__(wanted: str) -> object:  # noqa: N807 - Python's name
        if own is not None:
            try:
                return own(wanted)
            except AttributeError:
                pass
        full = f"{theirs}.{wanted}"
        if wanted.startswith("__"):
            raise AttributeError(f"module {name!r} has no attribute {wanted!r}")
        text = f"{full} is not there: {reason_for(full)} ({_PAGE})"
        if _is_imported_by_name():
            raise ImportError(text, name=theirs)
        raise AttributeError(text, name=wanted, obj=module)

    module.__dict__["__getattr__"] = __getattr__


def _is_imported_by_name() -> bool:
    """Whether the caller of a module's `__getattr__` executes `from module import name`."""
    caller = sys._getframe(2)
    return caller.f_lasti >= 0 and caller.f_code.co_code[caller.f_lasti] == _IMPORT_FROM
