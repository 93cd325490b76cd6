"""The query language for runs: `lr < 0.01 and best(accuracy) > 0.9 and tag:seed`; see docs/reference/queries.md.

A text becomes tokens (`tokens`), then a tree (`parser`, `tree`), then a condition for the database (`compiler`). Used
by the views of runs. It uses only the tables of runs.
"""

from mindinsight.runs.search.compiler import condition, ordering, parse_condition, parse_order
from mindinsight.runs.search.errors import QueryError
from mindinsight.runs.search.names import complete
from mindinsight.runs.search.parser import parse, parse_columns, parse_sort
from mindinsight.runs.search.similar import similar_names
from mindinsight.runs.search.spelling import respelled
from mindinsight.runs.search.telling import telling_columns
from mindinsight.runs.search.values import best_direction, columns_of, shown, value_annotations

__all__ = [
    "QueryError",
    "best_direction",
    "columns_of",
    "complete",
    "condition",
    "ordering",
    "parse",
    "parse_columns",
    "parse_condition",
    "parse_order",
    "parse_sort",
    "respelled",
    "shown",
    "similar_names",
    "telling_columns",
    "value_annotations",
]
