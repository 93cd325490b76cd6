"""Imports: tables of scalars and event files become runs. Called by `mindinsight import`."""
