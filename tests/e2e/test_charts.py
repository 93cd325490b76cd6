"""What a chart can do: marks and counts, zoom with its way back, axes, exports."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Download, Locator, Page, expect

from summaries import SummaryWriter
from summaries.records import frame
from summaries.schema.tensorboard_layout_pb2 import Layout
from summaries.schema.tensorboard_pb2 import DataType, Event
from tests.dashboard import Dashboard, wait_until

from .conftest import StartDashboard
from .pages import card, reload
from .visits import Visits

POINTS = 30_000
ODD = {1000: math.nan, 2000: math.inf, 3000: -math.inf, 4000: -2.0, 5000: 0.0}


def loss(step: int) -> float:
    if step in ODD:
        return ODD[step]
    return 500.0 if step % 2503 == 0 else 1.0 + (step * 7919 % 1000) / 1000


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    base = tmp_path_factory.mktemp("charts")
    with SummaryWriter(base / "long") as writer:
        for step in range(100, 100 + POINTS):
            writer.add_scalar("loss", loss(step), step)
            if step % 10 == 0:
                writer.add_scalar("accuracy", step / POINTS, step)
    with Dashboard.start(base) as dashboard:
        yield dashboard


def chips(page: Page) -> Locator:
    return card(page, "loss").locator(".chips")


def drag(page: Page, frm: tuple[float, float], to: tuple[float, float], **keys: bool) -> None:
    """Drags over the plot, in parts of its width and height."""
    box = card(page, "loss").locator(".u-over").bounding_box()
    assert box is not None
    if keys.get("shift"):
        page.keyboard.down("Shift")
    page.mouse.move(box["x"] + frm[0] * box["width"], box["y"] + frm[1] * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + to[0] * box["width"], box["y"] + to[1] * box["height"], steps=4)
    page.mouse.up()
    if keys.get("shift"):
        page.keyboard.up("Shift")


def shown(page: Page) -> tuple[float, float]:
    """The range in the address."""
    found = re.search(r"range=([\d.]+)~([\d.]+)", page.url)
    assert found is not None
    return float(found[1]), float(found[2])


def export(page: Page, way: str) -> Download:
    card(page, "loss").get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        card(page, "loss").get_by_role("menuitem", name=re.compile(way)).click()
    return download.value


def test_rules_and_what_cannot_be_seen_are_counted_over_every_point(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, f"/scalars?smooth=0&y=log&outliers=clip&mark={quote('>1.5')}")
    hits = sum(loss(step) > 1.5 for step in range(100, 100 + POINTS))
    spikes = sum(loss(step) == 500 for step in range(100, 100 + POINTS))
    expect(chips(page)).to_contain_text(f"{hits:,} > 1.5")
    expect(chips(page)).to_contain_text("2 ≤ 0 hidden")
    expect(chips(page)).to_contain_text(f"{spikes} above")
    expect(card(page, "loss").locator(".odd")).to_contain_text("3 not finite")
    page.goto(f"{page.url}&range=100~2600")
    some = sum(loss(step) > 1.5 for step in range(100, 2601))
    expect(chips(page)).to_contain_text(f"{some:,} > 1.5")


def test_a_box_is_zoomed_moved_and_stepped_back_from(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/scalars?smooth=0")
    expect(card(page, "loss").locator(".u-over")).to_be_visible()
    drag(page, (0.2, 0.3), (0.6, 0.9))
    page.wait_for_url(re.compile("range="))
    low, high = shown(page)
    assert low == pytest.approx(0.2 * POINTS, rel=0.2)
    assert high == pytest.approx(0.6 * POINTS, rel=0.1)
    expect(chips(page)).to_contain_text("above")
    drag(page, (0.8, 0.5), (0.4, 0.5), shift=True)
    page.wait_for_function("before => !location.href.includes(`range=${before}`)", arg=f"{low:g}")
    expect(page).not_to_have_url(re.compile(re.escape(f"~{high:g}")))
    moved = shown(page)
    assert moved[0] > low
    assert moved[1] - moved[0] == pytest.approx(high - low, rel=0.01)
    plot = card(page, "loss").get_by_role("slider")
    plot.press("Backspace")
    page.wait_for_function("x => Math.abs(Number(/range=([\\d.]+)/.exec(location.href)?.[1]) - x) < 1", arg=low)
    plot.press("Backspace")
    expect(page).not_to_have_url(re.compile("range="))


def test_the_table_of_a_zoomed_chart_is_that_of_the_range(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/scalars?smooth=0&pin=accuracy&range=659.4~763.2&at=704")
    table = card(page, "accuracy").get_by_role("region", name="accuracy: values")
    expect(table.locator(".within")).to_contain_text("659\u2013763")
    expect(page.locator(".toolbar")).to_contain_text("659\u2013763")
    expect(table.locator("tbody td")).to_have_text(["0.02333", "0.02333", "0.02200", "660", "0.02533", "760"])


def test_exports_have_what_the_chart_shows(dashboard: Dashboard, visit: Visits, tmp_path: Path) -> None:
    page = visit(dashboard, "/scalars?smooth=mean:0.9&range=1000~20000")
    expect(card(page, "loss").locator(".u-over")).to_be_visible()
    drawing = tmp_path / "loss.svg"
    export(page, "SVG").save_as(drawing)
    text = drawing.read_text(encoding="utf-8")
    assert all(words in text for words in ("<title>loss</title>", ">long</text>", ">step</text>", ">10k</text>"))
    picture = tmp_path / "loss.png"
    export(page, "PNG").save_as(picture)
    data = picture.read_bytes()
    assert int.from_bytes(data[16:20]) == 1520
    every = tmp_path / "all.csv"
    export(page, "All values").save_as(every)
    rows = list(csv.DictReader(io.StringIO(every.read_text(encoding="utf-8"))))
    assert [int(row["step"]) for row in rows] == list(range(1000, 20_001))
    assert rows[0]["value"] == "NaN"
    some = tmp_path / "shown.csv"
    export(page, "Values shown").save_as(some)
    table = list(csv.DictReader(io.StringIO(some.read_text(encoding="utf-8"))))
    assert {row["value"] for row in table} >= {"NaN", "Infinity", "-Infinity", "500"}
    assert "smoothed" in table[0]
    figure = tmp_path / "loss.tex"
    export(page, "LaTeX").save_as(figure)
    assert r"\addlegendentry{long}" in figure.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("x=relative-step&range=0~10000", "4,99|5,00"),
        ("x=relative-step&xs=log", ""),
        ("x=relative&xs=symlog&smooth=gaussian:0.8", ""),
        ("x=tag:accuracy&range=0.2~0.4", r"0\.(3|29)"),
    ],
)
def test_every_axis_reads_the_value_at_the_pointer(dashboard: Dashboard, visit: Visits, query: str, place: str) -> None:
    page = visit(dashboard, f"/scalars?{query}")
    over = card(page, "loss").locator(".u-over")
    over.hover()
    values = card(page, "loss").locator("tbody tr")
    expect(values).to_have_count(1)
    expect(values.locator("td").first).to_have_text(re.compile(r"\d"))
    if place:
        expect(card(page, "loss").locator("thead")).to_contain_text(re.compile(place))


def test_tags_of_different_size_have_an_axis_each(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/scalars?smooth=0&range=10000~20000")
    page.get_by_role("button", name="Make a chart of several tags").click()
    editor = page.locator("form.editor")
    editor.get_by_label("accuracy", exact=True).check()
    editor.get_by_label("loss", exact=True).check()
    editor.get_by_role("button", name="Right axis: accuracy").press("Enter")
    editor.get_by_role("button", name="Make a chart").click()
    chart = card(page, "accuracy + loss")
    expect(chart.locator("figcaption")).to_contain_text(re.compile("^loss: .*; accuracy: "))
    expect(page).to_have_url(re.compile("chart=accuracy(%20|\\+)%2B(%20|\\+)loss=accuracy,loss=accuracy"))
    chart.get_by_role("button", name="Values as a table").click()
    rows = chart.locator("tbody tr")
    expect(rows.filter(has_text="right axis")).to_have_count(1)
    expect(rows.filter(has_text="right axis")).to_contain_text("accuracy")
    reload(page)
    chart.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        chart.get_by_role("menuitem", name="Drawing (SVG)").click()
    drawing = download.value.path().read_text(encoding="utf-8")
    # Accuracy goes from a third to two thirds there, loss up to 500: no axis has the ticks of both.
    assert all(f">{words}</text>" in drawing for words in ("← loss", "accuracy →", "500", "0.5"))


def test_all_charts_are_taken_along_at_once(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/scalars?smooth=0&range=1000~2000")
    expect(card(page, "loss").locator(".u-over")).to_be_visible()

    def take(way: str) -> bytes:
        page.get_by_role("button", name="Export all charts").click()
        with page.expect_download() as download:
            page.get_by_role("menuitem", name=way).click()
        return download.value.path().read_bytes()

    picture = take("One picture")
    assert int.from_bytes(picture[16:20]) == 2 * 1520
    drawing = take("One drawing").decode()
    assert drawing.count("<svg") == 1
    assert all(f">{tag}</text>" in drawing for tag in ("loss", "accuracy"))
    for way in ("Values shown of all", "All values"):
        table = list(csv.DictReader(io.StringIO(take(way).decode())))
        assert {row["tag"] for row in table} == {"loss", "accuracy"}
        steps = [int(row["step"]) for row in table if row["tag"] == "accuracy"]
        assert steps == list(range(1000, 2001, 10))


def test_the_chart_in_hand_is_exported_by_a_key(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/scalars")
    expect(card(page, "loss").locator(".u-over")).to_be_visible()
    page.keyboard.press("c")
    page.keyboard.press("e")
    expect(page.get_by_role("menu", name="Export loss")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_have_count(0)


@pytest.mark.parametrize("kind", ["0.9", "mean:0.9", "gaussian:0.9"])
def test_smoothing_is_of_the_whole_series_whatever_is_shown(dashboard: Dashboard, visit: Visits, kind: str) -> None:
    page = visit(dashboard, f"/scalars?pin=accuracy&at=14010&smooth={kind}")
    smooth = card(page, "accuracy").locator("tbody td").nth(1)
    expect(smooth).to_have_text(re.compile(r"0\.4\d+"))
    whole = float(smooth.inner_text())
    page.goto(f"{page.url}&range=14000~16000")
    # A curve that began where the view begins would have another value there, by more than a hundredth.
    near = re.compile("|".join(re.escape(f"{whole + off / 10_000:.4g}") for off in range(-10, 11)))
    expect(smooth).to_have_text(near)


def test_a_sentence_says_what_a_curve_does(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/scalars?smooth=0")
    says = card(page, "accuracy").locator("figcaption")
    expect(says).to_contain_text(re.compile(r"max 1 at 30,090, rising for the last [\d,]+ steps"))


def test_a_runs_own_layout_has_its_charts(start_dashboard: StartDashboard, visit: Visits, tmp_path: Path) -> None:
    layout = Layout()
    layout.category.add(title="Mine").chart.add(title="Both losses").multiline.tag.append("loss/.*")
    events = [Event(wall_time=1.0, file_version="brain.Event:2")]
    for step in range(5):
        events.append(Event(wall_time=2.0 + step, step=step))
        for tag in ("loss/train", "loss/test"):
            events[-1].summary.value.add(tag=tag, simple_value=1.0 / (step + 1))
    events.append(Event(wall_time=9.0))
    value = events[-1].summary.value.add(tag="custom_scalars__config__")
    value.metadata.plugin_data.plugin_name = "custom_scalars"
    value.tensor.dtype = DataType.DT_STRING
    value.tensor.string_val.append(layout.SerializeToString())
    base = tmp_path / "base"
    (base / "run").mkdir(parents=True)
    (base / "run" / "events.out.tfevents.1.host").write_bytes(
        b"".join(frame(one.SerializeToString()) for one in events)
    )
    dashboard = start_dashboard(base)
    wait_until(lambda: bool(dashboard.get_json("/api/scalars/layouts")["charts"]), 30, "the layout")
    page = visit(dashboard, "/scalars")
    expect(page.get_by_role("heading", name="Both losses")).to_be_visible()
    expect(page.get_by_text("custom_scalars")).to_have_count(0)
