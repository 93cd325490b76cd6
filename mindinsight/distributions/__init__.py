"""Distributions: histograms of weights and other tensors over the steps of a run.

The app has no tables and keeps no copies: the store knows the place of each histogram, and it is read from its event
file when it is asked for.
"""
