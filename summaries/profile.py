"""Profiles as records: `SummaryWriter.add_profile` makes them, the dashboard's graphs read them."""

from google.protobuf.message import DecodeError

from summaries.records import MAX_RECORD_BYTES
from summaries.schema.summary_pb2 import Event, Profile

__all__ = ["profile_event", "read_profile"]


def profile_event(wall: float, profile: Profile) -> bytes:
    """Return the payload of a record with a profile. The profile itself names its steps.

    Args:
        wall: seconds since 1970.
        profile: the measured times and sizes.

    Raises:
        ValueError: it is too large for a record.
    """
    payload = Event(wall_time=wall, profile=profile).SerializeToString()
    if len(payload) > MAX_RECORD_BYTES:
        raise ValueError(f"The profile has {len(payload)} bytes; a record has room for {MAX_RECORD_BYTES}.")
    return payload


def read_profile(payload: bytes) -> Profile | None:
    """Return the profile in an event, or None if it has none or cannot be parsed.

    Args:
        payload: the event's bytes, without its record's framing.
    """
    try:
        event = Event.FromString(payload)
    except DecodeError:
        return None
    return event.profile if event.HasField("profile") else None
