"""What memory was alive at the peak, from the allocations that torch.profiler records. Called by the API."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
import numpy.typing as npt

from mindinsight.profiles.columns.stored import Stored

_MOST = 1000


class Alive(TypedDict):
    """Memory that was alive at the peak.

    `row` is the slice of the operator that allocated it; `died` is null if it outlives the recording. Times are in
    nanoseconds.
    """

    bytes: int
    born: int
    died: int | None
    row: int | None


class Peak(TypedDict):
    """The peak of a device.

    Attributes:
        device: index of its counter.
        at: nanoseconds.
        bytes: allocated then, as the profiler counted.
        before: bytes that were allocated before the recording and are alive at the peak.
        alive: what was allocated since, the largest first; the first thousand.
        count: number of all of them.
        alive_bytes: their sum.
    """

    device: int
    at: int
    bytes: int
    before: int
    alive: list[Alive]
    count: int
    alive_bytes: int


def peaks(profile: Stored) -> list[Peak]:
    """Returns the peak of each device whose allocations were recorded.

    Args:
        profile: the columns.
    """
    events = profile.allocations()
    return [_peak(profile, events[events["device"] == device]) for device in np.unique(events["device"]).tolist()]


def _peak(profile: Stored, events: npt.NDArray[np.void]) -> Peak:
    """The peak of one device, from its events by time."""
    total, size = events["total"], events["bytes"]
    top = int(np.argmax(total))
    alive: dict[int, int] = {}
    died: dict[int, int] = {}
    before = int(total[0] - size[0])
    for at, (address, bytes_) in enumerate(zip(events["address"].tolist(), size.tolist(), strict=True)):
        if at <= top:
            if bytes_ > 0:
                alive[address] = at
            elif alive.pop(address, None) is None:
                before += bytes_  # It was allocated before the recording.
        elif bytes_ < 0 and address in alive and address not in died:
            died[address] = int(events["time"][at])
    chosen = sorted(alive.items(), key=lambda one: -int(size[one[1]]))
    listed = [
        Alive(
            bytes=int(size[at]),
            born=int(events["time"][at]),
            died=died.get(address),
            row=_producer(profile, int(events["track"][at]), int(events["time"][at])),
        )
        for address, at in chosen[:_MOST]
    ]
    return Peak(
        device=int(events["device"][top]),
        at=int(events["time"][top]),
        bytes=int(total[top]),
        before=before,
        alive=listed,
        count=len(chosen),
        alive_bytes=sum(int(size[at]) for _, at in chosen),
    )


def _producer(profile: Stored, track: int, moment: int) -> int | None:
    """The row of the operator that runs on a track at a moment: the outermost slice of the innermost one's category."""
    if track < 0:
        return None
    first, last = (int(row) for row in profile.tracks[track : track + 2])
    row = first + int(np.searchsorted(profile.start[first:last], moment, side="right")) - 1
    while row >= first and profile.start[row] + profile.duration[row] < moment:
        row = int(profile.parent[row])
    if row < first:
        return None
    category = _category(profile, row)
    above = int(profile.parent[row])
    while above >= 0 and _category(profile, above) == category:
        row, above = above, int(profile.parent[above])
    return row


def _category(profile: Stored, row: int) -> str:
    return profile.head["names"][int(profile.kind_name[profile.kind[row]])][1]
