"""Evaluators: what operators, attributes and calls of Python mean for values of a program.

The middle floor of `framework.infer`. `calls.py` dispatches to all others; `inference.py` is what each of them works
with. Other rooms add evaluators of their own by `registry.py`, and import nothing else here but `Inference`.
"""
