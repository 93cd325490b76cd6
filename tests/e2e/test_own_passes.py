"""A training of the framework dumps its passes, and the graph page walks through them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.dashboard import Dashboard, wait_until

from .graph_page import DRAWN, analysed, hits, panel, query, tree, until
from .visits import Visits

STEPS = ("00_infer", "01_inline", "02_algebra")
INFERRED, INLINED, LAST = (f"pass:small:passes/TrainOneStepCell/{name}" for name in STEPS)

TRAINING = textwrap.dedent(
    """
    import sys

    import numpy as np

    import framework as ms
    from framework import Tensor, nn
    from summaries import SummaryWriter

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(1, 4, 3, pad_mode="valid")
            self.relu = nn.ReLU()
            self.flatten = nn.Flatten()
            self.fc1 = nn.Dense(144, 10)
            self.fc2 = nn.Dense(10, 2)

        def construct(self, x):
            x = self.flatten(self.relu(self.conv(x)))
            return self.fc2(self.relu(self.fc1(x)))

    ms.set_context(mode=ms.GRAPH_MODE, save_graphs=True, save_graphs_path=sys.argv[1] + "/passes")
    net = Net()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
    images, labels = Tensor(np.ones((2, 1, 8, 8), np.float32)), Tensor(np.array([0, 1], np.int32))
    with SummaryWriter(sys.argv[1]) as writer:
        writer.add_scalar("loss", float(step(images, labels).asnumpy()), 0)
    """
)


@pytest.fixture(scope="module")
def dumped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard with one training and the passes of its step."""
    base = tmp_path_factory.mktemp("own")
    script = base.parent / f"{base.name}.py"
    script.write_text(TRAINING)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run([sys.executable, str(script), str(base / "small")], check=True, env=environment)
    with Dashboard.start(base) as dashboard:
        for graph in (INFERRED, INLINED, LAST):
            wait_until(partial(analysed, dashboard, graph), 60, graph)
        yield dashboard


def test_the_passes_of_a_training_are_walked_through(dumped: Dashboard, visit: Visits) -> None:
    page = visit(dumped, "/graph")
    page.locator(DRAWN).wait_for()
    slider = page.get_by_role("slider", name="Pass")
    expect(slider).to_have_attribute("aria-valuetext", "1 of 5: infer")
    counts = [nodes_told(page)]
    slider.focus()
    for graph, value in ((INLINED, "2 of 5: inline"), (LAST, "3 of 5: algebra")):
        page.keyboard.press("ArrowRight")
        until(page, lambda now, graph=graph: now.get("graph") == [graph])  # type: ignore[misc]
        expect(slider).to_have_attribute("aria-valuetext", value)
        expect(panel(page)).not_to_contain_text(f"Nodes{counts[-1]}Edges")
        page.locator(DRAWN).wait_for()
        counts.append(nodes_told(page))
    assert int(counts[2]) < int(counts[1])


def nodes_told(page: Page) -> str:
    """The number of nodes in the panel."""
    expect(panel(page)).to_contain_text(re.compile(r"Nodes[\d,]+Edges"))
    found = re.search(r"Nodes([\d,]+)Edges", panel(page).text_content() or "")
    assert found is not None
    return found[1]


def test_operators_of_one_kernel_have_one_colour(dumped: Dashboard, visit: Visits) -> None:
    (fused,) = [one["graph"] for one in passes_of(dumped) if one["graph"].endswith("_fusion")]
    page = visit(dumped, f"/graph?graph={fused}&colour=kernel")
    page.locator(DRAWN).wait_for()
    entries = page.get_by_role("list", name="Colours").get_by_role("listitem")
    expect(entries.first).to_have_text("kernel 0")
    page.keyboard.press("/")
    page.keyboard.type("fc1 BiasAdd")
    hits(page).get_by_role("option").first.click()
    expect(entries.last).to_have_text("in none")
    expect(panel(page)).to_contain_text(re.compile(r"Fused kernel\s*\d+"))
    page = visit(dumped, f"/graph?graph={INFERRED}&colour=kernel")
    expect(page.get_by_role("note")).to_contain_text("This graph has no information on fusion")
    expect(page.get_by_role("note")).to_contain_text("MS_DUMP_IR=")


def passes_of(dashboard: Dashboard) -> list[dict[str, str]]:
    """The passes of the training."""
    return next(one["passes"] for one in dashboard.get_json("/api/graphs/sources")["sources"] if one["passes"])


def test_an_operator_of_the_program_has_its_name_and_its_source(dumped: Dashboard, visit: Visits) -> None:
    page = visit(dumped, f"/graph?graph={LAST}")
    page.locator(DRAWN).wait_for()
    # Where a layer stands the names of its weights say, without the numbers that dumps put before them.
    expect(tree(page)).not_to_contain_text("para_")
    tree(page).get_by_role("treeitem", name=re.compile("Default")).click()
    page.keyboard.press("ArrowRight")
    expect(tree(page)).to_contain_text("conv")
    page.keyboard.press("/")
    page.keyboard.type("Conv2D-op0")
    hits(page).get_by_role("option").first.click()
    for text in ("Conv2D-op0", "conv-Conv2d", "x = self.conv2d(x, self.weight)"):
        expect(panel(page)).to_contain_text(text)
    assert query(page)["graph"] == [LAST]
