"""The data pipeline of a training on its page, while it trains: a slow function of a map is named, with what to do."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect

from tests.dashboard import command_environment

from .conftest import StartDashboard
from .visits import Visits

# Reads until its standard input ends: whoever looks at it decides how long it trains.
TRAINING = """
import sys, threading, time
import numpy as np
import framework as ms
import framework.dataset as ds
from framework import nn

ended = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()


def planted(value):
    time.sleep(4e-3)
    return value


class UntilTold(ms.Callback):
    def on_train_step_end(self, run_context):
        if ended.is_set():
            run_context.request_stop()


ds.config.set_monitor_sampling_interval(200)
data = ds.NumpySlicesDataset({"x": np.ones((400, 3), np.float32)}, shuffle=False)
data = data.map(planted, num_parallel_workers=1).batch(4)
network = nn.Dense(3, 1)
model = ms.Model(network, optimizer=nn.SGD(network.trainable_params(), 1e-3))
model.train(1000, data, callbacks=[ms.SummaryCollector(sys.argv[1]), UntilTold()], dataset_sink_mode=False)
"""


@contextmanager
def trained(program: Path, directory: Path) -> Iterator[None]:
    """A training that goes on until the block ends."""
    program.write_text(TRAINING, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, str(program), str(directory)],
        env=command_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 0


def test_a_slow_function_is_named_while_the_training_runs(
    start_dashboard: StartDashboard, visit: Visits, tmp_path: Path
) -> None:
    dashboard = start_dashboard()
    page = visit(dashboard, "/pipeline")
    expect(page.get_by_text("No run has recorded its data pipeline")).to_be_visible()
    with trained(tmp_path / "slow.py", dashboard.base_directory / "lenet"):
        # The page was open all the while, and nothing was pressed.
        said = page.get_by_role("region", name="Bottleneck")
        expect(said).to_contain_text("planted takes", timeout=60_000)
        expect(said).to_contain_text(re.compile(r"Map \(slow\.py:\d+\)\s*is the bottleneck"))
        expect(said).to_contain_text(re.compile(r"Set num_parallel_workers=\d\. .* times as fast"))
        tree = page.get_by_role("region", name="Operators, from the sources to the training")
        node = tree.get_by_role("button", name="Map")
        expect(node).to_contain_text("bottleneck")
        expect(node).to_contain_text(re.compile(r"\d+/s"))
        expect(tree).to_contain_text(re.compile(r"waits \d+ % of the time"))

        # New records change what is shown.
        epochs = page.get_by_role("slider", name="By step")
        before = int(epochs.get_attribute("aria-valuemax") or 0)
        expect(epochs).not_to_have_attribute("aria-valuemax", str(before), timeout=30_000)

        node.click()
        panel = page.get_by_role("complementary", name="Operator Map")
        expect(panel).to_contain_text(re.compile(r"slow\.py:\d+"))
        expect(panel).to_contain_text("function of the program")
        expect(page).to_have_url(re.compile(r"operator=1"))

    # The list of runs marks the run, and the mark leads here.
    page.goto(f"{dashboard.address}/runs")
    mark = page.get_by_role("link", name=re.compile(r"data-bound \d+ %")).first
    expect(mark).to_be_visible()
    mark.click()
    expect(page.get_by_role("heading", name=re.compile("is the bottleneck"))).to_be_visible()
    expect(page).to_have_url(re.compile(r"/pipeline\?(.*&)?run=[0-9a-f]{12}"))
    # So does the graph of its arguments, which the page links.
    page.get_by_role("link", name="Arguments as a graph").click()
    expect(page).to_have_url(re.compile(r"/graph\?"))
