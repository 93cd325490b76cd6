"""Makes an ONNX model of a program: nodes and constants (`nodes`), graphs with control flow (`program_writer`), the file."""
