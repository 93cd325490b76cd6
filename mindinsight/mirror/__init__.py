"""A local copy of summaries in an object store (`s3://`, `gs://`), which the reader follows like any directory.

A process of its own, started by the supervisor, lists the store's objects and copies what is new. Nothing is ever
written to the store. `mindinsight start` uses `address`; the API shows `progress`.
"""
