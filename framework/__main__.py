"""The command `python -m framework`: programs that import MindSpore, files of data and models."""

from __future__ import annotations

import builtins
import importlib
import io
import runpy
import sys
import types
from pathlib import Path
from typing import Final

from framework import alias
from framework.dataset.mindrecord.inspecting import command

USAGE: Final = """usage: python -m framework run PROGRAM [ARGUMENT ...]
       python -m framework run -m MODULE [ARGUMENT ...]
       python -m framework mindrecord check|info|index|cat FILE
       python -m framework check FILE
       python -m framework convert SOURCE TARGET

`run` runs a Python program in which `import mindspore` finds this core. Arguments, directory, `__main__` and exit code
are as with `python PROGRAM`. `mindrecord` checks and shows MindRecord files. `check` tells
what a file of a model has, and `convert` writes it in another format.
"""


def main(arguments: list[str]) -> None:
    """Run a program with its arguments, or the command for MindRecord files.

    Args:
        arguments: `run`, the file of the program or `-m` and the name of a module, and the program's own arguments; or
            `mindrecord` and what `framework.dataset.mindrecord.inspecting.command` takes; or what the command of
            `framework.converting` takes.

    Raises:
        SystemExit: the arguments name no program (code 2), or the program ends so.

    """
    match arguments:
        case [] | ["-h" | "--help", *_]:
            sys.stdout.write(USAGE)
        case ["run", "-m", module, *rest]:
            alias.install()
            sys.argv[:] = [module, *rest]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case ["run", program, *rest] if not program.startswith("-"):
            alias.install()
            run(program, rest)
        case ["mindrecord", *rest]:
            raise SystemExit(command.main(rest))
        case ["check" | "convert", *_]:
            models = importlib.import_module("framework.converting")  # Slow, and few commands need it.
            models.command(arguments, prog_name="mindinsight")
        case _:
            sys.stderr.write(USAGE)
            raise SystemExit(2)


def run(program: str, arguments: list[str]) -> None:
    """Run the file of a program as `__main__`, with its folder first on `sys.path`.

    Args:
        program: the path of the file.
        arguments: what the program finds in `sys.argv` after its own path.

    Raises:
        SystemExit: there is no such file (code 2), or the program ends so.

    """
    try:
        with io.open_code(str(Path(program).absolute())) as file:
            source = file.read()
    except OSError as error:
        sys.stderr.write(f"{sys.executable}: can't open file {program!r}: [Errno {error.errno}] {error.strerror}\n")
        raise SystemExit(2) from None
    sys.argv[:] = [program, *arguments]
    if not sys.flags.safe_path:
        sys.path[0] = str(Path(program).resolve().parent)
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=program, __builtins__=builtins, __annotations__={}, __cached__=None)
    sys.modules["__main__"] = module
    sys.excepthook = _shown_from_the_program
    exec(compile(source, program, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - the user's program


def _shown_from_the_program(kind: type[BaseException], error: BaseException, trace: types.TracebackType | None) -> None:
    """Show an error as Python does, without the lines of this file and of what called it."""
    inner = trace
    while inner is not None and inner.tb_frame.f_code.co_filename != __file__:
        inner = inner.tb_next
    while inner is not None and inner.tb_frame.f_code.co_filename == __file__:
        inner = inner.tb_next
    shown = trace if inner is None else inner
    sys.__excepthook__(kind, error.with_traceback(shown), shown)


if __name__ == "__main__":
    main(sys.argv[1:])
