"""Recurrent networks: single steps, and layers over whole sequences.

Each module holds operators with their inference, kernel, functional form and gradient. Users reach them through the
Cells of `framework.nn`.
"""
