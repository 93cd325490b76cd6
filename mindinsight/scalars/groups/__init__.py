"""Groups of runs: a line with a band for each group, and densities of many runs.

Only the URL configuration imports it.
"""
