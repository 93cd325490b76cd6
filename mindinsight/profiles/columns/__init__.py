"""Profiles on disk: one numpy file a column, and answers about a window of time. It knows neither Django nor formats.

`writing` makes a profile's directory from a trace, `stored` opens it, `window` draws, `sums` adds up, `export` writes
other formats. A slice takes 29 bytes, and its arguments lie compressed beside it.
"""
