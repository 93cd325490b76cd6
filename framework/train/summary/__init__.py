"""Recording of a training for the dashboard: `SummaryRecord`, and the messages of graph and lineage.

Public as `ms.train.summary`.
"""

from framework.train.summary.summary_record import SummaryRecord

__all__ = ["SummaryRecord"]
