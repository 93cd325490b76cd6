"""OpenCV, imported when a transform first needs it: a tenth of a second and forty megabytes that others need not pay.

It computes in the thread that calls it. A pipeline has workers of its own, and OpenCV's would only take their cores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["cv"]

if TYPE_CHECKING:
    import cv2 as cv
else:

    class _OpenCV:
        """The module `cv2` once it is asked for anything."""

        def __getattr__(self, name: str) -> Any:
            import cv2

            cv2.setNumThreads(1)
            # Found without this method from now on.
            self.__dict__[name] = value = getattr(cv2, name)
            return value

    cv = _OpenCV()
