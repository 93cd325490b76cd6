"""Both dashboards' pages as a person opens them: served, and timed until the first curve is on the screen."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from benchmarks.measuring import page_dashboards as pages
from benchmarks.measuring.data_sets import DataSet
from benchmarks.measuring.environments import our_program, tensorboard_program
from benchmarks.measuring.figures import median
from benchmarks.measuring.page_window import Window
from benchmarks.measuring.serving import (
    Dashboard,
    our_dashboard,
    ours_serves,
    tensorboard,
    tensorboard_serves,
    until_served,
)

TENSORBOARD = "TensorBoard 2.21"
NAN = float("nan")


def timed(act: Callable[[], None]) -> float:
    """Seconds that something takes."""
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def open_ours(window: Window, address: str, query: str = "") -> float:
    """Seconds from the navigation until the first curve is on the screen."""
    return timed(lambda: _go(window, f"{address}/scalars{query}", pages.OUR_PLOT))


def open_tensorboard(window: Window, address: str) -> float:
    """The same for TensorBoard's page of time series."""
    return timed(lambda: _go(window, f"{address}/#timeseries", pages.TENSORBOARD_PLOT))


def _go(window: Window, address: str, plot: str) -> None:
    window.page.goto(address, wait_until="commit")
    window.until_curve(plot)


@contextmanager
def ours_with(data: DataSet) -> Iterator[Dashboard]:
    """Our dashboard once it serves everything."""
    with our_dashboard(our_program(), data.base) as dashboard:
        until_served(dashboard, ours_serves(dashboard.address, data))
        yield dashboard


@contextmanager
def tensorboard_with(data: DataSet) -> Iterator[Dashboard | None]:
    """TensorBoard once it serves everything, None where it cannot be installed."""
    program = tensorboard_program()
    if program is None:
        yield None
        return
    with tensorboard(program, data.base) as dashboard:
        until_served(dashboard, tensorboard_serves(dashboard.address, data))
        yield dashboard


def median_or_none(values: Sequence[float]) -> float | None:
    """The middle of several measurements, None without any."""
    return median(values) if values else None
