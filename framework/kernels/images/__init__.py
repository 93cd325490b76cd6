"""Kernels that read images between their pixels: resizing, sampling at the points of a grid, and regions.

Called by the operators of images and by adaptive pooling.
"""
