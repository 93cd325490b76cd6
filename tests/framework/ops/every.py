"""The rows of all families of primitives."""

from tests.framework.ops import programs, programs_of_choices, programs_of_images, programs_of_sequences

PROGRAMS = [
    *programs.PROGRAMS,
    *programs_of_images.PROGRAMS,
    *programs_of_choices.PROGRAMS,
    *programs_of_sequences.PROGRAMS,
]
