"""How long the table of lineage takes for a sweep of ten thousand runs with forty columns.

Times are from the question to the last byte, over one open connection. *Cold* is the first question to a new web
server, which decodes what all runs note; *unchanged* is what a page asks that has the answer already. Each query asks
for another number, so that no remembered answer counts. TensorBoard's time is that of its HParams page for half as many
runs and 8 of 23 axes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.asking import Connection, ask_until, json_or_none
from benchmarks.measuring.environments import our_program
from benchmarks.measuring.figures import Figure, Measurement, Options, median, run, say
from benchmarks.measuring.serving import Dashboard, our_dashboard
from benchmarks.measuring.sweep_files import CATEGORIES, METRICS, NUMBERS, sweep

TABLE = "/api/lineage/table"
COLD_MS, FILTER_MS = 500.0, 100.0
PEER = "TensorBoard 2.21, HParams page of 5,000 runs"
PEER_MS = 6000.0


def measure_table(options: Options) -> Sequence[Figure]:
    """The table of a sweep, by a dashboard that has read it and was started again."""
    runs = options.times(10_000, 1000)
    base = sweep(runs)
    with TemporaryDirectory() as folder:
        say(f"reading {runs:,} runs …")
        workspace = Path(folder, "workspace")
        with our_dashboard(our_program(), base, workspace) as dashboard:
            ask_until(lambda: _all_noted(dashboard, runs), "All runs")
        say("asking …")
        with our_dashboard(our_program(), base, workspace) as dashboard:
            return _ask(dashboard, options, f"{runs:,} runs with {NUMBERS + CATEGORIES + METRICS} columns")


def _all_noted(dashboard: Dashboard, runs: int) -> bool:
    found = json_or_none(f"{dashboard.address}/api/runs/order?query={quote('score_0/accuracy > 0')}")
    return found is not None and len(found["runs"]) == runs


def _ask(dashboard: Dashboard, options: Options, what: str) -> list[Figure]:
    connection = Connection(dashboard.address)
    # The views of an app are imported when one of its addresses is asked for; a table of no runs reads nothing.
    connection.seconds(f"{TABLE}?query={quote('name:nothing')}")
    cold = connection.seconds(TABLE) * 1000
    repeats = options.times(15, 5)
    warm = median([connection.seconds(TABLE) for _ in range(repeats)]) * 1000
    tag = {name.lower(): value for name, value in connection.ask(TABLE)[1].items()}["etag"]
    known = {"If-None-Match": tag}
    unchanged = median([connection.seconds(TABLE, known, 304) for _ in range(repeats)]) * 1000
    small = [f"rate_07 < {1e-4 + turn * 1e-7:.8f}" for turn in range(repeats)]
    large = [f"choice_0 = Adam or score_0/accuracy > {0.3 + turn * 1e-4:.5f}" for turn in range(repeats)]
    figures = [
        Figure("lineage_cold", f"the table, cold: {what}", "ms", cold, COLD_MS, PEER_MS, PEER, peer_recorded=True),
        Figure("lineage_warm", "the same once more", "ms", warm),
        Figure("lineage_unchanged", "a table that the page already has (304)", "ms", unchanged),
        Figure("lineage_filter", "a query that finds a quarter of them", "ms", _queries(connection, small), FILTER_MS),
        Figure("lineage_filter_two", "a query of two conditions", "ms", _queries(connection, large), FILTER_MS),
    ]
    connection.close()
    return figures


def _queries(connection: Connection, queries: Sequence[str]) -> float:
    """Milliseconds of the table of a query, the median."""
    return median([connection.seconds(f"{TABLE}?query={quote(query)}") for query in queries]) * 1000


MEASUREMENTS: dict[Measurement, Sequence[str]] = {
    measure_table: ("lineage_cold", "lineage_warm", "lineage_unchanged", "lineage_filter", "lineage_filter_two"),
}

if __name__ == "__main__":
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
