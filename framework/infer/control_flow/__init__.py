"""Control flow: follows functions, blocks, branches, loops and recursion, and writes those that remain as graphs.

This is the upper layer of `framework.infer`. It calls the evaluators. They do not know it, and call functions of the
program through `Calls(follow=...)`. The files from top to bottom: `specializer.py`, `recursion.py` and
`basic_blocks.py`, `loops.py`, `branches.py`.
"""
