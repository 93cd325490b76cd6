"""Where graphs come from: recorded ones, files, dumps of passes, input pipelines, debugged trainings."""
