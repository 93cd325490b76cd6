"""MindSpore's import paths and small modules: `log`, `_checkparam`.

Scripts that were written for MindSpore import these. No other package of `framework` imports them.
"""
