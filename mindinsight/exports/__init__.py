"""Exports that a page requests: a Celery task writes runs into an archive, one at a time, and the page downloads it.

The files are written by `mindinsight.transfer`, like those of the command `mindinsight export`.
"""
