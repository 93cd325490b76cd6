"""How often the nodes of a training were hit, for the graphs app, which shows it as colours. Registered by `apps`."""

from __future__ import annotations

from collections import Counter

import orjson

from mindinsight.graphs.hits import Hits


def newest_hits(run_name: str, session: str) -> Hits | None:
    """Returns the hits of the newest session of a run, or of one session, as they were stored last.

    Hits that paused and those that were only noted count alike, as far as they are kept.

    Args:
        run_name: the run's name; empty where a session is named.
        session: its key; empty where a run is named.
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
