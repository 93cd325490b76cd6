"""Hit counts of a training's nodes for the graphs app, which shows them as colours. Registered by `apps`."""

from __future__ import annotations

from collections import Counter

import orjson

from mindinsight.graphs.hits import Hits


def newest_hits(run_name: str, session: str) -> Hits | None:
    """Returns the last stored hits of the newest session of a run, or of one session.

    Hits that paused the training and hits that were only recorded count alike, as far as they are kept.

    Args:
        run_name: the run's name; empty if a session is given.
        session: the session's key; empty if a run is given.
    """
    from mindinsight.debugger.models import DebugSession

    named = DebugSession.objects.filter(**({"key": session} if session else {"run_name": run_name}))
    stored = named.order_by("-pk").only("key", "stored", "hits", "log").first()
    if stored is None:
        return None
    steps = [*orjson.loads(stored.hits), *orjson.loads(stored.log)]
    counts = Counter(str(hit["tensor"]["full_name"]) for one in steps for hit in one["hits"])
    last = max((int(one["step"]) for one in steps if one["hits"]), default=None)
    return Hits(f"{stored.key} {last} {sorted(counts.items())}", last, dict(counts))
