"""The process that computes: `python -m mindinsight.lineage.importance ORDER`, started by `mindinsight.lineage.tasks`.

It reads a file that `orders.py` has written, and writes lines of JSON: {"progress": 0.3} while it works, then
{"result": {...}}. The memory of scikit-learn is freed when the process ends.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

# One thread, because the reader of event files needs the other cores.
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import orjson

from mindinsight.lineage.importance.columns import Column, category_column, number_column
from mindinsight.lineage.importance.gap import gap
from mindinsight.lineage.importance.orders import Categories, Numbers, read_order
from mindinsight.lineage.importance.study import study

_NICE = 5
_REPORT_EVERY_S = 0.2


def main() -> None:
    """Computes the order in the file that the command line names."""
    os.nice(_NICE)
    order = read_order(Path(sys.argv[1]))
    columns = [_column(parameter) for parameter in order.parameters]
    reported = time.monotonic()

    def progress(share: float) -> None:
        nonlocal reported
        if time.monotonic() - reported > _REPORT_EVERY_S:
            reported = time.monotonic()
            _write({"progress": share})

    if order.kind == "gap":
        assert order.run is not None  # noqa: S101  (a question about a gap names a run)
        found = gap(columns, order.target, order.run, order.better, progress)
        named = {key: int(order.runs[found[key]]) for key in ("best", "run")}
        _write({"result": {**found, **named}})
    else:
        _write({"result": study(columns, order.target, progress)})


def _column(parameter: Numbers | Categories) -> Column:
    if isinstance(parameter, Numbers):
        return number_column(parameter.name, parameter.values)
    return category_column(parameter.name, parameter.codes, parameter.values)


def _write(line: dict[str, object]) -> None:
    sys.stdout.buffer.write(orjson.dumps(line) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
