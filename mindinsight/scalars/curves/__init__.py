"""Curves reduced to the width of a chart: extremes, buckets, counts and smoothing. Used by the API and by groups."""
