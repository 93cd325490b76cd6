"""Code generation: writes an optimized program as Python functions that call kernels and native segments."""
