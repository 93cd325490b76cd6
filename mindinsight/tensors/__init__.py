"""Tensors: any recorded step of any tensor can be sliced, searched, compared and shown without sending all of it.

The app has no tables. The store knows the place of each tensor, and requests decode it from its event file. `arrays`
knows nothing of files.
"""
