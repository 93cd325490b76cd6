"""Makes an ONNX model of a program: `nodes` and constants, graphs with control flow (`program_writer`, `recurring`)."""
