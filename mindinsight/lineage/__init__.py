"""Lineage: what runs were made with and what came out of it, over all runs at once.

The app asks `runs` for the runs and their notes, and `graphs` for their input pipelines. It knows no other app.
"""
