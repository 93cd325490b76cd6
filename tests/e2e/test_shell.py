"""The frame around every page: palette, undo and redo, the run column, density, keys, small windows."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.dashboard import Dashboard, wait_until

from .pages import PAGES, card, reload, row, wait_until_drawn
from .visits import Visits

# What can be pressed and is smaller than 24 by 24 pixels; links in a sentence may be as high as their line.
SMALL_TARGETS = """() => [
  ...document.querySelectorAll('button, a[href], select, input, [role=option], [role=radio], [role=slider]')
].filter((element) => {
    const box = element.getBoundingClientRect()
    const inField = element.closest('.field, .check, label')?.getBoundingClientRect()
    const seen = box.width > 1 && box.height > 1 && element.checkVisibility({ visibilityProperty: true })
    const large = (one) => one !== undefined && one.width >= 23.5 && one.height >= 23.5
    return seen && !element.disabled && !element.closest('p, .unseen, .skip, td') && !large(box) && !large(inField)
  })
  .map((element) => {
    const name = element.getAttribute('aria-label') ?? element.textContent.trim()
    return `${element.tagName} ${element.className} ${name}`
  })"""
# Room that people with weak eyes give to lines, words and letters.
SPACED = """(isSpaced) => {
  const sheet = new CSSStyleSheet()
  const rules = ['line-height: 1.5', 'letter-spacing: .12em', 'word-spacing: .16em']
  sheet.replaceSync(`* { ${rules.map((rule) => `${rule} !important`).join('; ')} }`)
  document.adoptedStyleSheets = isSpaced ? [sheet] : []
}"""
# What follows the window's size has followed it then.
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
WIDER_THAN_WINDOW = "document.scrollingElement.scrollWidth - document.documentElement.clientWidth"


def runs_of(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Runs").get_by_role("option")


def palette(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Go to a page, run or tag, or run an action")


def smoothing(page: Page) -> Locator:
    return page.get_by_label("Smoothing as a number")


def set_smoothing(page: Page, weight: str) -> None:
    smoothing(page).fill(weight)
    smoothing(page).press("Enter")
    smoothing(page).blur()


def test_the_palette_leads_anywhere_by_keys_alone(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/runs")
    expect(row(page, "lenet/adam")).to_be_visible()
    page.keyboard.press("Control+k")
    expect(palette(page).get_by_role("combobox")).to_be_focused()
    page.keyboard.type("loss val")
    expect(palette(page).get_by_role("option", name="loss/val")).to_have_attribute("data-highlighted", "")
    page.keyboard.press("Enter")
    expect(card(page, "loss/val")).to_be_visible()
    expect(card(page, "loss/train")).to_have_count(0)

    page.keyboard.press("Control+k")
    expect(palette(page).get_by_role("group").first).to_contain_text("Recent")
    page.keyboard.type("sgd")
    page.keyboard.press("Enter")
    expect(page.get_by_role("complementary", name="Run lenet/sgd")).to_be_visible()

    page.keyboard.press("Control+k")
    page.keyboard.type("hide lenet/sgd")
    page.keyboard.press("Enter")
    expect(row(page, "lenet/sgd").get_by_role("button", name="lenet/sgd")).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("Control+k")
    page.keyboard.type("lenet/sgd")
    expect(palette(page).get_by_role("option", name="lenet/sgd hidden")).to_be_visible()
    page.keyboard.press("Escape")

    page.keyboard.press("Control+k")
    page.keyboard.type("theme dark")
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")

    page.keyboard.press("Control+k")
    page.keyboard.type("no such thing at all")
    expect(palette(page)).to_contain_text("Nothing matches")
    page.keyboard.press("Escape")
    expect(palette(page)).to_have_count(0)


def test_the_palette_does_what_a_shortcut_does(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/scalars")
    expect(card(page, "loss/train")).to_be_visible()
    page.get_by_role("button", name="Go to a page, run or tag").click()
    page.keyboard.type("run column")
    page.keyboard.press("Enter")
    expect(page.get_by_role("listbox", name="Runs")).to_have_count(0)
    page.keyboard.press("Control+k")
    page.keyboard.type("filter tags")
    page.keyboard.press("Enter")
    expect(page.get_by_role("main").get_by_role("searchbox")).to_be_focused()


def test_changes_of_a_view_are_undone_and_done_again_in_words(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/scalars")
    expect(card(page, "loss/train")).to_be_visible()
    undo = page.get_by_role("button", name=re.compile("^(Undo:|Nothing to undo)"))
    expect(undo).to_be_disabled()
    set_smoothing(page, "0.9")
    expect(undo).to_have_accessible_name(re.compile("0.9"))
    runs_of(page).filter(has_text="diverged").click()
    expect(undo).to_have_accessible_name(re.compile("Undo: Hide diverged"))

    page.keyboard.press("Control+z")
    expect(runs_of(page).filter(has_text="diverged")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_text("Undone: Hide diverged")).to_be_visible()
    undo.click()
    expect(smoothing(page)).to_have_value("0.60")
    expect(undo).to_be_disabled()

    page.keyboard.press("Control+Shift+Z")
    expect(smoothing(page)).to_have_value("0.90")
    page.get_by_role("button", name=re.compile("^Redo: Hide diverged")).click()
    expect(runs_of(page).filter(has_text="diverged")).to_have_attribute("aria-selected", "false")


def test_what_can_be_undone_survives_a_walk_to_other_pages(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/scalars")
    expect(card(page, "loss/train")).to_be_visible()
    set_smoothing(page, "0.9")
    page.keyboard.press("g")
    page.keyboard.press("r")
    expect(row(page, "lenet/adam")).to_be_visible()
    expect(page.get_by_role("button", name="Nothing to undo on this page")).to_be_disabled()
    page.get_by_role("link", name="Scalars").click()
    expect(smoothing(page)).to_have_value("0.90")
    page.keyboard.press("Control+z")
    expect(smoothing(page)).to_have_value("0.60")


def test_typing_keeps_its_own_undo(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/scalars")
    expect(card(page, "loss/train")).to_be_visible()
    set_smoothing(page, "0.9")
    page.keyboard.press("/")
    page.keyboard.press("Control+z")
    expect(smoothing(page)).to_have_value("0.90")


def see_width(column: Locator, width: float) -> None:
    """Waits until the column is so wide, give or take a pixel."""

    def is_so_wide() -> bool:
        box = column.bounding_box()
        return box is not None and abs(box["width"] - width) <= 1

    wait_until(is_so_wide, 10, f"a column {width} pixels wide")


def test_the_run_column_is_dragged_typed_and_remembered(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/scalars")
    column = page.locator("aside.runcol")
    edge = page.get_by_role("separator", name=re.compile("run column"))
    expect(edge).to_have_attribute("aria-valuenow", "272")
    box = edge.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 4, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 104, box["y"] + 120, steps=5)
    page.mouse.up()
    see_width(column, 372)
    edge.press("ArrowLeft")
    see_width(column, 356)
    reload(page)
    expect(edge).to_have_attribute("aria-valuenow", "356")
    edge.press("Home")
    see_width(column, 200)
    edge.dblclick()
    see_width(column, 272)
    edge.blur()
    page.keyboard.press("b")
    expect(column).to_have_count(0)
    reload(page)
    page.get_by_role("button", name="Show the run column (b)").click()
    expect(column).to_be_visible()


def test_ranges_of_runs_are_marked_and_isolated(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/scalars")
    options = runs_of(page)
    expect(options).to_have_count(5)
    for key in ("ArrowDown", "x", "ArrowDown", "X", "o"):
        page.keyboard.press(key)
    expect(page.get_by_text("2 of 5 shown")).to_be_visible()
    expect(page.get_by_text("2 runs marked")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("2 runs marked")).to_have_count(0)


def test_the_run_column_understands_queries(showroom: Dashboard, visit: Visits, troubles: Any) -> None:
    troubles.expect("400")
    page = visit(showroom, "/scalars")
    field = page.get_by_role("searchbox", name="Filter runs")
    field.fill("state:crashed or last(loss/val) < 0.3")
    expect(runs_of(page)).to_have_count(2)
    field.fill("last(loss/val) <")
    expect(page.get_by_role("alert")).to_contain_text("invalid")
    field.fill("adam")
    expect(runs_of(page)).to_have_count(1)


def test_density_sets_rows_and_text(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/settings")

    body = page.locator("body")

    def see(text: str, row: str) -> None:
        expect(body).to_have_css("font-size", text)
        expect(body).to_have_css("--row", row)

    see("13px", "1.75rem")
    page.get_by_role("radio", name="Normal").click()
    see("14px", "2.25rem")
    reload(page)
    see("14px", "2.25rem")
    page.goto(showroom.address + "/scalars")
    option = runs_of(page).first
    expect(option).to_be_visible()
    assert option.bounding_box() is not None
    assert (option.bounding_box() or {})["height"] == 36


def test_a_shortcut_is_given_another_key(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/scalars")
    expect(card(page, "loss/train")).to_be_visible()
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("button", name="Change the key for: Open or close the run column").click()
    page.keyboard.press("o")
    expect(page.get_by_text("o already means: Show only this run")).to_be_visible()
    page.keyboard.press("q")
    expect(page.get_by_text("Open or close the run column: q")).to_be_visible()
    page.get_by_role("link", name="Scalars").click()
    column = page.get_by_role("listbox", name="Runs")
    expect(column).to_be_visible()
    page.keyboard.press("b")
    expect(column).to_be_visible()
    page.keyboard.press("q")
    expect(column).to_have_count(0)


def test_without_single_keys_those_with_control_still_work(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/settings")
    page.get_by_role("radiogroup", name="Keyboard shortcuts").get_by_role("radio", name="Off").click()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Control+k")
    expect(palette(page)).to_be_visible()


SIZES = [(1440, 900), (1024, 768), (640, 512), (320, 640), (320, 256)]


def test_every_page_fits_its_window_and_what_is_pressed_is_large_enough(showroom: Dashboard, visit: Visits) -> None:
    page = visit.window(showroom)
    small: dict[tuple[str, int, int], list[str]] = {}
    wide: list[tuple[str, int, int, bool]] = []
    for path in PAGES:
        page.goto(showroom.address + path)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            wait_until_drawn(page)
            page.evaluate(TWO_FRAMES)
            small[path, width, height] = page.evaluate(SMALL_TARGETS)
            for spaced in (False, True):
                page.evaluate(SPACED, spaced)
                if page.evaluate(WIDER_THAN_WINDOW) != 0:
                    wide.append((path, width, height, spaced))
            page.evaluate(SPACED, False)
    assert wide == []
    assert {place: found for place, found in small.items() if found} == {}


def test_on_a_small_window_the_run_column_is_a_sheet(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/scalars", viewport={"width": 320, "height": 640})
    opener = page.get_by_role("button", name="Runs: 5 of 5 shown")
    opener.click()
    sheet = page.get_by_role("complementary", name="Runs")
    expect(sheet.get_by_role("searchbox")).to_be_focused()
    runs_of(page).filter(has_text="diverged").click()
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(page.get_by_role("button", name="Runs: 4 of 5 shown")).to_be_focused()


def test_forced_colours_show_what_is_chosen(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/scalars", forced_colors="active")
    expect(runs_of(page)).to_have_count(5)
    page.keyboard.press("ArrowDown")
    active = page.locator("[role=option].active")
    assert active.evaluate("(row) => getComputedStyle(row).outlineStyle") == "solid"
    current = page.get_by_role("navigation").get_by_role("link", name="Scalars")
    assert current.evaluate("(link) => getComputedStyle(link).borderStyle") == "solid"
    page.keyboard.press("Control+k")
    chosen = palette(page).locator("[data-highlighted]")
    assert chosen.evaluate("(item) => getComputedStyle(item).outlineStyle") == "solid"


def test_more_contrast_and_less_motion_are_heard(showroom: Dashboard, visit: Visits) -> None:
    page = visit(showroom, "/scalars", contrast="more", reduced_motion="reduce")
    expect(card(page, "loss/train")).to_be_visible()
    names = ["--text-2", "--text", "--t"]
    look = "(names) => names.map((name) => getComputedStyle(document.body).getPropertyValue(name))"
    muted, text, motion = page.evaluate(look, names)
    assert muted == text
    assert motion.startswith("0")
