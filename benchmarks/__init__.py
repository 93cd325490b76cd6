"""The commands behind every published figure: `python benchmarks/NAME.py`."""
