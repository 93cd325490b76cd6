"""Transforms that augment: erased regions, mixed batches, images with boxes, and policies that draw other transforms.

They are built on the transforms beside this folder, which do not import it.
"""
