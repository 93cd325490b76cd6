"""ONNX's operators that are layers of networks: convolution, pooling, normalization, recurrence, attention, losses."""
