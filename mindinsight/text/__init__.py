"""Texts: what was recorded as text over the steps of a run, also as tables of strings.

The app has no tables and keeps no copies: the store knows the place of each record, and it is read from its event file
when it is asked for. Texts go out as they were written; the page that shows them makes them harmless.
"""
