"""Reads traces: pieces of a JSON file to events, events to slices and counters. It knows neither Django nor columns.

`trace.read_trace` is the way in. The format is Chrome's Trace Event Format, in which torch.profiler, MindSpore, the
profilers of TensorBoard, VizTracer and many others write.
"""
