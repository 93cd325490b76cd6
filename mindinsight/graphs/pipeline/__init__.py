"""The input pipeline of a run as a `Graph`, from the run's lineage files. Called by the app around it.

A library that knows neither Django nor the database.
"""

from mindinsight.graphs.pipeline.reading import PipelineOperation, pipeline_graph, pipeline_operations

__all__ = ["PipelineOperation", "pipeline_graph", "pipeline_operations"]
