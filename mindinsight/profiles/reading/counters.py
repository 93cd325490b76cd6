"""Values over time in a trace: counter events, and the memory that torch's profiler reports. Filled by `trace`."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

_DEVICES = {0: "CPU", 1: "CUDA"}


@dataclass(slots=True)
class Counter:
    """One value over time.

    Attributes:
        process: as the profiler names it.
        name: the counter's name, with its series if it has several.
        unit: `bytes`, or empty.
        times: nanoseconds.
        values: the values from these times on.
    """

    process: str
    name: str
    unit: str = ""
    times: array[int] = field(default_factory=lambda: array("q"))
    values: array[float] = field(default_factory=lambda: array("d"))


class Counters:
    """All counters of a trace, in the order in which they appear.

    Attributes:
        allocations: of torch.profiler: nanoseconds, number of the device's counter, track, address, bytes (negative if
            freed), bytes allocated from then on.
    """

    def __init__(self) -> None:
        self.allocations: list[tuple[int, int, int, int, int, int]] = []
        self._all: dict[tuple[str, str], Counter] = {}

    def __iter__(self) -> Iterator[Counter]:
        return iter(list(self._all.values()))

    def __len__(self) -> int:
        return len(self._all)

    def add(self, process: str, name: str, moment: int, args: bytes) -> None:
        """Adds an event of kind `C`, whose arguments are the values of one or several series.

        Raises:
            MsgspecError: the arguments are not an object.
        """
        values = msgspec.json.decode(args, type=dict[str, object])
        for series, value in values.items():
            if isinstance(value, (int, float)):
                full = name if len(values) == 1 else f"{name}: {series}"
                self._append(process, full, "", moment, float(value))

    def add_memory(self, process: str, moment: int, args: bytes, track: int) -> None:
        """Adds a `[memory]` event of torch.profiler: the bytes allocated on a device from this time on.

        Args:
            process: as the profiler names it.
            moment: nanoseconds.
            args: the event's arguments.
            track: of the thread that allocates or frees.

        Raises:
            MsgspecError: the arguments are not an object.
        """
        values = msgspec.json.decode(args, type=dict[str, object])
        total, kind, number = values.get("Total Allocated"), values.get("Device Type"), values.get("Device Id")
        if isinstance(total, (int, float)) and isinstance(kind, int):
            label = _DEVICES.get(kind, f"device {kind}")
            where = label if number in (-1, None) else f"{label} {number}"
            name = f"Memory allocated on {where}"
            self._append(process, name, "bytes", moment, float(total))
            address, size = values.get("Addr"), values.get("Bytes")
            if isinstance(address, int) and isinstance(size, int):
                device = list(self._all).index((process, name))
                self.allocations.append((moment, device, track, address & (1 << 63) - 1, size, int(total)))

    def _append(self, process: str, name: str, unit: str, moment: int, value: float) -> None:
        counter = self._all.get((process, name))
        if counter is None:
            counter = self._all[process, name] = Counter(process, name, unit)
        counter.times.append(moment)
        counter.values.append(value)
