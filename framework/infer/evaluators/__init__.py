"""Evaluators: the meaning of Python's operators, attributes and calls for values of a program.

This is the middle layer of `framework.infer`. `calls.py` dispatches to all others, and each of them works with an
`Inference` (`inference.py`). Other packages add evaluators through `registry.py`, and import only `Inference` besides.
"""
