"""The computation of the figures."""
