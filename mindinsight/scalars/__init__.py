"""Scalars: the curves of runs. Their tags are in the database, and their points are columns in `mindinsight.store`."""
