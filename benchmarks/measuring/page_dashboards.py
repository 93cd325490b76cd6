"""Where the charts are on the pages that are measured, and how a person does things there: ours and TensorBoard's."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Page

OUR_PLOT = ".card .plot-overlay"
OUR_CHARTS = "#main .scroll"
TENSORBOARD_PLOT = "scalar-card line-chart .series-view"
TENSORBOARD_CHARTS = "metrics-main-view"
# Ours, in milliseconds since 1970: when points were there, when the mouse was let go, and from then on each frame in
# which the first chart looked different from the frame before.
NOTE_ZOOM = """
window.__fetched = []
window.__released = 0
window.__redrawn = []
const plainFetch = window.fetch
window.fetch = async (...given) => {
  const answer = await plainFetch(...given)
  const url = String(given[0]?.url ?? given[0])
  if (url.includes('/api/scalars/points')) {
    answer.clone().arrayBuffer().then(() => window.__fetched.push(performance.timeOrigin + performance.now()))
  }
  return answer
}
const look = () => {
  const canvas = document.querySelector('.card canvas')
  const { data } = canvas.getContext('2d').getImageData(0, canvas.height * 0.4, canvas.width, canvas.height * 0.2)
  let sum = 0
  for (let at = 0; at < data.length; at += 4) sum = (sum * 31 + data[at] + data[at + 3]) | 0
  return sum
}
addEventListener('pointerup', (event) => {
  window.__released = performance.timeOrigin + event.timeStamp
  const until = performance.now() + 1400
  let before = look()
  const watch = () => {
    const now = look()
    if (now !== before) window.__redrawn.push(performance.timeOrigin + performance.now())
    before = now
    if (performance.now() < until) requestAnimationFrame(watch)
  }
  requestAnimationFrame(watch)
}, true)
"""


@dataclass(frozen=True)
class Zoom:
    """One zoom by dragging.

    Attributes:
        refined: milliseconds from letting the mouse go until the finer points are on the screen; None without any.
        requests: how many times points were asked for.
    """

    refined: float | None
    requests: int


def drag_over(page: Page, selector: str, begin: float, end: float) -> None:
    """Drags over a part of a plot, both ends as shares of its width."""
    box = page.locator(selector).first.bounding_box()
    if box is None:
        raise TimeoutError(f"{selector} is not in view")
    height = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + begin * box["width"], height)
    page.mouse.down()
    page.mouse.move(box["x"] + (begin + end) / 2 * box["width"], height, steps=4)
    page.mouse.move(box["x"] + end * box["width"], height, steps=4)
    page.mouse.up()


def zoom_ours(page: Page, begin: float, end: float) -> Zoom:
    """Zooms the first chart of our page and takes the time until the points of that range are drawn."""
    page.evaluate("window.__fetched = []; window.__redrawn = []")
    drag_over(page, f"{OUR_PLOT} >> nth=0", begin, end)
    page.wait_for_timeout(1500)
    fetched: list[float] = page.evaluate("window.__fetched")
    released = float(page.evaluate("window.__released"))
    redrawn: list[float] = page.evaluate("window.__redrawn")
    after = [moment for moment in redrawn if fetched and moment >= fetched[0]]
    return Zoom(after[0] - released if after else None, len(fetched))


def select_all_in_tensorboard(page: Page) -> None:
    """Ticks the box above all runs."""
    page.locator("tb-data-table-header-cell mat-checkbox input, tb-data-table mat-checkbox input").first.click()


def smooth_in_tensorboard(page: Page, weight: float) -> None:
    """Sets the weight of the moving average."""
    field = page.locator("input.slider-input[aria-labelledby=scalars-smoothing-label]")
    field.fill(str(weight))


def filter_in_tensorboard(page: Page, text: str) -> None:
    """Leaves the tags that a text matches."""
    page.locator("input[placeholder='Filter tags (regex)']").fill(text)


def filter_ours(page: Page, text: str) -> None:
    """Leaves the tags that a text matches."""
    page.get_by_role("main").get_by_role("searchbox").first.fill(text)


def smooth_ours(page: Page) -> None:
    """Switches smoothing off or on, as its key does."""
    page.locator("#main").focus()
    page.keyboard.press("m")
