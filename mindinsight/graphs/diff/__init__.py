"""Compares two graphs by structure and not by name. `compare` returns a `GraphDiff`.

A library that knows neither Django nor the database; called by the app around it and by tests.
"""

from mindinsight.graphs.diff.comparing import Difference
from mindinsight.graphs.diff.matching import match
from mindinsight.graphs.diff.result import Change, GraphDiff, Status, compare

__all__ = ["Change", "Difference", "GraphDiff", "Status", "compare", "match"]
