"""Saved views: a page with everything that its address says, under a name, for everybody who opens the dashboard.

The app knows no other one: a view is an address, and what an address means is the page's business.
"""
