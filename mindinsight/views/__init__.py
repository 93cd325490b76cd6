"""Saved views: named addresses of pages, for everybody who opens the dashboard.

The app uses no other app: a view is an address, and only the page knows its meaning.
"""
