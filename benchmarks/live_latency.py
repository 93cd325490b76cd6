"""The time of a point from the training's flush to the pixels of an open page.

Twenty trainings write ten tags ten times a second and flush each step; Chromium shows all of it on one page. Times are
from just before the flush to the end of the frame in which the point was drawn; both clocks are this machine's. Every
point counts. TensorBoard's API, which its page needs as well, is polled for its newest point.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.environments import our_program, tensorboard_program
from benchmarks.measuring.figures import Figure, Measurement, Options, median, quantile, run, say
from benchmarks.measuring.live_writer import RUNS, TAGS, LiveTrainings
from benchmarks.measuring.painting import Note, delays_of, painted_tags, read_notes, take_notes
from benchmarks.measuring.processes import Program, cpu_seconds, wait_for
from benchmarks.startup import READY, free_port, our_command

MEDIAN_TARGET_MS, P95_TARGET_MS = 100.0, 250.0
TENSORBOARD = "TensorBoard 2.21"
RECORDED_TENSORBOARD_PAGE_MS, RECORDED_TENSORBOARD_API_MS, RECORDED_MINDINSIGHT_MS = 24_800.0, 2_870.0, 3_000.0
WARM_UP_S = 5.0
FLAGS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
    "--disable-gpu",
    "--disable-quic",
)


@dataclass(frozen=True)
class Watched:
    """What one measurement with a page gave.

    Attributes:
        delays: milliseconds from flush to paint of every point that was painted.
        painted: share of the points that were painted.
        packed: milliseconds from flush until the server put each point into a frame.
        arrived: milliseconds from flush until each point was handed to the page.
        cpu: processor time of all server processes, as a share of one core.
    """

    delays: list[float]
    painted: float
    packed: list[float]
    arrived: list[float]
    cpu: float


def get_json(address: str) -> Any:
    """The JSON at an address."""
    with urlopen(address, timeout=10) as answer:
        return json.load(answer)


def tag_owners(address: str) -> dict[int, str]:
    """The name of the run that each tag's number belongs to."""
    runs = {row["number"]: row["name"] for row in get_json(f"{address}/api/runs")["results"]}
    groups = get_json(f"{address}/api/scalars/tags")["tags"]
    return {series["series"]: runs[series["run"]] for group in groups for series in group["series"]}


@contextmanager
def browser_page() -> Iterator[Page]:
    """A page so tall that all charts are in view."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 1600, "height": 1500})
        take_notes(page)
        yield page
        browser.close()


def watch_page(options: Options) -> Watched:
    """Opens the page on live trainings and takes the time of every point."""
    with tempfile.TemporaryDirectory() as folder, browser_page() as page:
        base = Path(folder, "summaries")
        base.mkdir()
        command = our_command(our_program(), base, Path(folder, "workspace"))
        with Program(command) as dashboard:
            address = dashboard.seconds_until_line(READY)[1].split()[-1].rstrip("/")
            trainings = LiveTrainings("mindinsight", base, Path(folder, "flushed.json"))
            try:
                return _watch(page, address, dashboard, trainings, 20.0 if not options.quick else 8.0)
            finally:
                trainings.kill()


def _watch(page: Page, address: str, dashboard: Program, trainings: LiveTrainings, seconds: float) -> Watched:
    wait_for(lambda: len(tag_owners(address)) == RUNS * TAGS, "the trainings on the dashboard")
    page.goto(f"{address}/scalars?runs=all")
    wait_for(lambda: painted_tags(page) == RUNS * TAGS, "all charts on the page")
    page.wait_for_timeout(WARM_UP_S * 1000)
    family = dashboard.family()
    began, used = time.time(), cpu_seconds(family)
    page.wait_for_timeout(seconds * 1000)
    ended, used = time.time(), cpu_seconds(family) - used
    # What was flushed last gets the time of a slow frame or two to arrive.
    page.wait_for_timeout(2000)
    notes, owners = read_notes(page), tag_owners(address)
    flushed = trainings.finish()

    def delays(of: Sequence[Note]) -> tuple[list[float], float]:
        return delays_of(of, owners, flushed, began, ended)

    painted, share = delays(notes.painted)
    return Watched(painted, share, delays(notes.packed)[0], delays(notes.arrived)[0], used / (ended - began))


def ask_tensorboard(program: Path, reload_interval: int, seconds: float) -> list[float]:
    """Milliseconds until TensorBoard's API has the points of one of the same trainings."""
    with tempfile.TemporaryDirectory() as folder:
        base, port = Path(folder, "summaries"), free_port()
        trainings = LiveTrainings("tensorboard", base, Path(folder, "flushed.json"))
        options = ["--port", str(port), "--host", "127.0.0.1", "--reload_interval", str(reload_interval)]
        try:
            with Program([program, "--logdir", base, *options]) as peer:
                address = f"http://127.0.0.1:{port}/data/plugin/scalars/scalars?run=run_10&tag=tag_5"
                peer.seconds_until_answer(f"http://127.0.0.1:{port}/data/environment")
                wait_for(lambda: _newest_step(address) >= 0, "the trainings in TensorBoard")
                seen = _poll(address, seconds)
                times = trainings.finish()["run_10"]
        finally:
            trainings.kill()
    delays = [
        (moment - times[step]) * 1000
        for (before, _), (newest, moment) in pairwise(seen)
        for step in range(before + 1, newest + 1)
    ]
    return delays or [float("nan")]


