"""ONNX's operators on what is sampled in space or time: images and signals."""
