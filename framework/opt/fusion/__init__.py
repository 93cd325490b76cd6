"""Fusion as a pass: which operators a generated kernel can compute, and which of them form a cluster."""
