"""Fusion in the engine: generated kernels for marked clusters, and products that are computed together."""
