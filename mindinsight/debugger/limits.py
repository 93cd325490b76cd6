"""Limits for trainings and browsers. `api.md` states the same limits in words."""

from __future__ import annotations

from typing import Final

from summaries.debugging import WINDOW

MOST_TRAININGS: Final = 100
"""Maximum number of trainings connected to one web server."""
MOST_OVER: Final = 50
"""Maximum number of ended sessions. Older ones are deleted."""
MOST_NODES: Final = 100_000
MOST_HITS: Final = 2000
MOST_LOGGED: Final = 1000
MOST_CAUSES: Final = 100
"""Maximum number of steps of a session whose causes are kept."""
MOST_TOLD_BYTES: Final = 8 << 20
"""Maximum bytes of a session's hits as JSON, of its log, and of its causes."""
MOST_PARTS: Final = 100_000
"""Maximum number of messages, texts and numbers in one message of a training."""
MOST_WAITING: Final = 64
"""Maximum number of unanswered commands of a session."""
MOST_WATCHED: Final = 100
"""Maximum number of sessions that one browser watches."""
MOST_TENSORS: Final = 500
"""Maximum number of listed tensors of a session."""

MOST_TENSOR_BYTES: Final = 1 << 30
MOST_GRAPH_BYTES: Final = 64 << 20
"""Maximum bytes of a graph, and of a program that is sent as a blob."""
MOST_KEPT_BYTES: Final = 4 << 30
"""Maximum bytes of tensor values of all sessions together."""
MOST_ARRIVING: Final = 8
"""Maximum number of blobs of one training at a time."""
CREDIT_AFTER: Final = WINDOW // 2
"""Number of received chunks after which credit for as many is sent."""

HELLO_WITHIN_S: Final = 10.0
ANSWER_WITHIN_S: Final = 15.0
LONG_ANSWER_WITHIN_S: Final = 120.0
LONG: Final = frozenset({"run_again", "view", "health", "recheck", "set_watchpoints"})
"""Seconds to wait for commands that may run a step."""
LOOKS: Final = frozenset({"view", "health", "read_source", "recommend"})
"""Commands that everyone who watches may send."""

MESSAGES_A_SECOND: Final = 1000.0
"""Maximum messages per second. A training that sends more is read more slowly."""
MESSAGES_AT_ONCE: Final = 4000.0
BYTES_A_MESSAGE: Final = 10_000
"""Bytes of a message. A longer one counts as several, unless it was requested."""
TOLD_EVERY_S: Final = 0.05
"""Minimum seconds between two progress messages to a browser."""
ROWS_EVERY_S: Final = 0.25
STORED_EVERY_S: Final = 0.3
SEEN_EVERY_S: Final = 5.0
"""Maximum seconds between two heartbeats in the row of a connected session."""
LOST_AFTER_S: Final = 15.0
"""Age in seconds after which a row's web server counts as gone."""
MOST_UNSENT: Final = 200
"""Maximum number of waiting messages that cannot be replaced. With more, the browser is sent the whole session again.
"""
MOST_UNSENT_BYTES: Final = 4 << 20
"""Maximum bytes of these messages. A browser with more unread answers is disconnected."""
UNREAD_BYTES: Final = 64 << 10
"""Unread bytes of a browser above which its next message is not read."""
MOST_ASKED: Final = 200
"""Maximum number of unanswered commands of one browser."""
MOST_ASKED_BYTES: Final = 1 << 20
"""Maximum bytes of these commands, without the newest one."""
MOST_UNSENT_TO_TRAINING: Final = 4 << 20
"""Maximum bytes waiting for a training. With more unread bytes it is disconnected."""
