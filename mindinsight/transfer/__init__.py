"""Moves data in and out of the base directory without a dashboard: export, import, and MindInsight's `parse_summary`.

It works only on event files and uses neither the database nor the store. Called by the commands in `mindinsight.cli`,
each of which imports what it needs when it runs, and by the tasks of exports.
"""
