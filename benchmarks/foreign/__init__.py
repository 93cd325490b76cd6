"""Programs that others wrote for MindSpore, run on this core: what `benchmarks/programs.py` consists of.

`checkouts` tells what a folder holds, `models`, `directories`, `pages` and `suites` run one kind of program each,
`causes` says why something failed, and `tables` counts. What runs a program lies in `workers`: it is started in a
process of its own, and reads the alias `mindspore` for `framework` unless it runs in the reference.
"""
