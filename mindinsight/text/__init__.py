"""Texts: texts and tables of strings recorded over the steps of a run.

The app has no tables and stores no copies. The store knows the place of each record, and requests read it from its
event file. Texts are sent as they were written; the page that shows them sanitises them.
"""
