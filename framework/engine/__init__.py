"""Runs programs: an interpreter that defines what they mean, and the compiler of optimized graphs to Python code."""
