"""Texts: what was recorded as text over the steps of a run, also as tables of strings.

The app has no tables and keeps no copies: the store knows where each record stands, and it is read from its event file
when it is asked for. Texts go out as they were written; whoever shows them makes them harmless.
"""
