"""Operators that change the flow of rows: batches by length, rows that become datasets, waiting, and callbacks."""
