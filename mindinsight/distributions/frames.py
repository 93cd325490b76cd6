"""The binary answers of `api.md`: a view as a frame of kind 4 of `docs/architecture/wire.md`. Called by the API."""

from __future__ import annotations

import struct

from mindinsight.api.frames import HEADER, VERSION, Kind, ValueType
from mindinsight.distributions.decoding import Floats
from mindinsight.distributions.views import COLUMNS, View

# linear_below, low, high, rows, columns, cells, unreadable, steps, 0
_VIEW = struct.Struct("<dddIIIIII")


def encode_view(run: int, series: int, total: int, unreadable: int, view: View, steps: Floats) -> bytes:
    """Returns the frame of a view.

    Args:
        run: number of the run of the first series.
        series: number of the first series.
        total: number of histograms in the series.
        unreadable: number of unreadable histograms.
        view: the drawn data.
        steps: all recorded steps; empty if not requested.
    """
    rows, cells = view.counts.shape
    axis = view.axis
    about = _VIEW.pack(axis.linear_below, axis.low, axis.high, rows, len(COLUMNS), cells, unreadable, len(steps), 0)
    payload = b"".join(
        (
            about,
            view.table.T.astype("<f8").tobytes(),
            steps.astype("<f8").tobytes(),
            view.counts.astype("<f4").tobytes(),
        )
    )
    header = HEADER.pack(VERSION, Kind.HISTOGRAMS, ValueType.FLOAT64, 0, run, series, len(payload), 0, total, 0.0)
    return b"".join((header, payload, bytes(-len(payload) % 8)))
