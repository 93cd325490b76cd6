"""Lineage: the inputs and results of all runs, in one table.

The app gets the runs and their recorded values from `runs`, and their input pipelines from `graphs`. It uses no other
app.
"""
