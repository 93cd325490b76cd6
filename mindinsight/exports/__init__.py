"""Exports asked for from a page: runs are written into an archive by Celery, one run at a time, and fetched when done.

The files themselves are written by `mindinsight.transfer`, as the command `mindinsight export` does.
"""
