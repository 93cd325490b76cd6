"""What the summary writer queues for its thread beside scalars: values that are encoded there.

`SummaryWriter` makes them, the `Recorder` takes them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from summaries.schema.summary_pb2 import Event, Summary


def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Item:
    """One record to be.

    Attributes:
        what: for people who read that it could not be recorded, such as "the image 'input'".
        encode: returns the record's payload; called once, in the thread.
        size: bytes that it holds until then.
        release: called when these are needed no more.
    """

    what: str
    encode: Callable[[], bytes]
    size: int = 0
    release: Callable[[], None] = _nothing


@dataclass(frozen=True, slots=True)
class ValueEncoder:
    """Encodes one value of one step, whatever its kind.

    Attributes:
        tag, step, wall: of the value.
        fill: puts the content into the message.
    """

    tag: str
    step: int
    wall: float
    fill: Callable[[Summary.Value], None]

    def __call__(self) -> bytes:
        """Return the payload of an event with the value."""
        event = Event(wall_time=self.wall, step=self.step)
        self.fill(event.summary.value.add(tag=self.tag))
        return event.SerializeToString()
