"""Operators over whole sequences that carry a state from step to step.

Each module holds operators with their inference, kernel and gradient. Users import them from `framework.ops`; the
layers in `framework.nn` are built of single steps.
"""
