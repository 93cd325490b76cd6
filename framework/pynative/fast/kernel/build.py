"""Compiles the operators on small tensors: `python framework/pynative/fast/kernel/build.py`, from `make` and in tests.

Needs the headers of Python and numpy, beside a compiler. Run by its path, as the build of the loops is.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Final

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[4]))

from summaries.kernel.compiling import CompiledPart, CompilerError

__all__ = ["PART", "ExtensionPart"]


_SUFFIX: Final = str(sysconfig.get_config_var("EXT_SUFFIX") or ".so")


@dataclass(frozen=True)
class ExtensionPart(CompiledPart):
    """An extension module, which belongs to one version of Python."""

    @property
    def target(self) -> Path:
        """The module that is used."""
        return self.source.with_name(f"_{self.source.stem}{_SUFFIX}")

    def is_possible(self) -> bool:
        """Whether this Python has its headers."""
        return self._python_headers().is_file()

    def mark(self) -> bytes:
        """Return the text that a module has in it when it was made from the present source for such a Python."""
        digest = hashlib.sha256(super().mark() + _SUFFIX.encode()).hexdigest()[:32]
        return f"{self.source.name} {digest}".encode()

    def build(self, target: Path | None = None, *, flags: tuple[str, ...] = ()) -> None:
        """Compile to a module, which is replaced in one step.

        Raises:
            CompilerError: the compiler failed, or headers are missing.
            NoCompilerError: there is no compiler.
            OSError: the module cannot be written.
        """
        super().build(target, flags=(*self._includes(), *flags))

    @staticmethod
    def _python_headers() -> Path:
        return Path(sysconfig.get_path("include"), "Python.h")

    @staticmethod
    def _includes() -> tuple[str, str]:
        headers = ExtensionPart._python_headers()
        if not headers.is_file():
            raise CompilerError(f"{headers} is missing: install the headers of Python")
        numpy = importlib.util.find_spec("numpy")
        if numpy is None or numpy.origin is None:
            raise CompilerError("numpy, whose headers are needed, is not installed")
        return f"-isystem{headers.parent}", f"-isystem{Path(numpy.origin).parent / '_core' / 'include'}"


PART: Final = ExtensionPart(
    Path(__file__).with_name("small_tensors.c"),
    "The operators on small tensors were not compiled, so PyNative mode takes longer for each.",
)


if __name__ == "__main__":
    sys.exit(PART.main())
