"""A browser, windows that forget no error, dashboards and trainings."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.dashboard import Dashboard

from .training import Training, falling, write_run
from .visits import Troubles, Visits

FLAGS = (
    "--disable-background-networking",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
    "--disable-gpu",
    "--disable-quic",
    # The list of Playwright, which this one replaces, and the first two: the address bar's suggestions, which nobody
    # sees here, were a page of their own in every window and more than half of what a window cost.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,"
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,"
    "LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,"
    "OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch",
)
ROOT = Path(__file__).resolve().parents[2]

expect.set_options(timeout=15_000)

StartDashboard = Callable[..., Dashboard]
StartTraining = Callable[..., Training]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder drives the browser."""
    # Compared as texts: there are many thousand tests, and all of them are here.
    folder = f"{Path(__file__).parent}{os.sep}"
    for item in items:
        if str(item.path).startswith(folder):
            item.add_marker(pytest.mark.browser)


def chromium() -> str | None:
    """The browser's program: what CHROMIUM names, else the one on PATH; without windows where there is such a one.

    Opening a page in that one takes two thirds of the processor's time.
    """
    return os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")


# Not for the whole run: while Playwright is at work its event loop is the running one, and asynchronous tests of
# other folders need their own.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A browser that speaks to nobody on its own."""
    program = chromium()
    if program is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium fonts-noto-cjk); CHROMIUM may name it")
    flags = [*FLAGS, "--no-sandbox"] if os.geteuid() == 0 else [*FLAGS]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=flags)
        yield browser
        browser.close()


@pytest.fixture
def start_dashboard(tmp_path: Path) -> Iterator[StartDashboard]:
    """Starts dashboards that end with the test; by default on the empty directory `tmp_path/summaries`."""
    with ExitStack() as stack:

        def start(base: Path | None = None, **options: Any) -> Dashboard:
            directory = base or tmp_path / "summaries"
            directory.mkdir(exist_ok=True)
            return stack.enter_context(Dashboard.start(directory, **options))

        yield start


@pytest.fixture
def start_training() -> Iterator[StartTraining]:
    """Starts trainings that end with the test."""
    trainings: list[Training] = []

    def start(directory: Path, *tags: str) -> Training:
        trainings.append(Training(directory, tags or ("loss",)))
        return trainings[-1]

    yield start
    for training in trainings:
        training.kill()


@pytest.fixture
def troubles() -> Troubles:
    """Errors in the test's windows; a test that causes errors declares them here."""
    return Troubles()


@pytest.fixture
def visit(
    browser: Browser, troubles: Troubles, start_dashboard: StartDashboard, start_training: StartTraining
) -> Iterator[Visits]:
    """Opens pages; the test fails if one of them logged an error, lost a request or contacted another host.

    It comes after the fixtures that start processes, so that windows are closed before a process ends.
    """
    visits = Visits(browser, troubles)
    yield visits
    visits.close()
    assert troubles.unexpected() == []


@pytest.fixture(scope="package")
def showroom(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard with runs that tests only look at: finished, restarted, diverged, crashed and running ones."""
    base = tmp_path_factory.mktemp("showroom")
    write_run(
        base / "lenet" / "adam", {"loss/train": falling(300), "loss/val": falling(60, 0.2, 9), "lr": [1e-3] * 300}
    )
    write_run(base / "lenet" / "adam", {"loss/train": falling(50, 0.1)}, first=251)
    write_run(base / "lenet" / "sgd", {"loss/train": falling(300, 0.4), "loss/val": falling(60, 0.5, 20)})
    write_run(base / "diverged", {"loss/train": [2.0, 4.0, float("inf"), float("nan"), float("-inf"), 8.0]})
    crashed = Training(base / "crashed", ["loss/train"])
    crashed.write(40)
    crashed.kill()
    running = Training(base / "running", ["loss/train", "accuracy"])
    running.write(100)
    with Dashboard.start(base) as dashboard:
        yield dashboard
    running.kill()


@pytest.fixture(scope="package")
def real_data() -> Path:
    """The directory of files that MindSpore and TensorBoard wrote."""
    directory = (ROOT / os.environ.get("MINDINSIGHT_TEST_DATA", "../shared/data")).resolve()
    if not (directory / "mindspore" / "facts.json").is_file():
        pytest.skip(f"no real event files in {directory}; MINDINSIGHT_TEST_DATA names the directory that has them")
    return directory
