"""Watchpoints without a framework."""
