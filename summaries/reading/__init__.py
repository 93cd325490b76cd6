"""Reads event files and lineage files: follows one file while it grows, and tells whether its writer lives.

The dashboard's ingest uses `reader` for one growing file and `small_files` for directories of many short runs. Nothing
here imports `summaries.writing`.
"""
