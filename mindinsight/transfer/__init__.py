"""Data in and out of the base directory without a dashboard: export, import, and MindInsight's `parse_summary`.

Works on event files alone and knows neither the database nor the store. Called by the commands in `mindinsight.cli`
only; each imports what it needs when it runs.
"""
