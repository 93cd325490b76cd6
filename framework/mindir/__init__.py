"""MindSpore's own model files (MindIR): makes a program of one. `ms.load` calls `read_program`.

`container` parses a file, `contents` makes values, `naming_graphs` and `blocks` find out what names and graphs are,
`translating` makes the program, and `operators/` says what each operator means. What it shares with ONNX it takes from
`framework.onnx`.
"""

from framework.mindir.reading_programs import read_program

__all__ = ["read_program"]
