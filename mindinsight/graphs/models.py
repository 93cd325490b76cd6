"""The table of analyses: the state of the search for repeated sub-structures. Written by the view and by the task."""

from __future__ import annotations

from django.db import models


class Analysis(models.Model):
    """One search in one graph, identified by the hash of the graph's bytes. Equal graphs of several runs share it.

    The results are columns below the data directory (`results.py`). The row says whether they exist.

    Attributes:
        graph: hash of the graph's message.
        source: name of the graph in requests, from which it can be read.
        series, place: series and index of a recorded graph; 0 for others.
        progress: finished share of the search.
        asked, changed: seconds since 1970.
        problem: the error that ended it, in the shape of all errors.
    """

    class State(models.TextChoices):
        """The state of a search."""

        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    graph = models.CharField(max_length=64)
    equivalence = models.CharField(max_length=8)
    min_size = models.PositiveIntegerField()
    version = models.PositiveIntegerField(default=1, help_text="of the search; another one finds other things")
    series = models.BigIntegerField()
    place = models.PositiveBigIntegerField(default=0)
    source = models.TextField(default="")
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    progress = models.FloatField(default=0.0)
    asked = models.FloatField(default=0.0)
    changed = models.FloatField(default=0.0)
    problem = models.JSONField(null=True)

    class Meta:
        """One search of a kind for a graph."""

        verbose_name_plural = "analyses"
        constraints = [
            models.UniqueConstraint(
                fields=["graph", "equivalence", "min_size", "version"], name="one_analysis_of_a_kind"
            )
        ]

    def __str__(self) -> str:
        return f"{self.graph} {self.equivalence} {self.min_size}"
