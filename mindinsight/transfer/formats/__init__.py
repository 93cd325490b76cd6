"""Converters between values and the event formats of TensorBoard and MindSpore. Used by exports."""
