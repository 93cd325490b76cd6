"""How much a training and a browser may ask of the dashboard; `api.md` says the same in words."""

from __future__ import annotations

from typing import Final

from summaries.debugging import WINDOW

MOST_TRAININGS: Final = 100
"""Trainings connected to one web server at a time."""
MOST_OVER: Final = 50
"""Ended sessions that are kept; older ones are forgotten."""
MOST_NODES: Final = 100_000
MOST_HITS: Final = 2000
MOST_LOGGED: Final = 1000
MOST_TOLD_BYTES: Final = 8 << 20
"""Bytes of a session's hits as JSON, and of its log."""
MOST_PARTS: Final = 100_000
"""Messages, texts and numbers of one message of a training."""
MOST_WAITING: Final = 64
"""Commands of a session that are not answered yet."""
MOST_WATCHED: Final = 100
"""Sessions that one browser watches."""
MOST_TENSORS: Final = 500
"""Rows of tensors of a session that are listed."""

MOST_TENSOR_BYTES: Final = 1 << 30
MOST_GRAPH_BYTES: Final = 64 << 20
"""Bytes of a graph, and of a program that comes as a blob."""
MOST_KEPT_BYTES: Final = 4 << 30
"""Bytes of tensor values of all sessions together."""
MOST_ARRIVING: Final = 8
"""Blobs of one training at a time."""
CREDIT_AFTER: Final = WINDOW // 2
"""Chunks that are taken before credit for as many is given."""

HELLO_WITHIN_S: Final = 10.0
ANSWER_WITHIN_S: Final = 15.0
LONG_ANSWER_WITHIN_S: Final = 120.0
LONG: Final = frozenset({"run_again", "view", "health", "recheck", "set_watchpoints"})
"""Commands that may run a step."""
LOOKS: Final = frozenset({"view", "health", "read_source", "recommend"})
"""Commands that everyone who watches may send."""

MESSAGES_A_SECOND: Final = 1000.0
"""Messages per second; a training that sends more is read more slowly."""
MESSAGES_AT_ONCE: Final = 4000.0
BYTES_A_MESSAGE: Final = 10_000
"""Bytes of a message; a longer one counts as several, unless somebody has asked for it."""
TOLD_EVERY_S: Final = 0.05
"""Least time between two messages of progress to a browser, in seconds."""
ROWS_EVERY_S: Final = 0.25
STORED_EVERY_S: Final = 0.3
SEEN_EVERY_S: Final = 5.0
"""Longest time between two signs of life in a connected session's row, in seconds."""
LOST_AFTER_S: Final = 15.0
"""Age in seconds at which a row has no web server any more."""
MOST_UNSENT: Final = 200
"""Messages that must not be left out and wait for a browser; with more it is sent the whole session again."""
MOST_UNSENT_BYTES: Final = 4 << 20
"""Bytes of such messages together; a browser that leaves more answers unread is disconnected."""
UNREAD_BYTES: Final = 64 << 10
"""Unread bytes of a browser above which its next message is not read."""
MOST_ASKED: Final = 200
"""Commands of one browser that are not answered yet."""
MOST_ASKED_BYTES: Final = 1 << 20
"""Bytes of these commands together, beside the newest one."""
MOST_UNSENT_TO_TRAINING: Final = 4 << 20
"""Bytes that wait for a training; one that leaves more unread loses its connection."""
