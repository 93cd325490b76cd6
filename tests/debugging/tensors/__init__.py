"""Offline dumps of MindSpore and msprobe."""
