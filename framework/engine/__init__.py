"""The engine: an interpreter that defines what programs mean, and a compiler of optimized graphs to Python."""
