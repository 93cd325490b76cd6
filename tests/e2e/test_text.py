"""Text as a person reads it: at a step, as Markdown or raw, searched, compared; of our files, real and hostile ones."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from summaries import SummaryWriter
from tests.dashboard import Dashboard, wait_until
from tests.mindinsight.images.pictures import tensorboard_file
from tests.mindinsight.text.event_files import table

from .conftest import StartDashboard
from .pages import reload
from .visits import Visits

LONG = 60_000
HOSTILE = [
    "<script>document.title = 'taken'</script>",
    "<img src=x onerror=\"document.title = 'taken'\">",
    "[click](javascript:document.title='taken') <a href=\"javascript:document.title='taken'\">x</a>",
    "<svg/onload=document.title='taken'><style>body { display: none }</style><iframe src=\"http://example.com\"></iframe>",
    '![picture](http://example.com/tracker.png) <form action="http://example.com"><input name=q></form>',
    "[x]: <javascript:document.title='taken'>\n[x] " + "> " * 300 + "\n" + "* " * 200 + "[" * 5000,
]


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """Two runs with samples, a third with a table, a very long text, bytes that are no UTF-8, and hostile texts."""
    base = tmp_path_factory.mktemp("texts")
    for run, steps in {"first": (0, 10, 20), "second": (0, 15)}.items():
        with SummaryWriter(base / run) as writer:
            for step in steps:
                writer.add_text("samples/story", f"# Step {step}\n\nthe **cat** of {run} saw {step} mice", step)
    with SummaryWriter(base / "third") as writer:
        writer.add_text("long", "word " * (LONG // 5), 0)
    events = [
        table("table", 0, (2, 2), b"prompt", b"answer", b"1 + 1", b"**2**"),
        table("bytes", 0, (), b"caf\xe9 \xff"),
    ]
    events += [table("hostile", step, (), text.encode()) for step, text in enumerate(HOSTILE)]
    tensorboard_file(base / "third" / "events.out.tfevents.1.host", events)
    with Dashboard.start(base) as dashboard:
        wait_until(lambda: len(dashboard.get_json("/api/text/tags")["tags"]) == 5, 30, "texts that were read")
        yield dashboard


def text_card(page: Page, tag: str, run: str) -> Locator:
    return page.get_by_role("region", name=f"{tag} of {run}", exact=True)


def panel(page: Page) -> Locator:
    return page.get_by_role("complementary", name=re.compile("in full"))


def test_texts_are_read_at_one_step(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/text?at=15&tag=story")
    expect(text_card(page, "samples/story", "second").get_by_role("heading", name="Step 15")).to_be_visible()
    expect(text_card(page, "samples/story", "first")).to_contain_text("step 10 (requested 15)")
    page.keyboard.press("ArrowRight")
    expect(text_card(page, "samples/story", "first").get_by_role("heading", name="Step 20")).to_be_visible()
    expect(text_card(page, "samples/story", "first").locator("strong")).to_have_text("cat")


def test_markdown_or_raw(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/text?tag=story")
    expect(text_card(page, "samples/story", "first").locator("strong")).to_have_text("cat")
    page.keyboard.press("m")
    expect(text_card(page, "samples/story", "first").locator("pre")).to_contain_text("the **cat** of first")
    expect(page).to_have_url(re.compile("form=raw"))
    reload(page)
    expect(page.get_by_role("radio", name="Raw")).to_be_checked()


def test_a_table_of_strings_is_a_table(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/text?tag=^table$")
    cells = text_card(page, "table", "third").get_by_role("cell")
    expect(cells).to_have_text(["prompt", "answer", "1 + 1", "2"])
    expect(cells.nth(3).locator("strong")).to_have_text("2")


def test_words_are_found_in_all_texts(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/text")
    expect(page.get_by_role("searchbox").nth(2)).to_be_visible()
    page.keyboard.press("f")
    page.keyboard.type("SECOND SAW 15")
    results = page.get_by_role("region", name=re.compile("Texts with"))
    expect(results.get_by_role("button")).to_have_count(1)
    expect(results.locator("mark")).to_have_text("second saw 15")
    expect(page.get_by_role("status").filter(has_text="Found in 1 text")).to_be_visible()
    results.get_by_role("button").click()
    expect(panel(page)).to_contain_text("step 15")
    expect(page).to_have_url(re.compile("at=15"))


def test_steps_and_runs_are_compared(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/text?tag=story&at=20")
    text_card(page, "samples/story", "first").get_by_role("button", name="Read in full, compare").click()
    choice = panel(page).get_by_role("combobox")
    choice.select_option(label="the one before")
    expect(panel(page)).to_contain_text("From first, step 10 to first, step 20")
    expect(panel(page).locator("del").first).to_have_text("10")
    expect(panel(page).locator("ins").first).to_have_text("20")
    panel(page).get_by_role("button", name="compare step 0").click()
    expect(panel(page)).to_contain_text("From first, step 0 to first, step 20")
    choice.select_option(label="second")
    expect(panel(page)).to_contain_text("From second, step 15 to first, step 20")
    reload(page)
    expect(panel(page)).to_contain_text("From second, step 15 to first, step 20")
    panel(page).get_by_role("button", name="step 0", exact=True).click()
    expect(panel(page)).to_contain_text("to first, step 0")
    page.keyboard.press("Escape")
    expect(panel(page)).to_have_count(0)


def test_a_very_long_text_is_cut_until_all_is_wanted(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/text?tag=^long$&form=raw")
    expect(text_card(page, "long", "third")).to_contain_text("The first 3,000 of 60,000 characters")
    text_card(page, "long", "third").get_by_role("button", name="Read more").click()
    body = panel(page).locator("pre")
    expect(body).to_be_visible()
    assert len(body.inner_text()) <= 20_000
    panel(page).get_by_role("button", name="Show all").click()
    page.wait_for_function(f"() => document.querySelector('aside pre').textContent.length === {LONG}")


def test_bytes_that_are_no_text_are_said_to_be(dashboard: Dashboard, visit: Visits) -> None:
    page = visit(dashboard, "/text?tag=^bytes$")
    expect(text_card(page, "bytes", "third")).to_contain_text("caf� �")
    expect(text_card(page, "bytes", "third")).to_contain_text("not UTF-8")


@pytest.mark.parametrize("form", ["markdown", "raw"])
def test_hostile_texts_do_nothing(dashboard: Dashboard, visit: Visits, form: str) -> None:
    # The window fails the test should anything be fetched from another host, or the policy have to refuse something.
    page = visit(dashboard, f"/text?tag=^hostile$&form={form}&at=0")
    for step, text in enumerate(HOSTILE):
        card = text_card(page, "hostile", "third")
        expect(card).to_contain_text(f"step {step}")
        expect(card).to_contain_text(re.compile(re.escape(re.findall(r"\w+", text)[-1])))
        assert card.locator("script, img, svg.onload, iframe, style, form, input, [onerror], [onload]").count() == 0
        assert card.locator("a").evaluate_all("(links) => links.every((one) => /^https?:/.test(one.href))")
        for link in card.locator("a").all():
            expect(link).to_have_attribute("rel", re.compile("noopener"))
        page.keyboard.press("ArrowRight")
    assert page.title() == "Text · MindInsight"


def test_a_new_text_appears_by_itself(start_dashboard: StartDashboard, visit: Visits, tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "summaries" / "run") as writer:
        writer.add_text("log", "early words", 0)
        writer.flush()
        page = visit(start_dashboard(), "/text")
        expect(text_card(page, "log", "run")).to_contain_text("early words")
        writer.add_text("log", "late words", 7)
        writer.flush()
        expect(text_card(page, "log", "run")).to_contain_text("late words")
        expect(text_card(page, "log", "run")).to_contain_text("step 7")


def test_real_texts(start_dashboard: StartDashboard, visit: Visits, real_data: Path, tmp_path: Path) -> None:
    base = tmp_path / "summaries"
    for run in ("adam_lr0.001", "sgd_lr0.1"):
        shutil.copytree(real_data / "tensorboard" / run, base / run, copy_function=shutil.copyfile)
    dashboard = start_dashboard(base)
    wait_until(lambda: dashboard.get_json("/api/text/tags")["tags"], 30, "texts that were read")
    page = visit(dashboard, "/text")
    expect(text_card(page, "notes/text_summary", "adam_lr0.001").get_by_role("heading", name="Digits")).to_be_visible()
    expect(text_card(page, "notes/text_summary", "adam_lr0.001").locator("strong")).to_have_text("0.001")
    expect(text_card(page, "notes/text_summary", "sgd_lr0.1").locator("table")).to_be_visible()


def test_a_file_that_is_gone_is_named(
    start_dashboard: StartDashboard, visit: Visits, tmp_path: Path, troubles: Any
) -> None:
    with SummaryWriter(tmp_path / "summaries" / "run") as writer:
        writer.add_text("log", "words", 0)
    dashboard = start_dashboard()
    wait_until(lambda: dashboard.get_json("/api/text/tags")["tags"], 30, "texts that were read")
    assert writer.path is not None
    data = bytearray(writer.path.read_bytes())
    data[data.index(b"words")] ^= 1
    writer.path.chmod(0o600)
    with writer.path.open("r+b") as file:
        file.write(data)
    page = visit(dashboard, "/text")
    expect(text_card(page, "log", "run")).to_contain_text("is damaged or was replaced")
