"""The backward functions of primitives, each in terms of primitives, in the part of Python that graph mode parses.

One definition serves PyNative's tape, which runs it, and graph mode's J transform, which parses it.
"""
