"""MindSpore's import paths and small modules: `log`, `_checkparam`.

Scripts that were written for MindSpore import these. No room of `framework` imports from here.
"""
