"""Compiles the parts in C and checks whether they are up to date; used by the `build` module of each part.

Imports nothing beyond the standard library, because it runs before anything is installed.
"""

import hashlib
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path

# No fused multiply-add, which rounds once instead of twice: results are the same on every machine.
_FLAGS = ("-std=c11", "-O3", "-shared", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-Wall", "-Wextra")
# By default, zig targets this machine's processor and checks for undefined behaviour.
_ZIG_FLAGS = ("-mcpu=baseline", "-fno-sanitize=undefined")


class NoCompilerError(RuntimeError):
    """There is no C compiler; the text says which ones were tried."""


class CompilerError(RuntimeError):
    """The compiler failed; the text has the first line of its output."""


@dataclass(frozen=True)
class CompiledPart:
    """A library compiled from C. Everything works without it, but slower.

    Attributes:
        source: the file that is compiled. Headers beside it belong to it.
        lost: message if the library cannot be built.
        libraries: further arguments for the linker.
    """

    source: Path
    lost: str
    libraries: tuple[str, ...] = ()

    @property
    def target(self) -> Path:
        """Path of the library."""
        return self.source.with_name(f"_{self.source.stem}.so")

    def is_possible(self) -> bool:
        """Whether this Python has all that the part needs beside a compiler."""
        return True

    def mark(self) -> bytes:
        """Return the marker of a library that was built from the current source for this kind of machine."""
        sources = b"".join(path.read_bytes() for path in sorted(self.source.parent.glob("*.[ch]")))
        digest = hashlib.sha256(sources + sysconfig.get_platform().encode()).hexdigest()[:32]
        return f"{self.source.name} {digest}".encode()

    def is_built(self, target: Path | None = None) -> bool:
        """Whether `target` (default: the library in use) was built from the current source."""
        try:
            return self.mark() in (target or self.target).read_bytes()
        except OSError:
            return False

    def build(self, target: Path | None = None, *, flags: tuple[str, ...] = ()) -> None:
        """Compile to a library, which is replaced atomically.

        Args:
            target: the library to make; by default the one that is used.
            flags: further ones for the compiler.

        Raises:
            NoCompilerError: there is no compiler.
            CompilerError: it failed.
            OSError: the library cannot be written.
        """
        compiler = find_compiler()
        target = target or self.target
        mark = self.mark().decode().partition(" ")[2]
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".kernel-") as folder:
            made = Path(folder, target.name)
            arguments = [f'-DSOURCE="{mark}"', "-o", str(made), str(self.source), *self.libraries]
            command = [*compiler, *_FLAGS, *flags, *arguments]
            done = subprocess.run(command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            if done.returncode or not made.is_file():
                lines = done.stderr.strip().splitlines()
                raise CompilerError(f"{shlex.join(compiler)} failed: {lines[0] if lines else done.returncode}")
            made.replace(target)

    def main(self) -> int:
        """Compile if the library is missing or out of date; print why if that fails. Return the exit status."""
        if self.is_built():
            return 0
        try:
            self.build()
        except (NoCompilerError, CompilerError, OSError) as error:
            print(f"{self.lost} {error}", file=sys.stderr)  # noqa: T201 -- a command's answer
            return 1
        return 0


def find_compiler() -> list[str]:
    """Return the command of the compiler: $CC, cc, or the one of the package `ziglang`.

    Raises:
        NoCompilerError: there is none of these.
    """
    named = shlex.split(os.environ.get("CC", ""))
    if named and shutil.which(named[0]):
        return named
    if shutil.which("cc"):
        return ["cc"]
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "cc", *_ZIG_FLAGS]
    looked = f"$CC ({named[0]}), cc" if named else "cc"
    raise NoCompilerError(f"No C compiler was found ({looked}, Python's package ziglang).")
