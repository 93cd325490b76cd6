"""Profiles: traces that a profiler wrote, found below the watched directory, stored as columns, and shown in the page.

`reading` turns a trace into slices, `columns` stores them and answers questions about a window of time. The rest is the
Django app: the table, the Celery task that reads a trace once, and the API of `api.md`.
"""
