"""Exports that a page asks for: a Celery task writes runs into an archive, one run at a time, and the page fetches it.

The files themselves are written by `mindinsight.transfer`, as the command `mindinsight export` does.
"""
