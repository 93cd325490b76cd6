"""Writes event files while a training runs: `SummaryWriter`, its thread and the encoding of every kind of value.

Users import `SummaryWriter` from `summaries`. Nothing here imports `summaries.reading`.
"""