def _poll(address: str, seconds: float) -> list[tuple[int, float]]:
    """Every new newest step with the time at which it was seen."""
    seen = [(_newest_step(address), time.time())]
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        newest = _newest_step(address)
        if newest > seen[-1][0]:
            seen.append((newest, time.time()))
        time.sleep(0.1)
    return seen


def _newest_step(address: str) -> int:
    try:
        points = get_json(address)
    except (HTTPError, ValueError):
        return -1
    return int(points[-1][1]) if points else -1


def measure(options: Options) -> list[Figure]:
    """Our page, then TensorBoard's API with its two usual intervals."""
    say("our page …")
    watched = watch_page(options)
    middle, late = median(watched.delays), quantile(watched.delays, 0.95)
    say(f"{len(watched.delays)} points; slowest {max(watched.delays):.0f} ms")
    name = "live_median"
    what = "flush to painted, median"
    figures = [
        Figure(name, what, "ms", middle, MEDIAN_TARGET_MS, RECORDED_TENSORBOARD_PAGE_MS, f"{TENSORBOARD} page", True),
        Figure("live_p95", "flush to painted, 95 of 100 points", "ms", late, P95_TARGET_MS),
        Figure("live_packed", "of it, until the server sends", "ms", median(watched.packed)),
        Figure("live_arrived", "of it, until the page has it", "ms", median(watched.arrived)),
        Figure("live_painted", "points painted", "%", 100 * watched.painted, 100.0, more_is_better=True),
        Figure("live_server_cpu", "all server processes, of one core", "%", 100 * watched.cpu),
        Figure(
            "live_vs_mindinsight",
            what,
            "ms",
            middle,
            MEDIAN_TARGET_MS,
            RECORDED_MINDINSIGHT_MS,
            "MindInsight 2.3.1",
            True,
        ),
    ]
    peer = None if options.quick or not options.wants("live_vs_api_5s", "live_vs_api_1s") else tensorboard_program()
    for interval in (5, 1):
        figures.append(_compare_api(middle, peer, interval))
    return figures


def _compare_api(middle: float, peer: Path | None, interval: int) -> Figure:
    name, what = f"live_vs_api_{interval}s", "our page against TensorBoard's API, medians"
    if peer is None:
        return Figure(
            name, what, "ms", middle, MEDIAN_TARGET_MS, RECORDED_TENSORBOARD_API_MS if interval == 5 else None,
            f"{TENSORBOARD} API, --reload_interval {interval}", interval == 5,
        )  # fmt: skip
    say(f"TensorBoard's API, --reload_interval {interval} …")
    theirs = median(ask_tensorboard(peer, interval, 25.0))
    return Figure(
        name, what, "ms", middle, MEDIAN_TARGET_MS, theirs, f"{TENSORBOARD} API, --reload_interval {interval}"
    )


MEASUREMENTS: dict[Measurement, Sequence[str]] = {
    measure: (
        "live_median",
        "live_p95",
        "live_packed",
        "live_arrived",
        "live_painted",
        "live_server_cpu",
        "live_vs_mindinsight",
        "live_vs_api_5s",
        "live_vs_api_1s",
    )
}

if __name__ == "__main__":
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
