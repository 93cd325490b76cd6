"""From the bytes of an ONNX file to checked messages and arrays. Nothing here makes nodes of the IR.

`framework.onnx.loading` calls it: `file` parses, `structure` checks names and order, `tensors` reads weights.
"""
