"""Runs a file of tests with pytest and tells of each test whether it passed.

Tests that hand a network to MindSpore's compiler alone call `_cell_graph_executor.compile(network, ...)`; here the
network is compiled and run.
"""

from __future__ import annotations

import importlib
import os
import re
import signal
import sys
import types
from collections.abc import Iterator
from contextlib import suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest
from telling import Asked, error_of  # type: ignore[import-not-found]

#: MindSpore's stand-in for compiled kernels, in Python, which its tests load: a part of it, not of the tests. Its
#: functions of numpy, `vm`, have tests of their own.
STAND_INS = ("vm_impl", "tests.vm_impl")
KERNELS = "_ops_vm_impl"
COMPILERS = ("_cell_graph_executor", "_executor")


class Compiling:
    """Stands for MindSpore's compiler of networks: runs them in graph mode."""

    def compile(self, network: Any, *inputs: Any, **named: Any) -> tuple[str, bool]:
        """Compiles and runs a network; what MindSpore returns of it."""
        import mindspore as ms

        del named
        mode = ms.get_context("mode")
        ms.set_context(mode=ms.GRAPH_MODE)
        try:
            network(*inputs)
        finally:
            ms.set_context(mode=mode)
        return "0", True

    def __call__(self, network: Any, *inputs: Any, **named: Any) -> Any:
        """Runs a network."""
        return network(*inputs)


class EmptyModules(MetaPathFinder, Loader):
    """Finds an empty package in place of the modules that register stand-ins for kernels.

    Args:
        root: of the checkout.
    """

    def __init__(self, root: str) -> None:
        self._place = Path(root, "tests", "vm_impl")

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """The spec of an empty package."""
        del path, target
        if name not in STAND_INS and not (name.startswith(STAND_INS) and name.endswith(KERNELS)):
            return None
        spec = ModuleSpec(name, self, is_package=True)
        spec.submodule_search_locations = [str(self._place)]
        return spec

    def exec_module(self, module: types.ModuleType) -> None:
        """Gives the one name that is imported from these modules."""
        module.__dict__["vm"] = None
        if module.__name__ in STAND_INS:
            with suppress(ImportError):
                module.__dict__["vm"] = importlib.import_module(f"{module.__name__}.vm_interface").vm


class Telling:
    """Tells of each test what became of it; a test that takes too long is stopped."""

    def __init__(self, asked: Any) -> None:
        self._asked = asked
        self._seconds = asked.of["seconds"]

    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        """Leaves the tests that are marked for this kind of machine, where tests are marked for machines."""
        marks = set(self._asked.of["marks"])
        if marks:
            items[:] = [item for item in items if marks & {mark.name for mark in item.iter_markers()}]

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: Any) -> Iterator[None]:
        """Gives each test its time."""
        signal.alarm(self._seconds)
        yield
        signal.alarm(0)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Iterator[None]:
        """Tells of a test."""
        outcome: Any = yield
        report = outcome.get_result()
        if report.skipped:
            return
        if report.failed:
            error = error_of(call.excinfo.value, self._asked.of["root"])
            self._asked.tell(test=item.nodeid.rpartition("/")[2], error=error, seconds=call.duration)
        elif report.when == "call":
            self._asked.tell(test=item.nodeid.rpartition("/")[2], error=None, seconds=call.duration)

    def pytest_collectreport(self, report: Any) -> None:
        """Tells of a file that cannot be imported."""
        if report.failed:
            text = str(report.longrepr)
            lines = [line[1:].strip() for line in text.splitlines() if re.match(r"E\s", line)]
            kind, _, rest = (lines[-1] if lines else text[-300:]).partition(": ")
            kind = kind.rpartition(".")[2]
            kinds = ["ImportError", kind] if kind == "ModuleNotFoundError" else [kind]
            self._asked.tell(test="", error={"types": kinds, "text": rest or text[-300:], "at": ""}, seconds=0)


def _out_of_time(number: int, frame: types.FrameType | None) -> None:
    raise TimeoutError("a test takes too long")


def main() -> None:
    """Runs the file."""
    asked = Asked()
    sys.path[:0] = asked.of["path"]
    sys.meta_path.insert(0, EmptyModules(asked.of["root"]))
    import mindspore.common.api as compilers

    for name in COMPILERS:
        setattr(compilers, name, Compiling())
    signal.signal(signal.SIGALRM, _out_of_time)
    # The plug-ins of this environment take seconds to import, once for each file; these tests use none.
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    options = ["-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--tb=no", "-W", "ignore"]
    pytest.main([*options, f"--rootdir={asked.of['root']}", asked.of["file"]], plugins=[Telling(asked)])
    asked.tell(test="end", error=None, seconds=0)


if __name__ == "__main__":
    main()
