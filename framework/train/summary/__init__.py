"""Recording a training for the dashboard: `SummaryRecord`, and the messages of graph and lineage; public as
`ms.train.summary`."""

from framework.train.summary.summary_record import SummaryRecord

__all__ = ["SummaryRecord"]
