"""Control flow: follows functions, blocks, branches, loops and recursion, and writes those that stay as graphs.

The upper floor of `framework.infer`. It calls evaluators; they know nothing of it, and call functions of the program
through `Calls(follow=...)`. The order of the files, from top to bottom: `specializer.py`, `recursion.py` and
`basic_blocks.py`, `loops.py`, `branches.py`.
"""
