"""The recognition is tested twice where it matters: with the compiled library, and with Python alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mindinsight.environment import Environment
from mindinsight.graphs.substructures.kernel import library
from mindinsight.graphs.substructures.kernel.build import PART
from mindinsight.store import ColumnStore
from summaries import SummaryWriter
from summaries.kernel.compiling import NoCompilerError
from tests.mindinsight.graphs.recorded import proto, take


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library, made from the present source."""
    target = tmp_path_factory.mktemp("kernel") / "_repeats.so"
    try:
        PART.build(target, flags=("-Werror",))
    except NoCompilerError as error:
        pytest.skip(str(error))
    return target


@pytest.fixture
def with_kernel(compiled: Path) -> Iterator[None]:
    """Uses the library of the present source."""
    before = library.KERNEL
    library.KERNEL = library.Kernel(compiled)
    yield
    library.KERNEL = before


@pytest.fixture
def without_kernel() -> Iterator[None]:
    """Uses Python alone."""
    before = library.KERNEL
    library.KERNEL = None
    yield
    library.KERNEL = before


@pytest.fixture
def series(environment: Environment, db: None) -> int:
    """A series with one graph."""
    ColumnStore(environment.data_directory / "columns").clear()
    with SummaryWriter(environment.base_directory / "a") as writer:
        writer.add_graph(proto())
    assert writer.path is not None
    return take(environment, writer.path)


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Takes orders; the test does the work."""
    orders: list[int] = []
    monkeypatch.setattr("mindinsight.api.task_queue.order", lambda _task, number: orders.append(number))
    return orders
