"""Opens graphs in a browser's window as a person does, on each dashboard, and times it. Called by `graph_page.py`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from playwright.sync_api import Error as BrowserError
from playwright.sync_api import FloatRect

from benchmarks.measuring.figures import say
from benchmarks.measuring.page_window import Window
from benchmarks.measuring.screencast import Screencast

Values = dict[str, list[float]]
FOUND = ("open", "stack", "task", "stack_task", "heap", "frame")
REST_S = 2.0
# What others have not shown by then counts as not done: so a whole run ends.
PEER_PATIENCE_S = 25.0
# Long tasks, and when the last double click came in.
NOTE_TASKS = """
window.__tasks = []
new PerformanceObserver((list) => list.getEntries().forEach((one) => window.__tasks.push(one.duration)))
  .observe({type: 'longtask', buffered: true})
addEventListener('dblclick', (event) => window.__clicked = performance.timeOrigin + event.timeStamp, true)
"""


@dataclass(frozen=True)
class Viewer:
    """How a dashboard's page of graphs is worked with.

    Attributes:
        name: program and version.
        address: of the page.
        stage: CSS selector of the place with the drawing.
        drawn: CSS selector of what is there once a graph is drawn.
        before: clicked twice, one after the other, before anything is measured.
        stack: CSS selector of what is clicked twice to open what is measured; None where that is not known.
        patience: seconds after which a step counts as not done.
    """

    name: str
    address: str
    stage: str
    drawn: str
    stack: str | None
    before: Sequence[str] = ()
    patience: float = 45.0


def our_viewer(address: str, graph: str, box: str, more: str = "") -> Viewer:
    """Our page: a box is opened in the outline, where its place is known."""
    drawn = "main [role=application][data-settled]"
    page = f"{address}/graph?graph={graph}{more}"
    return Viewer("ours", page, "main .stage", drawn, f"[role=treeitem]{box}")


def tensorboard_viewer(name: str, address: str, scopes: Sequence[str]) -> Viewer:
    """TensorBoard's page: scopes are opened from the outside in, the last one is measured."""
    boxes = [f"tf-graph-scene g.node[data-name='{scope}'] > g.nodeshape rect" for scope in scopes]
    return Viewer(
        name,
        f"{address}/#graphs",
        "tf-graph-scene",
        "tf-graph-scene g.node.meta",
        boxes[-1],
        boxes[:-1],
        PEER_PATIENCE_S,
    )


def explorer_viewer(name: str, address: str) -> Viewer:
    """Model Explorer's page. It draws with WebGL: where its boxes are cannot be asked for."""
    canvas = "webgl-renderer canvas.main"
    return Viewer(name, address, canvas, canvas, None, patience=PEER_PATIENCE_S)


def look(viewer: Viewer, new_window: Callable[[], Window], found: Values) -> None:
    """Opens a page in a new window, opens a stack, drags, and adds the measurements; reports unfinished parts.

    Args:
        viewer: what is opened.
        new_window: opens windows.
        found: values by name, as in `FOUND`.
    """
    window = new_window()
    try:
        # What the last window leaves behind is taken apart, and what the new one has of the browser's own is loaded.
        time.sleep(REST_S)
        for key, value in _steps(viewer, window):
            found.setdefault(key, []).append(value)
    except (BrowserError, TimeoutError) as problem:
        say(f"{viewer.name}: {str(problem).splitlines()[0]}")
    finally:
        window.page.context.close()


def _steps(viewer: Viewer, window: Window) -> Iterator[tuple[str, float]]:
    """What each step took, as soon as it is known: what one step cannot do takes nothing from those before it."""
    window.page.add_init_script(NOTE_TASKS)
    cast = Screencast(window)
    cast.start()
    began = time.time()
    window.page.goto(viewer.address, wait_until="commit")
    cast.until_still(lambda: window.page.locator(viewer.drawn).count() > 0, viewer.stage, viewer.patience)
    box = window.box(viewer.stage)
    yield "open", _seconds(cast, box, began)
    yield "task", longest_task(window)
    if viewer.stack is not None:
        for selector in viewer.before:
            _click_twice(window, selector)
            cast.until_still(lambda: True, viewer.stage, viewer.patience)
        _place(window, viewer.stack)
        cast.until_still(lambda: True, viewer.stage, viewer.patience)
        forget_tasks(window)
        cast.start()
        _click_twice(window, viewer.stack)
        cast.until_still(lambda: True, viewer.stage, viewer.patience)
        # From the second click as the browser got it: finding the place and sending the clicks is not the page's.
        clicked = float(window.page.evaluate("window.__clicked")) / 1000
        yield "stack", _seconds(cast, box, clicked) * 1000
        yield "stack_task", longest_task(window)
    cast.stop()
    yield "heap", window.heap_megabytes()
    for frame in dragged(window, box):
        yield "frame", frame


def _seconds(cast: Screencast, box: FloatRect, began: float) -> float:
    last = cast.last_change(box)
    if last is None:
        raise TimeoutError("nothing changed")
    return last - began


def _place(window: Window, selector: str) -> tuple[float, float]:
    """Moves the pointer over what will be clicked; returns where that is."""
    target = window.page.locator(selector).first
    box = target.bounding_box(timeout=10_000)
    if box is None:
        raise TimeoutError(f"{selector} is not in view")
    x, y = box["x"] + min(60.0, box["width"] / 2), box["y"] + min(14.0, box["height"] / 2)
    window.page.mouse.move(x, y)
    return x, y


def _click_twice(window: Window, selector: str) -> None:
    window.page.mouse.dblclick(*_place(window, selector))


def longest_task(window: Window) -> float:
    """Milliseconds of the longest task of the main thread since tasks were forgotten; 0 where none took 50."""
    tasks: list[float] = window.page.evaluate("window.__tasks")
    return max(tasks, default=0.0)


def forget_tasks(window: Window) -> None:
    """Restarts the recording of tasks."""
    window.page.evaluate("window.__tasks = []")


def dragged(window: Window, box: FloatRect) -> list[float]:
    """Drags the drawing and turns the wheel, a move in each frame; returns the milliseconds of each frame."""
    left, top = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse = window.page.mouse
    mouse.move(left, top)
    window.forget_frames()
    mouse.down()
    for turn in range(60):
        mouse.move(left + 4 * (turn % 30), top - 4 * (turn % 30))
    mouse.up()
    for turn in range(30):
        mouse.wheel(0, 60 if turn < 15 else -60)
    return window.frames()
