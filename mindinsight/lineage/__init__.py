"""Lineage: what runs were made with and what came out of it, over all runs at once.

The app asks `runs` which runs there are and what they note about themselves; no other app is known to it.
"""
