"""What runs when, while a capture is on: the recorder that compiled programs, operators and pipelines write slices to.

It knows nothing of what it records, so every part of the core may use it. `framework.profiler` starts and reads it.
"""

from framework.tracing.recorder import KINDS, NOTED_BY, RECORDER, Recorder, Site, is_capturing, when_captured
from framework.tracing.ring import ROW_WORDS, Ring, Rows

__all__ = [
    "KINDS",
    "NOTED_BY",
    "RECORDER",
    "ROW_WORDS",
    "Recorder",
    "Ring",
    "Rows",
    "Site",
    "is_capturing",
    "when_captured",
]
