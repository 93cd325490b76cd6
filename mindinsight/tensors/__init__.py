"""Tensors: any recorded step of any tensor, sliced, searched, compared and looked at without sending it whole.

The app has no tables: the store knows the place of each tensor, and it is decoded from its event file when it is
asked for. `arrays` knows nothing of files.
"""
