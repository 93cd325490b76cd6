"""MindSpore's `version`: the version whose names and numbers this core has, which scripts compare."""

__all__ = ["__version__"]

__version__ = "2.10.0"
