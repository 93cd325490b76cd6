"""Control flow: follows functions, blocks, branches, loops and recursion, and writes those that stay as graphs.

The upper floor of `framework.infer`. It calls evaluators; they know nothing of it, and call functions of the program
through `Calls(follow=...)`. `specializer.py` stands above `recursion.py` and `basic_blocks.py`, these above `loops.py`,
that above `branches.py`.
"""
