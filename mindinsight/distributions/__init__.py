"""Distributions: histograms of weights and other tensors over the steps of a run.

The app has no tables and stores no copies. The store knows the place of each histogram, and requests read it from its
event file.
"""
