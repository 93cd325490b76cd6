"""Sources of graphs: recorded graphs, files, dumps of passes, input pipelines, debugged trainings."""
