"""Encoded images and videos: what their bytes say, decoding, encoding, and their files. Transforms import this."""
