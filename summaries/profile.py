"""What a profiler measured, as a record: `SummaryWriter.add_profile` makes it, the dashboard's graphs read it."""

from google.protobuf.message import DecodeError

from summaries.records import MAX_RECORD_BYTES
from summaries.schema.summary_pb2 import Event, Profile

__all__ = ["profile_event", "read_profile"]


def profile_event(wall: float, profile: Profile) -> bytes:
    """Return the payload of a record with a profile. It names its steps itself.

    Args:
        wall: seconds since 1970.
        profile: what was measured.

    Raises:
        ValueError: it is larger than a record may be.
    """
    payload = Event(wall_time=wall, profile=profile).SerializeToString()
    if len(payload) > MAX_RECORD_BYTES:
        raise ValueError(f"The profile has {len(payload)} bytes; a record has room for {MAX_RECORD_BYTES}.")
    return payload


def read_profile(payload: bytes) -> Profile | None:
    """Return the profile in an event, or None where it has none or cannot be understood.

    Args:
        payload: the event's bytes, without its record's framing.
    """
    try:
        event = Event.FromString(payload)
    except DecodeError:
        return None
    return event.profile if event.HasField("profile") else None
