"""Both dashboards' pages as a person opens them: served, and timed until the first curve is on the screen."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.measuring import page_dashboards as pages
from benchmarks.measuring.data_sets import DataSet
from benchmarks.measuring.environments import our_program, tensorboard_program
from benchmarks.measuring.figures import Figure
from benchmarks.measuring.page_parts import Found, Outcome, within
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
OUR_LIMIT_S, PEER_LIMIT_S = 120.0, 120.0
NAN = float("nan")


def open_ours(window: Window, address: str, query: str = "") -> float:
    """Seconds from the navigation until the first curve is on the screen."""
    return open_page(window, f"{address}/scalars{query}", pages.OUR_PLOT)


def open_tensorboard(window: Window, address: str) -> float:
    """The same for TensorBoard's page of time series."""
    return open_page(window, f"{address}/#timeseries", pages.TENSORBOARD_PLOT)


def open_page(window: Window, address: str, plot: str) -> float:
    """The same for any page; `plot` is where its first curve will be."""
    began = time.perf_counter()
    window.page.goto(address, wait_until="commit")
    window.until_curve(plot)
    return time.perf_counter() - began


@contextmanager
def ours_with(data: DataSet) -> Iterator[Dashboard]:
    """Our dashboard once it serves everything."""
    with our_dashboard(our_program(), data.base) as dashboard:
        until_served(dashboard, ours_serves(dashboard.address, data))
        yield dashboard


@contextmanager
def tensorboard_with(data: DataSet) -> Iterator[Dashboard]:
    """TensorBoard once it serves everything."""
    with tensorboard(_installed(), data.base) as dashboard:
        until_served(dashboard, tensorboard_serves(dashboard.address, data))
        yield dashboard


def _installed() -> Path:
    program = tensorboard_program()
    if program is None:
        raise FileNotFoundError("TensorBoard is not installed")
    return program


def theirs(part: Callable[..., Found], *arguments: Any, seconds: float = PEER_LIMIT_S) -> Outcome:
    """Runs TensorBoard's part of a measurement, where it can be installed."""
    return Outcome() if tensorboard_program() is None else within(seconds, part, *arguments)


def ours(part: Callable[..., Found], *arguments: Any, seconds: float = OUR_LIMIT_S) -> Outcome:
    """Runs our part of a measurement."""
    our_program()
    return within(seconds, part, *arguments)


def figure(
    name: str, what: str, unit: str, found: Outcome, target: float | None = None, peer: Outcome | None = None,
    peer_name: str = TENSORBOARD, more_is_better: bool = False,
) -> Figure:  # fmt: skip
    """What we and a peer have found under a name."""
    number, theirs = found.of(name), None if peer is None else peer.of(name)
    missing = peer.missing if peer is not None and theirs is None else ""
    shown = NAN if number is None else number
    return Figure(name, what, unit, shown, target, theirs, peer_name, False, more_is_better, missing)
