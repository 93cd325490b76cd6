"""Records every picture that a window shows, with its moment: what settles when is seen without disturbing the page.

Called by `graph_page.py`. The browser's own recording is used: a picture comes when one was shown, so nothing is drawn
for the measurement's sake, and moments are as exact as frames.
"""

from __future__ import annotations

import base64
import io
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import FloatRect

from benchmarks.measuring.page_window import Pixels, Window

# Nothing has changed for so long: it is settled.
STILL_S = 1.2
# So often the pictures are looked at, in ms: seldom, as that takes the machine's time.
LOOK_MS = 250
# A picture in which fewer bytes differ is the same one: the recording is compressed.
SAME_BYTES = 12


@dataclass(frozen=True)
class Shown:
    """A picture and when it was shown, in seconds since 1970."""

    moment: float
    picture: bytes


class Screencast:
    """The pictures of a window from `start` on.

    Args:
        window: what is recorded.
    """

    def __init__(self, window: Window) -> None:
        self._window = window
        self._shown: list[Shown] = []
        self._records = False
        window.tools.on("Page.screencastFrame", self._note)

    def _note(self, event: dict[str, Any]) -> None:
        self._window.tools.send("Page.screencastFrameAck", {"sessionId": event["sessionId"]})
        self._shown.append(Shown(float(event["metadata"]["timestamp"]), base64.b64decode(event["data"])))

    def start(self) -> None:
        """Forgets what was recorded and records."""
        self._shown = []
        if not self._records:
            self._window.tools.send("Page.startScreencast", {"format": "jpeg", "quality": 90, "everyNthFrame": 1})
        self._records = True

    def stop(self) -> None:
        """Stops recording."""
        self._window.tools.send("Page.stopScreencast")
        self._records = False

    def until_still(self, ready: Callable[[], bool], place: str, seconds: float) -> None:
        """Waits until something is there and a place has looked the same for a while, whatever changes around it.

        Args:
            ready: whether it is there.
            place: CSS selector of the place.
            seconds: how long that may take.

        Raises:
            TimeoutError: it took longer.
        """
        deadline = time.monotonic() + seconds
        there, since, seen, looked = False, time.monotonic(), -1, None
        while True:
            self._window.page.wait_for_timeout(LOOK_MS)
            there = there or ready()
            if there and len(self._shown) - 1 != seen:
                seen = len(self._shown) - 1
                looks = _part(self._shown[seen].picture, self._window.box(place))
                if looked is None or _differ(looks, looked):
                    since, looked = time.monotonic(), looks
            if there and time.monotonic() - since > STILL_S:
                return
            if time.monotonic() > deadline:
                raise TimeoutError(f"not within {seconds:g} s")

    def last_change(self, box: FloatRect) -> float | None:
        """When a place got the look that it has at the end; None where it never changed."""
        if not self._shown:
            return None
        final = _part(self._shown[-1].picture, box)
        moment: float | None = None
        for shown in reversed(self._shown):
            if _differ(_part(shown.picture, box), final):
                return moment
            moment = shown.moment
        # All that was recorded looks the same: the first picture already showed it, or it came with the first one.
        return moment

    def first(self) -> float | None:
        """When the first picture was shown."""
        return self._shown[0].moment if self._shown else None


def _part(picture: bytes, box: FloatRect) -> Pixels:
    left, top = int(box["x"]) + 2, int(box["y"]) + 2
    area = (left, top, left + int(box["width"]) - 4, top + int(box["height"]) - 4)
    return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB").crop(area))


def _differ(one: Pixels, other: Pixels) -> bool:
    return one.shape != other.shape or int((np.abs(one.astype(np.int16) - other) > SAME_BYTES).sum()) > 0
