"""Drags brushes on the axes of the lineage page and times what the page does. Made for `benchmarks/lineage.py`.

A moment counts when the frame that shows it was painted: the script notes the task behind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.measuring.page_window import Window

_DRAWN = "document.querySelector('figure.parallel')?.dataset.settled !== undefined"
_LISTED = "document.querySelector('.card.list tbody tr[aria-rowindex] td') !== null"
MOVES = 12

# Notes of the newest move of a pressed pointer: when it was, when lines were first painted after it, and when all were.
_NOTE = f"""
window.__brush = {{ moved: 0, first: 0, settled: 0 }}
addEventListener('pointermove', (event) => {{
  if (event.buttons) window.__brush = {{ moved: performance.now(), first: 0, settled: 0 }}
}}, true)
const painted = (note) => requestAnimationFrame(() => {{
  const whole = {_DRAWN}
  const turn = new MessageChannel()
  turn.port1.onmessage = () => {{ note(performance.now(), whole); turn.port1.close() }}
  turn.port2.postMessage(null)
}})
const put = CanvasRenderingContext2D.prototype.putImageData
CanvasRenderingContext2D.prototype.putImageData = function (...given) {{
  put.apply(this, given)
  const brush = window.__brush
  if (!brush.moved || brush.asked || !this.canvas.closest('figure.parallel')) return
  brush.asked = true
  painted((now, whole) => {{
    brush.first = now
    if (whole) brush.settled = now
  }})
}}
const look = () => {{
  const brush = window.__brush
  if (brush.first && !brush.settled && {_DRAWN}) painted((now) => {{ brush.settled = now }})
  requestAnimationFrame(look)
}}
requestAnimationFrame(look)
"""
_AXIS = """(axis) => {
  const { x, y, height } = document.querySelectorAll('figure.parallel svg line.axis')[axis].getBoundingClientRect()
  return { x, y, height }
}"""
# Asked in each frame until it is true. Playwright's own function evaluates text, which the page forbids.
_WAIT = """() => new Promise((found) => {
  const look = () => { const value = VALUE; value ? found(value) : requestAnimationFrame(look) }
  look()
})"""
_UNTIL_DRAWN = _WAIT.replace("VALUE", f"{_DRAWN} && {_LISTED}")
_UNTIL_BRUSHED = _WAIT.replace("VALUE", "window.__brush.settled > 0 && window.__brush")


@dataclass(frozen=True)
class Brushed:
    """Milliseconds from the moves of a brush until lines are painted.

    Attributes:
        first: the first ones, of each move.
        whole: all of them, of each move.
    """

    first: list[float]
    whole: list[float]


def open_page(window: Window, address: str) -> None:
    """Opens the page and waits until all lines are drawn and the list has rows."""
    window.page.add_init_script(_NOTE)
    window.page.goto(address, wait_until="commit")
    window.page.evaluate(_UNTIL_DRAWN)


def drag_brush(window: Window, axis: int) -> Brushed:
    """Drags a brush along an axis, each move when the one before is drawn.

    Args:
        window: with the page in it.
        axis: counted from the left, from 0 on.
    """
    # A line has no width, so Playwright does not take it for visible.
    box = window.page.evaluate(_AXIS, axis)
    mouse, x = window.page.mouse, box["x"]
    mouse.move(x, box["y"] + 8)
    mouse.down()
    notes: list[dict[str, Any]] = []
    for move in range(1, MOVES + 1):
        mouse.move(x, box["y"] + 8 + (box["height"] - 16) * move / MOVES)
        notes.append(window.page.evaluate(_UNTIL_BRUSHED))
    mouse.up()
    return Brushed(
        [note["first"] - note["moved"] for note in notes], [note["settled"] - note["moved"] for note in notes]
    )
