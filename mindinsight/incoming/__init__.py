"""Runs that trainings write over the network: the dashboard appends their bytes to event files of its own.

`api.md` is the contract. The other end is `summaries/remote`.
"""
