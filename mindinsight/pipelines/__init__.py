"""Data pipelines: how fast each operator of a run's pipeline works, what holds it up, and how long the steps wait.

The app has no tables and stores no copies. A training records sums of its pipeline again and again; the store knows the
places of these records, and a request reads the ones that it needs from the event file. Files of MindSpore's profiler
are read as they are found.
"""
