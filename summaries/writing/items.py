"""Queue items other than scalars: values that the writer's thread encodes.

`SummaryWriter` makes them, the `Recorder` consumes them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from summaries.schema.summary_pb2 import Event, Summary


def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Item:
    """A record that is not encoded yet.

    Attributes:
        what: name for messages, such as "the image 'input'".
        encode: returns the record's payload; called once, in the writer's thread.
        size: bytes that it holds until it is encoded.
        release: called when they are no longer needed.
    """

    what: str
    encode: Callable[[], bytes]
    size: int = 0
    release: Callable[[], None] = _nothing


@dataclass(frozen=True, slots=True)
class ValueEncoder:
    """Encodes one value of one step, whatever its kind.

    Attributes:
        tag, step, wall: tag, step and wall time of the value.
        fill: writes the content into the message.
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
