"""The views of runs and the shapes of their answers.

The views of other apps share lists, queries and shapes with it.
"""
