"""Rows of values: a scalar is a `POINT`; any other value is a `PLACE`, its position in the file.

The event file reader makes them; the dashboard's store keeps them in the same form.
"""

import numpy as np

POINT = np.dtype([("step", "<i8"), ("wall", "<f8"), ("value", "<f8")])
"""A scalar: step, seconds since 1970, number. 24 bytes."""

PLACE = np.dtype(
    [
        ("step", "<i8"),
        ("wall", "<f8"),
        ("offset", "<u8"),
        ("length", "<u4"),
        ("start", "<u4"),
        ("size", "<u4"),
        ("flags", "<u4"),
    ]
)
"""Position of a value that is not a scalar. 40 bytes.

`offset` is the position of the record's header in the file, `length` the length of its payload. `start` and `size`
give the part of the payload that holds the `Value` message, or the field of the event for kinds without a tag.
`flags` is 0.
"""
