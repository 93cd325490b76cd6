"""Rows that are kept in files between epochs and between programs, for `data.cache(folder)`.

`row_file` is the format, `keys` the name of a file: what makes rows, and the state of the files that they come from.
"""
